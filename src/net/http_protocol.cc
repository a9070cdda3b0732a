#include "net/http_protocol.h"

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/read_memory.h"
#include "net/call_memory.h"
#include "net/clock.h"
#include "net/http_guard.h"
#include "rpc/zlib_stream.h"

namespace klip::net {
namespace {

// --- TUNING ---
constexpr int64_t kSecondUs = 1000 * 1000;
constexpr int64_t kRequestUs = 30 * kSecondUs;  // for a whole request, in addition to the time for its bytes
constexpr int64_t kIdleUs = 60 * kSecondUs;     // between an answer and the next request, and for accepting an answer
constexpr int64_t kLingerUs = 2 * kSecondUs;    // for a client to read why it was refused
constexpr int64_t kBytesPerSecond = 16 << 10;   // the slowest acceptable client
constexpr size_t kMaxWaiting = 4;               // requests that are read before the previous one is answered
constexpr size_t kMinPackedBytes = 1 << 10;     // smaller answers are not compressed
constexpr size_t kSmallBody = 64 << 10;         // is accepted from another quarter, if all memory for bodies is in use

constexpr int kBusy = 503;
constexpr std::string_view kBusyReason = "too many large requests at once; try again";

int64_t TimeFor(size_t bytes) { return static_cast<int64_t>(bytes) * kSecondUs / kBytesPerSecond; }

// Bytes of bodies, counted in a sum during its lifetime.
class Charge {
 public:
  explicit Charge(std::atomic<int64_t>* sum) : sum_(sum) {}
  Charge(Charge&& other) noexcept : sum_(other.sum_), bytes_(std::exchange(other.bytes_, 0)) {}
  Charge& operator=(Charge&& other) noexcept {
    std::swap(sum_, other.sum_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Charge() { Set(0); }

  // Whether the sum is at most `most`. Large bodies of others are no reason to refuse a small one, or none.
  bool Set(size_t bytes, int64_t most = 0) {
    const int64_t more = static_cast<int64_t>(bytes) - std::exchange(bytes_, static_cast<int64_t>(bytes));
    const int64_t sum = sum_->fetch_add(more) + more;
    return bytes == 0 || sum <= (bytes <= kSmallBody ? most + most / 4 : most);
  }

 private:
  std::atomic<int64_t>* sum_;
  int64_t bytes_ = 0;
};

// A request as it was read, or why it was refused.
struct Exchange {
  HttpRequest request;
  Charge charge;
  bool keep_alive = false;
  int refusal = 0;
  std::string reason = {};
};

HttpResponse Refusal(int status, std::string_view reason) {
  return {.status = status, .content_type = "text/plain", .body = std::string(reason) + "\r\n"};
}

HttpResponse NoMemory(const Status& why) {
  constexpr int kTooLarge = 413;
  return Refusal(why.code() == Code::kRowTooBig ? kTooLarge : kBusy, why.message());
}

// Decompresses the body (Content-Encoding). Returns the answer that refuses it, or nullopt. Few bodies are compressed to
// less than an eighth: those need several attempts, so that others need not hold so much memory.
std::optional<HttpResponse> Unpack(size_t max_bytes, CallMemory* memory, HttpRequest* request) {
  const std::string encoding = request->Header("content-encoding");
  if (encoding.empty() || encoding == "identity") {
    return std::nullopt;
  }
  if (encoding != "gzip" && encoding != "deflate") {
    return Refusal(415, "the only supported content encodings are \"gzip\" and \"deflate\"");
  }
  constexpr size_t kUsualRatio = 8;
  constexpr size_t kLeastBytes = 64 << 10;
  const rpc::ZlibHeader header = encoding == "gzip" ? rpc::ZlibHeader::kGzip : rpc::ZlibHeader::kZlib;
  for (size_t most = std::min(max_bytes, std::max(kLeastBytes, kUsualRatio * request->body.size()));;
       most = std::min(max_bytes, 2 * most)) {
    if (const Status held = memory->HoldRequest(static_cast<int64_t>(request->body.size() + most)); !held.ok()) {
      return NoMemory(held);
    }
    rpc::Buffer unpacked;
    const Status status = rpc::Inflate(header, request->body, most, &unpacked);
    if (status.ok()) {
      request->body = unpacked.view();
      return std::nullopt;
    }
    if (unpacked.size() <= most || most == max_bytes) {
      return Refusal(unpacked.size() > most ? 413 : 400, status.message());
    }
  }
}

// Whether "gzip;q=0.5, deflate" accepts gzip.
bool TakesGzip(std::string_view accepted) {
  const size_t at = accepted.find("gzip");
  if (at == std::string_view::npos) {
    return false;
  }
  const std::string_view rest = accepted.substr(at, accepted.find(',', at) - at);
  const size_t weight = rest.find("q=");
  return weight == std::string_view::npos ||
         rest.substr(weight + 2).find_first_of("123456789") != std::string_view::npos;
}

bool IsText(std::string_view content_type) {
  static constexpr std::array kKinds = {
      "text/",         "application/json",    "application/xml", "application/javascript", "application/x-protobuf",
      "image/svg+xml", "application/protobuf"};
  return std::any_of(kKinds.begin(), kKinds.end(), [&](const char* kind) { return content_type.starts_with(kind); });
}

void Pack(std::string_view accepted, HttpResponse* response) {
  if (response->body.size() < kMinPackedBytes || !IsText(response->content_type)) {
    return;
  }
  response->headers.emplace_back("Vary", "Accept-Encoding");
  rpc::Buffer packed;
  if (TakesGzip(accepted) && rpc::Deflate(rpc::ZlibHeader::kGzip, response->body, &packed).ok()) {
    response->body = packed.view();
    response->headers.emplace_back("Content-Encoding", "gzip");
  }
}

// A header's value ends at the end of its line.
void AddHeader(std::string_view name, std::string_view value, std::string* out) {
  out->append(name).append(": ").append(value.substr(0, value.find_first_of("\r\n"))).append("\r\n");
}

// Clients expect no body after these, not even an empty one.
bool HasBody(const HttpResponse& response) {
  constexpr int kNoContent = 204;
  constexpr int kNotModified = 304;
  return response.status != kNoContent && response.status != kNotModified;
}

rpc::Buffer Head(const HttpResponse& response, bool keep_alive) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " ";
  head.append(ReasonPhrase(response.status)).append("\r\n");
  if (!response.content_type.empty()) {
    AddHeader("Content-Type", response.content_type, &head);
  }
  if (HasBody(response)) {
    AddHeader("Content-Length", std::to_string(response.body.size()), &head);
  }
  for (const auto& [name, value] : response.headers) {
    AddHeader(name, value, &head);
  }
  AddHeader("Connection", keep_alive ? "keep-alive" : "close", &head);
  head += "\r\n";
  rpc::Buffer out;
  out.Append(head);
  return out;
}

// State of a connection shared by the reading and the answering thread.
class HttpConnection {
 public:
  explicit HttpConnection(HttpService* service) : service_(service) {}

