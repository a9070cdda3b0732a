#include "server/rpc_protocol.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "klip/bytes.h"
#include "rpc/message.h"
#include "server/slow_call.h"

namespace klip::server {
namespace {

constexpr size_t kFrameLengthBytes = 4;

// Of a request of that many bytes: as it came, as a mutation, and as what is written to the store.
constexpr size_t CostOf(size_t frame_bytes) { return 3 * frame_bytes; }

// What the calls of a connection need of it.
struct Client {
  const RpcSetup* setup = nullptr;
  rpc::ConnectionParameters parameters;
  const MethodTable* methods = nullptr;
};

class CallTask final : public Task, public Responder {
 public:
  // What the frame costs was taken of the memory budget, and goes back before the answer: who has it may send the next call.
  CallTask(std::shared_ptr<Channel> channel, std::shared_ptr<const Client> client, rpc::Buffer frame)
      : channel_(std::move(channel)),
        client_(std::move(client)),
        frame_(std::move(frame)),
        taken_bytes_(CostOf(frame_.size())),
        received_us_(MonotonicUs()) {}

  ~CallTask() override { GiveMemory(); }

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
    call.answer = MemoryLease(client_->setup->memory);
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
                     "klip does not have " + client_->parameters.service + "." + request.header.method_name()),
              nullptr);
      return;
    }
    call.param = request.param;
    if (request.header.has_timeout() && request.header.timeout() > 0) {
      call.deadline_us = received_us_ + int64_t{request.header.timeout()} * 1000;
    }
    rpc::Buffer unpacked;
    std::string_view cells = request.cells;
    if (!cells.empty() && client_->parameters.compression != rpc::Compression::kNone) {
      if (const Status status =
              rpc::Decompress(client_->parameters.compression, cells, rpc::kMaxUnpackedBytes, &unpacked);
          !status.ok()) {
        Respond(&call, Status(Code::kDoNotRetry, status.message()), nullptr);
        return;
      }
      cells = unpacked.view();
    }
    call.cells = rpc::CellBlockReader(cells, client_->parameters.codec);
    method_ = method;
    method->run(&call, this);
    if (call.after_response) {
      channel_->Release();
      call.after_response();
      answered_us_ = MonotonicUs();
    }
    channel_->AddCall(answered_us_ - began_us_);
  }

  void Respond(Call* call, const rpc::Error& error, const google::protobuf::MessageLite* response) override {
    if (!error.ok()) {
      client_->setup->metrics->AddError(error.java_class());
    }
    const uint32_t call_id = call->header->has_call_id() ? call->header->call_id() : rpc::kNoCall;
    rpc::Buffer cells = error.ok() ? std::move(call->out_cells) : rpc::Buffer();
    if (!cells.empty() && client_->parameters.compression != rpc::Compression::kNone) {
      rpc::Buffer packed;
      if (const Status status = rpc::Compress(client_->parameters.compression, cells.view(), &packed); !status.ok()) {
        channel_->Send(rpc::EncodeResponse(call_id, status, nullptr, 0));
        return;
      }
      cells = std::move(packed);
    }
    rpc::Buffer head = rpc::EncodeResponse(call_id, error, response, cells.size());
    response_bytes_ = head.size() + cells.size();
    if (method_ != nullptr) {
      answered_us_ = MonotonicUs();
      took_us_ = answered_us_ - received_us_;
      method_->times.Add(took_us_);
      client_->setup->metrics->calls.fetch_add(1, std::memory_order_relaxed);
      const bool slow = took_us_ >= client_->setup->slow_call_us;
      client_->setup->metrics->slow_calls.fetch_add(slow ? 1 : 0, std::memory_order_relaxed);
      NoteIfSlow(*call);  // who has the answer finds it there
    }
    GiveMemory();
    call->answer.Release();  // it counts as unsent from now on
    channel_->Send(std::move(head), std::move(cells));
  }

 private:
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

  void GiveMemory() { client_->setup->memory->Give(std::exchange(taken_bytes_, 0)); }

  const std::shared_ptr<Channel> channel_;
  const std::shared_ptr<const Client> client_;
  const rpc::Buffer frame_;
  size_t taken_bytes_;
  const int64_t received_us_;
  const Method* method_ = nullptr;
  int64_t began_us_ = 0;
  int64_t answered_us_ = 0;
  int64_t took_us_ = 0;
  size_t response_bytes_ = 0;
};

class RpcProtocol final : public Protocol {
 public:
  explicit RpcProtocol(const RpcSetup* setup) : setup_(setup) {}
  ~RpcProtocol() override { setup_->memory->Give(taken_bytes_); }

