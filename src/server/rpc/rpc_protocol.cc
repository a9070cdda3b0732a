#include "server/rpc/rpc_protocol.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/read_memory.h"
#include "klip/bytes.h"
#include "klip/caller.h"
#include "rpc/frame.h"
#include "rpc/message.h"
#include "server/rpc/call_priority.h"
#include "server/rpc/slow_call.h"

namespace klip::server {
namespace {

constexpr size_t kFrameLengthBytes = 4;
// TUNING: the unsent bytes of smaller answers are counted then.
constexpr size_t kSmallAnswer = 64 << 10;

rpc::Error NoMemory(const RpcSetup* setup, size_t bytes) {
  const bool never = CostOf(bytes) > setup->memory->largest();
  const std::string text =
      "not enough memory for a call of " + std::to_string(bytes) + " bytes" + (never ? "" : " now") + " (memory-limit)";
  return never ? rpc::Error::Hbase("exceptions.RequestTooBigException", text, true)
               : rpc::Error::Hbase("CallQueueTooBigException", text, false);
}

// What the calls of a connection share.
struct Client {
  const RpcSetup* setup = nullptr;
  rpc::ConnectionParameters parameters;
  const MethodTable* methods = nullptr;
  Caller caller;  // of all its calls
  bool of_master = false;
  std::shared_ptr<net::MemoryShare> scanners = std::make_shared<net::MemoryShare>();
};

class CallTask final : public net::Task, public Responder, private base::ReadMemory {
 public:
  // `memory`, the cost of the frame, is released before the answer: after it, the client may send the next call.
  CallTask(std::shared_ptr<net::Channel> channel, std::shared_ptr<const Client> client, rpc::Buffer frame,
           net::MemoryLease memory)
      : channel_(std::move(channel)),
        client_(std::move(client)),
        frame_(std::move(frame)),
        request_memory_(std::move(memory)),
        row_memory_(client_->setup->memory, channel_->memory_share()),
        received_us_(MonotonicUs()) {}

  void Run() override {
    thread_local rpc::Request request;
    began_us_ = MonotonicUs();
    if (channel_->closed()) {
      return;  // nobody waits for the answer
    }
    Call call;
    call.client = &client_->parameters;
    call.header = &request.header;
    call.disconnected = &channel_->closed_flag();
    call.stopping = client_->setup->stopping;
    call.answer = net::MemoryLease(client_->setup->memory, channel_->memory_share());
    if (const Status parsed = rpc::ParseRequest(frame_.view(), &request); !parsed.ok()) {
      Respond(&call, Status(Code::kDoNotRetry, parsed.message()), nullptr);
      if (!request.header.has_call_id()) {
        channel_->CloseWhenSent();
      }
      return;
    }
    const auto* method = client_->methods->Find(request.header.method_name());
    if (method == nullptr) {
      Respond(&call,
              Status(Code::kUnsupported,
                     "klip does not support " + client_->parameters.service + "." + request.header.method_name()),
              nullptr);
      return;
    }
    call.param = request.param;
    if (request.header.has_timeout() && request.header.timeout() > 0) {
      call.deadline_us = received_us_ + std::max(int64_t{request.header.timeout()} * 1000, kLeastTimeoutUs);
      if (began_us_ > call.deadline_us) {  // its client has given up, and may have sent it again
        client_->setup->metrics->expired_calls.fetch_add(1, std::memory_order_relaxed);
        return;
      }
    }
    rpc::Buffer unpacked;
    std::string_view cells = request.cells;
    if (!cells.empty() && client_->parameters.compression != rpc::Compression::kNone) {
      if (const rpc::Error error = Unpack(cells, &unpacked); !error.ok()) {
        Respond(&call, error, nullptr);
        return;
      }
      cells = unpacked.view();
    }
    call.scanners = &client_->scanners;
    call.cells = rpc::CellBlockReader(cells, client_->parameters.codec);
    method_ = method;
    const CallerScope caller(&client_->caller);
    const base::ReadMemoryScope reads(this);
    method->run(&call, this);
    if (call.after_response) {
      channel_->Release();
      call.after_response();
      answered_us_ = MonotonicUs();
    }
    channel_->AddCall(answered_us_ - began_us_);
  }

  bool of_master() const override { return client_->of_master; }

  bool urgent() const override {
    thread_local rpc::Request request;
    if (!rpc::ParseRequest(frame_.view(), &request).ok()) {
      return false;
    }
    const Method* method = client_->methods->Find(request.header.method_name());
    return method != nullptr && IsUrgent(client_->parameters.service, *method, request);
  }