  // True: the caller has to start a task that calls Serve.
  bool Push(Exchange exchange, Channel* channel) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(exchange));
    channel->SetDeadline(0);
    if (waiting_.size() >= kMaxWaiting && channel->StopReading()) {
      stopped_reading_ = true;
    }
    return !std::exchange(served_, true);
  }

  // Gives the client until `deadline_us` to send the rest of a request, unless an answer is due first.
  void ExpectRest(int64_t deadline_us, Channel* channel) {
    const std::lock_guard lock(mutex_);
    if (!served_) {
      channel->SetDeadline(deadline_us);
    }
  }

  bool served() {
    const std::lock_guard lock(mutex_);
    return served_;
  }

  void Serve(Channel* channel) {
    size_t sent_bytes = 0;
    while (std::optional<Exchange> exchange = Next(sent_bytes, channel)) {
      sent_bytes = Answer(&*exchange, channel);
    }
  }

 private:
  std::optional<Exchange> Next(size_t sent_bytes, Channel* channel) {
    const std::lock_guard lock(mutex_);
    if (stopped_reading_ && waiting_.size() < kMaxWaiting) {
      stopped_reading_ = false;
      channel->ReadOn();
    }
    if (waiting_.empty()) {
      served_ = false;
      if (!lingers_) {
        channel->SetDeadline(MonotonicUs() + kIdleUs + TimeFor(sent_bytes));
      }
      return std::nullopt;
    }
    Exchange next = std::move(waiting_.front());
    waiting_.pop_front();
    return next;
  }

  // Returns how many bytes were sent.
  size_t Answer(Exchange* exchange, Channel* channel) {
    const std::string method = exchange->request.method;
    CallMemory memory(service_->memory, channel->memory_share());
    HttpResponse response = Respond(exchange, *channel, &memory);
    rpc::Buffer head = Head(response, exchange->keep_alive);
    rpc::Buffer body;
    if (method != "HEAD" && HasBody(response)) {
      body.Append(response.body);
    }
    const size_t bytes = head.size() + body.size();
    response = {};
    channel->Send(std::move(head), std::move(body), memory.PassOn(bytes));
    if (exchange->refusal != 0) {
      lingers_ = true;
      channel->SetDeadline(MonotonicUs() + kLingerUs);
      channel->LingerWhenSent();
    } else if (!exchange->keep_alive) {
      channel->CloseWhenSent();
    }
    return bytes;
  }

