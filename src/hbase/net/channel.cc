#include "hbase/net/channel.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include <poll.h>
#include <sys/socket.h>

#include "klip/bytes.h"
#include "klip/cancel.h"
#include "rpc/client_message.h"
#include "rpc/message.h"

namespace klip::client {
namespace {

constexpr std::chrono::seconds kConnectTimeout{10};  // hbase.ipc.client.socket.timeout.connect
constexpr std::chrono::milliseconds kGrace{500};     // for reading an answer that has arrived
constexpr size_t kReadBytes = 64 << 10;              // TUNING: a few small answers, or a part of a large one
constexpr size_t kMaxSpareBytes = 4 << 20;           // TUNING: answers to scans have 2 MB and a row
constexpr int kTurnMs = 100;                         // a blocked writer checks again whether it must read

}  // namespace

Status Reply::Parse(google::protobuf::MessageLite* message) const {
  return message->ParseFromArray(result.data(), static_cast<int>(result.size()))
             ? Status()
             : Status(Code::kIoError,
                      "an answer of " + std::to_string(result.size()) + " bytes is not a " + message->GetTypeName());
}

Call::Call(std::shared_ptr<Channel> channel, Deadline deadline)
    : channel_(std::move(channel)), deadline_(deadline), started_(Clock::now()) {}

Call::~Call() { channel_->Forget(this); }

Reply Call::Wait() {
  Reply reply = channel_->Await(this);
  channel_->Unpack(&reply);
  return reply;
}

Status Call::WaitFor(google::protobuf::MessageLite* message) {
  const Reply reply = Wait();
  return reply.ok() ? reply.Parse(message) : reply.failure.status;
}

Channel::Channel(Address server, std::string service, const Security* security)
    : server_(std::move(server)), service_(std::move(service)), security_(security) {}

Failure Channel::Lost(std::string_view what) const {
  return {Status(Code::kIoError, server_.ToString() + ": " + std::string(what)), Recovery::kLeaveServer, {}};
}

CallPtr Channel::Start(const CallSpec& spec) {
  CallPtr call(new Call(shared_from_this(), spec.deadline));
  const std::lock_guard writing(write_mutex_);
  call->id_ = next_id_;
  next_id_ = next_id_ + 1 == rpc::kNoCall ? 0 : next_id_ + 1;
  {
    const std::lock_guard lock(mutex_);
    if (broken()) {
      call->done_ = true;
      call->reply_.failure = failure_;
      return call;
    }
    calls_[call->id_] = call.get();
  }
  if (Failure failure = Send(spec, call->id_); !failure.ok()) {
    Break(std::move(failure));
  }
  return call;
}

Failure Channel::Open(Deadline deadline, rpc::Buffer* opening) {
  Expected<base::Descriptor> socket = Connect(server_, deadline);
  if (!socket.ok()) {
    return {socket.status(), Recovery::kLeaveServer, {}};
  }
  Expected<SecuredConnection> secured = Secure(*security_, server_, service_, socket->get(), deadline);
  if (!secured.ok()) {
    Failure failure = Lost(secured.status().message());
    return secured.status().code() == Code::kDoNotRetry ? Failure{Status(Code::kDoNotRetry, failure.status.message())}
                                                        : failure;
  }
  const std::lock_guard lock(mutex_);
  socket_ = *std::move(socket);
  transport_ = std::move(secured->transport);
  connected_ = true;
  *opening = std::move(secured->opening);
  return {};
}

Failure Channel::Send(const CallSpec& spec, uint32_t id) {
  rpc::Buffer bytes;
  if (!connected_) {  // only changed under write_mutex_
    if (Failure failure = Open(std::min(spec.deadline, Clock::now() + kConnectTimeout), &bytes); !failure.ok()) {
      return failure;
    }
  }
  hbase::pb::RequestHeader header;
  header.set_call_id(id);
  header.set_method_name(spec.method.data(), spec.method.size());
  header.set_request_param(true);
  header.set_timeout(static_cast<uint32_t>(std::max(1, MillisUntil(spec.deadline))));
  if (spec.priority > 0) {
    header.set_priority(spec.priority);
  }
  std::string_view cells = spec.cells;
  rpc::Buffer packed;
  if (!cells.empty()) {
    if (security_->compression != rpc::Compression::kNone) {
      if (Status status = rpc::Compress(security_->compression, cells, &packed); !status.ok()) {
        return {std::move(status)};
      }
      cells = packed.view();
    }
    header.mutable_cell_block_meta()->set_length(static_cast<uint32_t>(cells.size()));
  }
  rpc::Buffer request = rpc::EncodeRequest(header, *spec.request, cells.size());
  constexpr size_t kCopiedBytes = 16 << 10;  // TUNING: costs less than a second packet
  if (cells.size() <= kCopiedBytes) {
    request.Append(cells);
    cells = {};
  }
  if (bytes.empty()) {
    bytes = std::move(request);
  } else {
    bytes.Append(request.view());
  }
  return WriteAll(bytes.view(), cells, spec.deadline);
}

Failure Channel::WriteAll(std::string_view first, std::string_view second, Deadline deadline) {
  while (!first.empty() || !second.empty()) {
    if (first.empty()) {
      std::swap(first, second);
    }
    const ssize_t sent = second.empty() ? transport_->Send(first) : transport_->SendBoth(first, second);
    if (sent > 0) {
      const size_t of_first = std::min(static_cast<size_t>(sent), first.size());
      first.remove_prefix(of_first);
      second.remove_prefix(static_cast<size_t>(sent) - of_first);
      continue;
    }
    if (errno == EINTR) {
      continue;
    }
    if (errno != EAGAIN) {
      return Lost("cannot send: " + transport_->ErrorText(errno));
    }
    if (broken()) {
      return Lost("the connection was closed");
    }
    const int wait_ms = MillisUntil(deadline);
    if (wait_ms == 0) {
      return Lost("accepts no more requests");
    }
    // A server that waits for its answers to be read accepts no requests.
    Lock lock(mutex_);
    const bool read = !reading_;
    lock.unlock();
    pollfd ready = {.fd = socket_.get(), .events = static_cast<short>(read ? POLLIN | POLLOUT : POLLOUT), .revents = 0};
    ::poll(&ready, 1, std::min(wait_ms, kTurnMs));
    if ((ready.revents & POLLIN) != 0) {
      lock.lock();
      if (!reading_) {
        ReadAsReader(&lock, Clock::now());
        PassOnReading();
      }
    }
  }
  return {};
}

Reply Channel::Await(Call* call) {
  const CancelToken token = CancelToken::Current();
  Lock lock(mutex_);
  // A call sent ahead may have been answered long ago, without being read.
  call->deadline_ = std::max(call->deadline_, Clock::now() + kGrace);
  while (!call->done_) {
    const Clock::time_point now = Clock::now();
    const Deadline until = token.armed() ? std::min(call->deadline_, now + kCancelTurn) : call->deadline_;
    if (Status cancelled = token.status(); !cancelled.ok()) {
      call->done_ = true;
      call->reply_.failure = {std::move(cancelled), Recovery::kNone, {}};
      calls_.erase(call->id_);
    } else if (now >= call->deadline_) {
      const bool silent = last_received_ < call->started_;
      call->done_ = true;
      call->reply_.failure = {
          Status(Code::kTimedOut, server_.ToString() + ": no answer within " +
                                      std::to_string((now - call->started_) / std::chrono::milliseconds(1)) + " ms"),
          Recovery::kRelocate,
          {}};
      calls_.erase(call->id_);
      if (silent) {
        BreakLocked(Lost("does not answer"));
      }
    } else if (reading_) {
      call->waiting_ = true;
      call->changed_.wait_until(lock, until);
      call->waiting_ = false;
    } else {
      ReadAsReader(&lock, until);
    }
  }
  PassOnReading();
  return std::move(call->reply_);
}

bool Call::answered() const {
  const std::lock_guard lock(channel_->mutex_);
  return done_;
}

bool Channel::BeginToRead() {
  const std::lock_guard lock(mutex_);
  return !broken() && !std::exchange(reading_, true);
}

void Channel::EndReading(bool ready) {
  Lock lock(mutex_);
  if (ready) {
    ReadAsReader(&lock, Clock::now());
  }
  reading_ = false;
  PassOnReading();
}

Call* WaitForAny(std::span<Call* const> calls, Deadline until) {
  constexpr int kOthersTurnMs = 2;  // TUNING: if another thread reads, nobody wakes this one
  const CancelToken token = CancelToken::Current();
  while (true) {
    const bool over = Clock::now() >= until || token.cancelled();
    std::vector<Channel*> reading;
    std::vector<pollfd> sockets;
    Call* answered = nullptr;
    int wait_ms = over ? 0 : MillisUntil(token.armed() ? std::min(until, Clock::now() + kCancelTurn) : until);
    for (Call* call : calls) {
      Channel* channel = call->channel_.get();
      if (call->answered()) {
        answered = call;
      } else if (channel->BeginToRead()) {
        reading.push_back(channel);
        sockets.push_back({.fd = channel->socket_.get(), .events = POLLIN, .revents = 0});
        wait_ms = channel->transport_->holds_input() ? 0 : wait_ms;
      } else if (std::ranges::find(reading, channel) == reading.end()) {
        wait_ms = std::min(wait_ms, kOthersTurnMs);
      }
    }
    if (answered == nullptr) {
      ::poll(sockets.data(), sockets.size(), wait_ms);
    }
    for (size_t i = 0; i < reading.size(); ++i) {
      reading[i]->EndReading(sockets[i].revents != 0 || reading[i]->transport_->holds_input());
    }
    if (answered != nullptr || over) {
      return answered;
    }
  }
}

void Channel::Unpack(Reply* reply) const {
  if (!reply->ok() || reply->cells.empty() || security_->compression == rpc::Compression::kNone) {
    return;
  }
  const Status status = rpc::Decompress(security_->compression, reply->cells, rpc::kMaxUnpackedBytes, &reply->unpacked);
  reply->cells = reply->unpacked.view();
  if (!status.ok()) {
    reply->failure = {Status(Code::kIoError, server_.ToString() + ": unreadable cells: " + status.message())};
  }
}

void Channel::Forget(Call* call) {
  const std::lock_guard lock(mutex_);
  if (!call->done_) {
    calls_.erase(call->id_);
  }
}

void Channel::PassOnReading() {
  if (reading_) {
    return;
  }
  for (const auto& [id, call] : calls_) {
    if (call->waiting_) {
      call->changed_.notify_one();
      return;
    }
  }
}

void Channel::Recycle(rpc::Buffer frame) {
  if (frame.capacity() > kMaxSpareBytes) {
    return;
  }
  frame.Clear();
  const std::lock_guard lock(mutex_);
  if (frame.capacity() > spare_.capacity()) {
    spare_ = std::move(frame);
  }
}

void Channel::ReadAsReader(Lock* lock, Deadline deadline) {
  reading_ = true;
  if (input_.capacity() == 0) {
    input_ = std::move(spare_);
  }
  lock->unlock();
  Replies replies;
  Failure failure = Receive(deadline, &replies);
  lock->lock();
  reading_ = false;
  Deliver(&replies);
  if (!failure.ok()) {
    BreakLocked(std::move(failure));
  }
}

Failure Channel::Receive(Deadline deadline, Replies* replies) {
  const Clock::time_point now = Clock::now();
  const bool await = transport_->can_await() && now + kAwaitTime < deadline;
  if (!await && now < deadline && !transport_->holds_input() && !WaitFor(socket_.get(), POLLIN, deadline)) {
    return {};  // the caller checks its deadline
  }
  // A large frame is read exactly to its end, so that it can be passed on without a copy.
  size_t wanted = kReadBytes;
  if (input_.size() >= 4) {
    const size_t frame_bytes = 4 + size_t{ReadBigEndian<uint32_t>(input_.data())};
    wanted = std::max(frame_bytes - input_.size(), size_t{1});
    if (frame_bytes <= kReadBytes) {
      wanted = kReadBytes;
    }
  }
  const size_t before = input_.size();
  char* out = input_.Grow(wanted);
  const ssize_t got = await ? transport_->Await(out, wanted) : transport_->Receive(out, wanted);
  input_.Truncate(before + static_cast<size_t>(std::max<ssize_t>(got, 0)));
  if (got == 0) {
    return Lost("the server closed the connection");
  }
  if (got < 0) {
    return errno == EAGAIN || errno == EINTR ? Failure{} : Lost("cannot receive: " + transport_->ErrorText(errno));
  }
  return TakeFrames(replies);
}

Failure Channel::TakeFrames(Replies* replies) {
  size_t begin = 0;
  Failure failure;
  while (failure.ok() && input_.size() - begin >= 4) {
    const size_t bytes = ReadBigEndian<uint32_t>(input_.data() + begin);
    const std::string_view first = input_.view().substr(begin, 4);
    if (bytes > rpc::kMaxResponseBytes && std::ranges::all_of(first, [](char c) { return c >= ' ' && c <= '~'; })) {
      return Lost("the server does not speak HBase's RPC, since its answer begins with '" + std::string(first) +
                  "': use the port of the RPC, not that of a status page or a gateway");
    }
    if (bytes > rpc::kMaxResponseBytes) {
      return Lost("an answer of " + std::to_string(bytes) + " bytes exceeds the limit of " +
                  std::to_string(rpc::kMaxResponseBytes));
    }
    if (input_.size() - begin - 4 < bytes) {
      break;
    }
    Reply reply;
    size_t at = 4;
    if (begin == 0 && input_.size() == 4 + bytes && bytes > kReadBytes / 2) {
      reply.frame = std::move(input_);
      input_ = rpc::Buffer();
    } else {
      reply.frame.Append({input_.data() + begin + 4, bytes});
      begin += 4 + bytes;
      at = 0;
    }
    rpc::Response response;
    if (const Status parsed = rpc::ParseResponse(reply.frame.view().substr(at), &response); !parsed.ok()) {
      return Lost(parsed.message());
    }
    reply.result = response.result;
    reply.cells = response.cells;
    if (response.header.has_exception()) {
      reply.failure = FailureOf(response.header.exception());
    }
    if (response.header.call_id() == rpc::kNoCall) {  // it concerns the connection, not a call
      failure = reply.ok() ? Lost("sent an answer to no call") : reply.failure;
    } else {
      replies->emplace_back(response.header.call_id(), std::move(reply));
    }
  }
  if (begin > 0) {
    const size_t left = input_.size() - begin;
    std::memmove(input_.data(), input_.data() + begin, left);
    input_.Truncate(left);
  }
  return failure;
}

void Channel::Deliver(Replies* replies) {
  if (!replies->empty()) {
    last_received_ = Clock::now();
  }
  for (auto& [id, reply] : *replies) {
    if (const auto found = calls_.find(id); found != calls_.end()) {  // otherwise the caller has given up
      Call* call = found->second;
      call->reply_ = std::move(reply);
      call->done_ = true;
      call->changed_.notify_one();
      calls_.erase(found);
    }
  }
}

void Channel::Break(Failure failure) {
  const std::lock_guard lock(mutex_);
  BreakLocked(std::move(failure));
}

void Channel::BreakLocked(Failure failure) {
  if (!broken()) {
    failure_ = std::move(failure);
    broken_.store(true, std::memory_order_relaxed);
  }
  for (const auto& [id, call] : calls_) {
    call->reply_.failure = failure_;
    call->done_ = true;
    call->changed_.notify_one();
  }
  calls_.clear();
  if (socket_.get() >= 0) {
    ::shutdown(socket_.get(), SHUT_RDWR);  // wakes the reader; the descriptor lives until nobody uses it
  }
}

std::shared_ptr<Channel> ChannelPool::Get(const Address& server, std::string_view service) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Channel>& channel = channels_[{server, std::string(service)}];
  if (channel == nullptr || (channel->broken() && !closed_)) {
    channel = std::make_shared<Channel>(server, std::string(service), &security_);
    if (closed_) {
      channel->Break({Status(Code::kCancelled, "the connection was closed"), Recovery::kNone, {}});
    }
  }
  return channel;
}

void ChannelPool::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (const auto& [where, channel] : channels_) {
    channel->Break({Status(Code::kCancelled, "the connection was closed"), Recovery::kNone, {}});
  }
}

}  // namespace klip::client