  std::optional<size_t> OnInput(Input* input, const std::shared_ptr<Channel>& channel,
                                std::vector<TaskPtr>* tasks) override {
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
      if (bytes > (state_ == State::kCalls ? rpc::kMaxRequestBytes : rpc::kMaxConnectionHeaderBytes)) {
        RefuseLength(bytes, input->view(), channel.get());
        return std::nullopt;
      }
      if (state_ == State::kCalls && taken_bytes_ == 0) {
        if (setup_->memory->Take(CostOf(bytes))) {
          taken_bytes_ = CostOf(bytes);
        } else if (const size_t wanted = kFrameLengthBytes + std::min(bytes, kHeaderBytes);
                   input->view().size() < wanted) {
          return wanted;
        } else {
          RefuseForNow(bytes, input->view(), channel.get());
          skip_bytes_ = kFrameLengthBytes + bytes;
          if (!SkipRefused(input)) {
            return 1;
          }
          continue;
        }
      }
      if (input->view().size() - kFrameLengthBytes < bytes) {
        return kFrameLengthBytes + bytes;
      }
      input->Skip(kFrameLengthBytes);
      if (state_ == State::kCalls) {
        tasks->push_back(std::make_unique<CallTask>(channel, client_, input->Take(bytes)));
        taken_bytes_ = 0;
      } else if (state_ == State::kToken) {
        input->Skip(bytes);
        state_ = State::kHeader;
      } else if (const rpc::Error error = ReadHeader(input->view().substr(0, bytes)); error.ok()) {
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
    kToken,  // the first of a SASL client, sent before it knows that there is no SASL here
    kHeader,
    kCalls
  };

  // False: the connection ends with what has been sent.
  bool Open(rpc::Opening opening, Channel* channel) {
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
        return refuse("ipc.WrongVersionException", "only version 0 of the RPC is spoken here");
      case rpc::Opening::kBadAuthentication:
        return refuse("ipc.BadAuthException", "unknown way to authenticate");
    }
    return false;
  }

  rpc::Error ReadHeader(std::string_view bytes) {
    auto client = std::make_shared<Client>();
    client->setup = setup_;
    KLIP_RPC_RETURN_IF_ERROR(rpc::ParseConnectionHeader(bytes, &client->parameters));
    const auto service = setup_->services->find(client->parameters.service);
    if (service == setup_->services->end()) {
      return rpc::Error::Hbase("ipc.UnknownServiceException", "Unknown service: " + client->parameters.service, true);
    }
    client->methods = &service->second;
    client_ = std::move(client);
    return {};
  }

  // What a call begins with holds its number.
  static constexpr size_t kHeaderBytes = 512;

  // False: more of a refused call is to come.
  bool SkipRefused(Input* input) {
    const size_t bytes = std::min(skip_bytes_, input->view().size());
    input->Skip(bytes);
    skip_bytes_ -= bytes;
    return skip_bytes_ == 0;
  }

  void RefuseForNow(size_t bytes, std::string_view front, Channel* channel) {
    setup_->metrics->AddError("org.apache.hadoop.hbase.CallQueueTooBigException");
    channel->Send(rpc::EncodeResponse(
        CallIdOf(front),
        rpc::Error::Hbase("CallQueueTooBigException",
                          "no memory for a call of " + std::to_string(bytes) + " bytes now (memory-limit)", false),
        nullptr, 0));
  }

  static uint32_t CallIdOf(std::string_view front) {
    rpc::Request request;
    hbase::pb::RequestHeader& header = request.header;
    const std::string_view after = front.substr(kFrameLengthBytes);
    if (after.size() > 1) {
      const size_t header_bytes = std::min<size_t>(static_cast<unsigned char>(after[0]), after.size() - 1);
      header.ParsePartialFromArray(after.data() + 1, static_cast<int>(header_bytes));
    }
    return header.has_call_id() ? header.call_id() : rpc::kNoCall;
  }

  // The call's number is in the first bytes, so that the client's call fails and not only its connection.
  void RefuseLength(size_t bytes, std::string_view front, Channel* channel) {
    const std::string text = "RPC data length of " + std::to_string(bytes) + " received is greater than max allowed " +
                             std::to_string(rpc::kMaxRequestBytes);
    channel->Send(rpc::EncodeResponse(CallIdOf(front),
                                      rpc::Error::Hbase("exceptions.RequestTooBigException", text, true), nullptr, 0));
  }

  const RpcSetup* const setup_;
  size_t taken_bytes_ = 0;  // of the memory budget, for the call that is being received
  size_t skip_bytes_ = 0;   // of a refused call
  State state_ = State::kOpening;
  std::shared_ptr<const Client> client_;
};

}  // namespace

int64_t MonotonicUs() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::unique_ptr<Protocol> NewRpcProtocol(const RpcSetup* setup) { return std::make_unique<RpcProtocol>(setup); }

}  // namespace klip::server
