#include "hbase/cluster/zookeeper_session.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <utility>

#include <zookeeper/zookeeper.h>

#include "hbase/net/socket.h"
#include "klip/bytes.h"
#include "klip/cancel.h"

namespace klip::client {
namespace {

constexpr int kSessionMs = 30'000;

// Errors: `late` if the deadline has passed, kCancelled.
template <typename Ready>
Status AwaitChange(std::unique_lock<std::mutex>* lock, std::condition_variable* changed, Deadline deadline,
                   const char* late, Ready ready) {
  const CancelToken token = CancelToken::Current();
  while (!ready()) {
    const Clock::time_point now = Clock::now();
    KLIP_RETURN_IF_ERROR(token.status());
    if (now >= deadline) {
      return {Code::kTimedOut, late};
    }
    changed->wait_until(*lock, token.armed() ? std::min(deadline, now + kCancelTurn) : deadline);
  }
  return Status::Ok();
}

}  // namespace

// Set by the library's threads. Lives until the session is closed: then they have ended.
struct ZooKeeperSession::State {
  zhandle_t* handle = nullptr;

  std::mutex mutex;
  std::condition_variable changed;
  bool connected = false;
  bool expired = false;
  bool done = false;
  int code = ZOK;
  std::string data;
  std::vector<std::string> children;

  static void OnSession(zhandle_t*, int type, int state, const char*, void* context) {
    auto* self = static_cast<State*>(context);
    const std::lock_guard lock(self->mutex);
    if (type == ZOO_SESSION_EVENT) {
      self->connected = state == ZOO_CONNECTED_STATE;
      self->expired = state == ZOO_EXPIRED_SESSION_STATE || state == ZOO_AUTH_FAILED_STATE;
    }
    self->changed.notify_all();
  }

  template <typename Fill>
  static void Answer(const void* context, int code, Fill fill) {
    auto* self = static_cast<State*>(const_cast<void*>(context));
    const std::lock_guard lock(self->mutex);
    self->code = code;
    if (code == ZOK) {
      fill(self);
    }
    self->done = true;
    self->changed.notify_all();
  }

  static void OnData(int code, const char* value, int bytes, const Stat*, const void* context) {
    Answer(context, code, [&](State* self) {
      if (value != nullptr && bytes > 0) {
        self->data.assign(value, static_cast<size_t>(bytes));
      }
    });
  }

  static void OnChildren(int code, const String_vector* names, const void* context) {
    Answer(context, code, [&](State* self) { self->children.assign(names->data, names->data + names->count); });
  }
};

ZooKeeperSession::ZooKeeperSession(std::unique_ptr<State> state) : state_(std::move(state)) {}

ZooKeeperSession::~ZooKeeperSession() { zookeeper_close(state_->handle); }

Expected<std::unique_ptr<ZooKeeperSession>> ZooKeeperSession::Open(const std::string& quorum, Deadline deadline) {
  auto state = std::make_unique<State>();
  state->handle = zookeeper_init(quorum.c_str(), State::OnSession, kSessionMs, nullptr, state.get(), 0);
  if (state->handle == nullptr) {
    return Status(Code::kIoError, errno == ENOENT ? "no address is known for this name" : base::ErrorText(errno));
  }
  State* const shared = state.get();
  auto session = std::unique_ptr<ZooKeeperSession>(new ZooKeeperSession(std::move(state)));
  std::unique_lock lock(shared->mutex);
  const Status connected =
      AwaitChange(&lock, &shared->changed, deadline, "no connection in time; is a ZooKeeper behind this port?",
                  [shared] { return shared->connected || shared->expired; });
  lock.unlock();
  KLIP_RETURN_IF_ERROR(connected);
  return session;
}

template <typename Send>
Expected<bool> ZooKeeperSession::Ask(Deadline deadline, Send send) {
  State* const state = state_.get();
  {
    const std::lock_guard lock(state->mutex);
    state->done = false;
    state->data.clear();
    state->children.clear();
  }
  if (const int sent = send(state->handle); sent != ZOK) {
    return Status(Code::kIoError, zerror(sent));
  }
  std::unique_lock lock(state->mutex);
  KLIP_RETURN_IF_ERROR(
      AwaitChange(&lock, &state->changed, deadline, "no answer in time", [state] { return state->done; }));
  if (state->code != ZOK && state->code != ZNONODE) {
    return Status(Code::kIoError, zerror(state->code));
  }
  return state->code == ZOK;
}

Expected<std::optional<std::string>> ZooKeeperSession::Data(const std::string& path, Deadline deadline) {
  KLIP_ASSIGN_OR_RETURN(const bool found, Ask(deadline, [&](zhandle_t* handle) {
                          return zoo_aget(handle, path.c_str(), /*watch=*/0, State::OnData, state_.get());
                        }));
  return found ? std::optional(state_->data) : std::nullopt;
}

Expected<std::vector<std::string>> ZooKeeperSession::Children(const std::string& path, Deadline deadline) {
  KLIP_RETURN_IF_ERROR(Ask(deadline, [&](zhandle_t* handle) {
                         return zoo_aget_children(handle, path.c_str(), /*watch=*/0, State::OnChildren, state_.get());
                       }).status());
  std::ranges::sort(state_->children);
  return state_->children;
}

Status ParseNode(std::string_view data, google::protobuf::MessageLite* message) {
  constexpr std::string_view kMagic = "PBUF";
  constexpr size_t kPrefixBytes = 5;
  if (data.starts_with('\xFF') && data.size() >= kPrefixBytes) {
    const size_t id_bytes = ReadBigEndian<uint32_t>(data.data() + 1);
    if (id_bytes > data.size() - kPrefixBytes) {
      return {Code::kIoError, "its id of " + std::to_string(id_bytes) + " bytes exceeds the node"};
    }
    data.remove_prefix(kPrefixBytes + id_bytes);
  }
  if (!data.starts_with(kMagic)) {
    return {Code::kIoError, "it was not written by HBase: PBUF is missing"};
  }
  data.remove_prefix(kMagic.size());
  return message->ParseFromArray(data.data(), static_cast<int>(data.size()))
             ? Status()
             : Status(Code::kIoError, "it is not a " + message->GetTypeName());
}

}  // namespace klip::client