  size_t bytes() const override { return frame_.size(); }

  bool reads() const override { return method_ != nullptr && method_->reads; }

  void Respond(Call* call, const rpc::Error& error, const google::protobuf::MessageLite* response) override {
    if (!error.ok()) {
      client_->setup->metrics->AddError(error.java_class());
    }
    const uint32_t call_id = call->header->has_call_id() ? call->header->call_id() : rpc::kNoCall;
    rpc::Buffer cells = error.ok() ? std::move(call->out_cells) : rpc::Buffer();
    if (!cells.empty() && client_->parameters.compression != rpc::Compression::kNone) {
      rpc::Buffer packed;
      if (const Status status = rpc::Compress(client_->parameters.compression, cells.view(), &packed); !status.ok()) {
        GiveMemory();
        call->answer.Release();
        channel_->Send(rpc::EncodeResponse(call_id, status, nullptr, 0));
        return;
      }
      cells = std::move(packed);
    }
    rpc::Buffer head = rpc::EncodeResponse(call_id, error, response, cells.size());
    response_bytes_ = head.size() + cells.size();
    call->answered_bytes = response_bytes_;
    if (method_ != nullptr) {
      answered_us_ = MonotonicUs();
      took_us_ = answered_us_ - received_us_;
      method_->times.Add(took_us_);
      client_->setup->metrics->calls.fetch_add(1, std::memory_order_relaxed);
      const bool slow = took_us_ >= client_->setup->slow_call_us;
      client_->setup->metrics->slow_calls.fetch_add(slow ? 1 : 0, std::memory_order_relaxed);
      NoteIfSlow(*call);  // before the answer, so that a client that has it finds the entry
    }
    if (row_memory_.is_large()) {
      std::swap(call->answer, row_memory_);  // the answer's memory is not the others'
    }
    call->answer.HoldAnyway(response_bytes_ > kSmallAnswer ? response_bytes_ : 0);
    call->answer.Shrink(response_bytes_);
    GiveMemory();
    channel_->Send(std::move(head), std::move(cells), std::move(call->answer));
  }

 private:
  // hbase.ipc.min.client.request.timeout
  static constexpr int64_t kLeastTimeoutUs = 20 * 1000;

  // Few cells are compressed to less than an eighth: those need several attempts, so that others need not hold so much
  // memory.
  rpc::Error Unpack(std::string_view packed, rpc::Buffer* out) {
    constexpr size_t kUsualRatio = 8;
    constexpr size_t kLeastBytes = 64 << 10;
    const size_t room = client_->setup->memory->largest() / CostOf(1);
    const size_t limit = std::min(rpc::kMaxUnpackedBytes, room - std::min(room, frame_.size()));
    size_t most = std::clamp(packed.size() * kUsualRatio, kLeastBytes, std::max(limit, kLeastBytes));
    for (;;) {
      if (!request_memory_.Hold(CostOf(frame_.size()) + CostOf(most))) {
        return NoMemory(client_->setup, most);
      }
      const Status status = rpc::Decompress(client_->parameters.compression, packed, most, out);
      if (status.ok()) {
        return {};
      }
      if (most == rpc::kMaxUnpackedBytes) {
        return Status(Code::kDoNotRetry, status.message());
      }
      if (most >= limit) {
        return NoMemory(client_->setup, most + limit);
      }
      out->Truncate(0);
      most = std::min(most * 2, limit);
    }
  }

  Status HoldRow(int64_t bytes) override {
    const size_t cost = 2 * static_cast<size_t>(bytes);
    if (row_memory_.Hold(cost)) {
      return Status::Ok();
    }
    const bool never = cost > client_->setup->memory->largest();
    return {
        never ? Code::kRowTooBig : Code::kRegionTooBusy,
        "no memory to read " + std::to_string(bytes) + " bytes of a row" + (never ? "" : " now") + " (memory-limit)"};
  }

  void NoteIfSlow(const Call& call) {
    const RpcSetup& setup = *client_->setup;
    const bool slow = took_us_ >= setup.slow_call_us;
    const bool large = response_bytes_ >= setup.large_response_bytes;
    if (slow || large) {
      using Payload = hbase::pb::SlowLogPayload;
      const CallCost cost = {.us = took_us_,
                             .queue_us = began_us_ - received_us_,
                             .request_bytes = frame_.size(),
                             .response_bytes = response_bytes_};
      NoteSlowCall(call, *method_,
                   !slow   ? Payload::LARGE_LOG
                   : large ? Payload::ALL
                           : Payload::SLOW_LOG,
                   channel_->Peer(), cost, *setup.log, setup.slow_calls);
    }
  }