  HttpResponse Respond(Exchange* exchange, const Channel& channel, CallMemory* memory) {
    if (exchange->refusal != 0) {
      return Refusal(exchange->refusal, exchange->reason);
    }
    HttpRequest& request = exchange->request;
    if (const std::string reason = WhyForeign(request, channel.is_loopback()); !reason.empty()) {
      return Refusal(403, reason);
    }
    if (std::optional<HttpResponse> refused = Unpack(service_->limits.body_bytes, memory, &request)) {
      return *std::move(refused);
    }
    if (!exchange->charge.Set(request.body.size(), service_->max_bodies_bytes)) {
      return Refusal(kBusy, kBusyReason);
    }
    if (const Status held = memory->HoldRequest(static_cast<int64_t>(request.body.size())); !held.ok()) {
      return NoMemory(held);
    }
    request.client = channel.Peer();
    request.gone = CancelToken::Asking([of = channel.shared_from_this()] { return of->closed(); });
    if (request.Header("host").empty()) {
      request.headers["host"] = channel.Address();
    }
    const std::string accepted = request.Header("accept-encoding");
    const base::ReadMemoryScope scope(memory);
    HttpResponse response = service_->handler(std::move(request));
    Pack(accepted, &response);
    return response;
  }

  HttpService* const service_;
  bool lingers_ = false;  // of the answering thread

  std::mutex mutex_;
  std::deque<Exchange> waiting_;  // guarded by mutex_
  bool served_ = false;           // a task exists or runs; guarded by mutex_
  bool stopped_reading_ = false;  // guarded by mutex_
};

class AnswerTask final : public Task {
 public:
  // `bytes`: of the request that made it.
  AnswerTask(std::shared_ptr<HttpConnection> connection, std::shared_ptr<Channel> channel, bool urgent, size_t bytes)
      : connection_(std::move(connection)), channel_(std::move(channel)), urgent_(urgent), bytes_(bytes) {}

  void Run() override { connection_->Serve(channel_.get()); }
  bool urgent() const override { return urgent_; }
  size_t bytes() const override { return bytes_; }

 private:
  const std::shared_ptr<HttpConnection> connection_;
  const std::shared_ptr<Channel> channel_;
  const bool urgent_;
  const size_t bytes_;
};

class HttpProtocol final : public Protocol {
 public:
  explicit HttpProtocol(HttpService* service)
      : service_(service),
        connection_(std::make_shared<HttpConnection>(service)),
        parser_(service->limits),
        charge_(&service->bodies_bytes) {}

  std::optional<size_t> OnInput(Input* input, const std::shared_ptr<Channel>& channel,
                                std::vector<TaskPtr>* tasks) override {
    while (!ended_) {
      request_bytes_ += Feed(input);
      opened_ = opened_ || parser_.header_done();
      if (!charge_.Set(parser_.body_bytes(), service_->max_bodies_bytes)) {
        parser_.Refuse(kBusy, kBusyReason);
      }
      if (!parser_.whole() && parser_.refusal() == 0) {
        break;
      }
      Push(channel, tasks);
    }
    if (ended_) {
      input->Skip(input->view().size());  // ignores what follows the last request
      return 1;
    }
    if (parser_.begun()) {
      began_us_ = began_us_ == 0 ? MonotonicUs() : began_us_;
      connection_->ExpectRest(began_us_ + kRequestUs + TimeFor(request_bytes_), channel.get());
    }
    if (parser_.TakeExpectation() && !connection_->served()) {
      rpc::Buffer go_on;
      go_on.Append("HTTP/1.1 100 Continue\r\n\r\n");
      channel->Send(std::move(go_on));
    }
    return input->view().size() + 1;
  }

  bool opened() const override { return opened_; }

 private:
  size_t Feed(Input* input) {
    const size_t fed = parser_.Feed(input->view());
    input->Skip(fed);
    return fed;
  }

  void Push(const std::shared_ptr<Channel>& channel, std::vector<TaskPtr>* tasks) {
    Exchange exchange{.charge = std::exchange(charge_, Charge(&service_->bodies_bytes))};
    if (parser_.whole()) {
      exchange.keep_alive = parser_.keep_alive();
      exchange.request = parser_.Take();
    } else {
      exchange.refusal = parser_.refusal();
      exchange.reason = parser_.reason();
    }
    ended_ = !exchange.keep_alive;
    began_us_ = 0;
    const bool urgent = service_->urgent(exchange.request.target);
    const size_t bytes = std::exchange(request_bytes_, 0);
    if (connection_->Push(std::move(exchange), channel.get())) {
      tasks->push_back(std::make_unique<AnswerTask>(connection_, channel, urgent, bytes));
    }
  }

  HttpService* const service_;
  const std::shared_ptr<HttpConnection> connection_;
  HttpParser parser_;
  Charge charge_;  // of the request that is being read
  bool opened_ = false;
  bool ended_ = false;  // accepts no more requests
  int64_t began_us_ = 0;
  size_t request_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Protocol> NewHttpProtocol(HttpService* service) { return std::make_unique<HttpProtocol>(service); }

}  // namespace klip::net