  void GiveMemory() {
    request_memory_.Release();
    row_memory_.Release();
  }

  const std::shared_ptr<net::Channel> channel_;
  const std::shared_ptr<const Client> client_;
  const rpc::Buffer frame_;
  net::MemoryLease request_memory_;
  net::MemoryLease row_memory_;  // for the largest row that was read: as it is, and in the answer
  const int64_t received_us_;
  const Method* method_ = nullptr;
  int64_t began_us_ = 0;
  int64_t answered_us_ = 0;
  int64_t took_us_ = 0;
  size_t response_bytes_ = 0;
};

class RpcProtocol final : public net::Protocol {
 public:
  explicit RpcProtocol(const RpcSetup* setup) : setup_(setup) {}

  std::optional<size_t> OnInput(net::Input* input, const std::shared_ptr<net::Channel>& channel,
                                std::vector<net::TaskPtr>* tasks) override {
    if (!memory_.has_value()) {
      memory_.emplace(setup_->memory, channel->memory_share());
      channel->CountUnsent(setup_->memory);
    }
    if (state_ == State::kOpening) {
      if (input->view().size() < rpc::kOpeningBytes) {
        return rpc::kOpeningBytes;
      }
      const rpc::Opening opening = rpc::ParseOpening(input->view().substr(0, rpc::kOpeningBytes));
      input->Skip(rpc::kOpeningBytes);
      if (!Open(opening, channel.get())) {
        return std::nullopt;
      }
    }
    if (!SkipRefused(input)) {
      return 1;
    }
    while (input->view().size() >= kFrameLengthBytes) {
      const size_t bytes = ReadBigEndian<uint32_t>(input->view().data());
      const size_t have = input->view().size() - kFrameLengthBytes;
      const size_t most = state_ == State::kCalls ? rpc::kMaxRequestBytes : rpc::kMaxConnectionHeaderBytes;
      if (bytes > most || (state_ == State::kCalls && !memory_->Hold(bytes, have))) {
        const std::optional<uint32_t> call_id = CallIdOf(input->view().substr(kFrameLengthBytes), bytes);
        if (!call_id.has_value()) {
          return input->view().size() + 1;
        }
        Refuse(*call_id, bytes > most ? TooLarge(bytes, most) : NoMemory(setup_, bytes), channel.get());
        if (bytes > most) {
          return std::nullopt;
        }
        memory_->Release();
        skip_bytes_ = kFrameLengthBytes + bytes;
        if (!SkipRefused(input)) {
          return 1;
        }
        continue;
      }
      if (have < bytes) {
        return kFrameLengthBytes + (state_ == State::kCalls ? std::min(bytes, memory_->room()) : bytes);
      }
      input->Skip(kFrameLengthBytes);
      if (state_ == State::kCalls) {
        tasks->push_back(std::make_unique<CallTask>(channel, client_, input->Take(bytes), memory_->PassOn()));
      } else if (state_ == State::kToken) {
        input->Skip(bytes);
        state_ = State::kHeader;
      } else if (const rpc::Error error = ReadHeader(input->view().substr(0, bytes), channel->Peer()); error.ok()) {
        input->Skip(bytes);
        state_ = State::kCalls;
      } else {
        channel->Send(rpc::EncodeResponse(rpc::kNoCall, error, nullptr, 0));
        return std::nullopt;
      }
    }
    return kFrameLengthBytes;
  }

  bool opened() const override { return state_ == State::kCalls; }

 private:
  enum class State : uint8_t {
    kOpening,
    kToken,  // the first of a SASL client, sent before it learns that SASL is not used
    kHeader,
    kCalls
  };

  // False: the connection ends once everything is sent.
  bool Open(rpc::Opening opening, net::Channel* channel) {
    const auto refuse = [&](std::string_view java_class, std::string text) {
      channel->Send(
          rpc::EncodeResponse(rpc::kNoCall, rpc::Error::Hbase(java_class, std::move(text), true), nullptr, 0));
      return false;
    };
    switch (opening) {
      case rpc::Opening::kCalls:
        state_ = State::kHeader;
        return true;
      case rpc::Opening::kSasl: {
        constexpr char kSwitchToSimple[] = {0, 0, 0, 0, '\xFF', '\xFF', '\xFF', '\xA8'};  // status 0, -88
        rpc::Buffer answer;
        answer.Append({kSwitchToSimple, sizeof(kSwitchToSimple)});
        channel->Send(std::move(answer));
        state_ = State::kToken;
        return true;
      }
      case rpc::Opening::kRegistry:
        channel->Send(rpc::EncodeRegistryResponse(*setup_->cluster_id));
        return false;
      case rpc::Opening::kPrincipal:
        channel->Send(rpc::EncodeResponse(
            rpc::kNoCall, rpc::Error::Hbase("ipc.SecurityNotEnabledException", "security is not enabled", false),
            nullptr, 0));
        return true;
      case rpc::Opening::kBadMagic:
        return refuse("ipc.FatalConnectionException", "Expected HEADER=HBas; this is HBase's RPC");
      case rpc::Opening::kBadVersion:
        return refuse("ipc.WrongVersionException", "only version 0 of the RPC is supported");
      case rpc::Opening::kBadAuthentication:
        return refuse("ipc.BadAuthException", "unknown authentication method");
    }
    return false;
  }

  rpc::Error ReadHeader(std::string_view bytes, std::string peer) {
    auto client = std::make_shared<Client>();
    client->setup = setup_;
    KLIP_RPC_RETURN_IF_ERROR(rpc::ParseConnectionHeader(bytes, &client->parameters));
    const auto service = setup_->services->find(client->parameters.service);
    if (service == setup_->services->end()) {
      return rpc::Error::Hbase("ipc.UnknownServiceException", "Unknown service: " + client->parameters.service, true);
    }
    client->methods = &service->second;
    client->caller = {.user = client->parameters.user, .address = std::move(peer), .door = Door::kRpc};
    client->of_master = IsOfMaster(client->parameters.service);
    client_ = std::move(client);
    return {};
  }

  // False: more of a refused call is still to come.
  bool SkipRefused(net::Input* input) {
    const size_t bytes = std::min(skip_bytes_, input->view().size());
    input->Skip(bytes);
    skip_bytes_ -= bytes;
    return skip_bytes_ == 0;
  }

  // The call id in a frame of `bytes` that begins with `front`, so that the client's call fails and not only its
  // connection. nullopt: more of the header is still to come.
  std::optional<uint32_t> CallIdOf(std::string_view front, size_t bytes) const {
    constexpr size_t kEnoughBytes = 512;  // of a long header: the id is near the front
    constexpr size_t kMostLengthBytes = 5;
    if (state_ != State::kCalls) {
      return rpc::kNoCall;
    }
    front = front.substr(0, bytes);
    std::string_view rest = front;
    std::string_view header;
    if (!rpc::TakeDelimited(&rest, &header)) {
      if (front.size() < std::min(bytes, kEnoughBytes)) {
        return std::nullopt;
      }
      size_t last = 0;  // of the header's length
      while (last < std::min(front.size(), kMostLengthBytes) && static_cast<signed char>(front[last]) < 0) {
        ++last;
      }
      header = front.substr(std::min(last + 1, front.size()));
    }
    hbase::pb::RequestHeader parsed;
    parsed.ParsePartialFromArray(header.data(), static_cast<int>(header.size()));
    return parsed.has_call_id() ? parsed.call_id() : rpc::kNoCall;
  }

  static rpc::Error TooLarge(size_t bytes, size_t most) {
    return rpc::Error::Hbase(
        "exceptions.RequestTooBigException",
        "RPC data length of " + std::to_string(bytes) + " received is greater than max allowed " + std::to_string(most),
        true);
  }

  void Refuse(uint32_t call_id, const rpc::Error& error, net::Channel* channel) {
    setup_->metrics->AddError(error.java_class());
    channel->Send(rpc::EncodeResponse(call_id, error, nullptr, 0));
  }

  const RpcSetup* const setup_;
  std::optional<RequestMemory> memory_;  // from the first input on
  size_t skip_bytes_ = 0;                // of a refused call
  State state_ = State::kOpening;
  std::shared_ptr<const Client> client_;
};

}  // namespace

std::unique_ptr<net::Protocol> NewRpcProtocol(const RpcSetup* setup) { return std::make_unique<RpcProtocol>(setup); }

}  // namespace klip::server
