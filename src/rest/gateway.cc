#include "rest/gateway.h"

#include <thread>

#include <httplib.h>
#include <sys/socket.h>

#include "klip/caller.h"
#include "rest/resources.h"
#include "rest/row_spec.h"

namespace klip::rest {
namespace {

std::string Lower(std::string text) {
  for (char& c : text) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  }
  return text;
}

Expected<Request> RequestFrom(const httplib::Request& from, Request::Verb verb, const std::string& own_url) {
  Request request{.verb = verb};
  KLIP_RETURN_IF_ERROR(ParseTarget(from.target, &request));
  for (const auto& [name, value] : from.headers) {
    request.headers.emplace(Lower(name), value);
  }
  request.accept = from.get_header_value("Accept");
  request.content_type = from.get_header_value("Content-Type");
  request.url = own_url;
  if (from.has_header("Host")) {
    request.url.replace(request.url.find("//") + 2, std::string::npos, from.get_header_value("Host"));
  }
  return request;
}

bool HasBody(const httplib::Request& from) {
  return from.has_header("Transfer-Encoding") || from.get_header_value<uint64_t>("Content-Length") > 0;
}

// Before the library acts on it: what its handlers cannot prevent, though the request is not const.
void Tame(httplib::Request* request) {
  // Answers are whole, as HBase's are: it would repeat one for each range that a client names.
  request->ranges.clear();
  // It would parse the parts, and read nothing where it cannot.
  if (request->is_multipart_form_data()) {
    request->headers.erase("Content-Type");
  }
  // It would read such a body only where there is a length, which chunks do not need.
  if (request->method == "DELETE" && request->has_header("Transfer-Encoding")) {
    request->headers.emplace("Content-Length", "0");
  }
  // It would read the one's body without bound, and the other's not at all.
  if (request->method == "PRI" || (request->method == "HEAD" && HasBody(*request))) {
    request->method = "PATCH";
  }
}

// Closes the connection behind the answer: what is left of a body that was not read to its end would be taken for requests, and
// a web page can have written it. The library closes where an answer cannot be finished.
void EndConnection(httplib::Response* to) {
  std::string type = to->get_header_value("Content-Type");
  to->headers.erase("Content-Type");
  to->set_header("Connection", "close");
  auto body = std::make_shared<const std::string>(std::move(to->body));
  to->body.clear();
  to->set_content_provider(type.empty() ? std::string(kText) : type, [body](size_t, httplib::DataSink& sink) {
    sink.write(body->data(), body->size());
    return false;
  });
}

// Reads the body; the status that says why it cannot be, 200 when it can. The library itself bounds only what is sent with its
// length, and before it is unzipped.
int ReadBody(const httplib::Request& from, const httplib::ContentReader& read, std::string* body) {
  if (!from.has_header("Content-Length") && !from.has_header("Transfer-Encoding")) {
    return 200;  // nothing follows, though the library would wait for it
  }
  bool fits = true;
  const bool whole = read([&](const char* bytes, size_t size) {
    fits = fits && body->size() + size <= kMaxBodyBytes;
    if (fits) {
      body->append(bytes, size);
    } else {
      *body = {};
    }
    return true;  // the rest is read and dropped, so that the next request is found
  });
  fits = fits && from.get_header_value<uint64_t>("Content-Length") <= kMaxBodyBytes;  // which the library has not read
  return !fits ? 413 : !whole ? 400 : 200;
}

class HttpGateway : public Gateway {
 public:
  // `http`: not null. `tls`, which it uses, is null for HTTP.
  HttpGateway(Connection* connection, int64_t scanner_idle_ms, std::unique_ptr<base::ServerTls> tls,
              std::unique_ptr<httplib::Server> http)
      : resources_(connection, scanner_idle_ms),
        tls_(std::move(tls)),
        http_(std::move(http)),
        own_url_(tls_ == nullptr ? "http://" : "https://") {
    http_->new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    http_->set_payload_max_length(kMaxBodyBytes);
    http_->set_tcp_nodelay(true);
    http_->set_keep_alive_max_count(kMaxRequestsOfConnection);
    // Without SO_REUSEPORT, which the library sets: a port that is taken is an error.
    http_->set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
    http_->set_pre_routing_handler([](const httplib::Request& from, httplib::Response&) {
      Tame(const_cast<httplib::Request*>(&from));
      return httplib::Server::HandlerResponse::Unhandled;
    });
    http_->Get(".*", [this](const httplib::Request& from, httplib::Response& to) {
      Answer(Request::Verb::kGet, from, {}, &to);
      if (HasBody(from)) {
        EndConnection(&to);
      }
    });
    http_->Put(".*", WithBody(Request::Verb::kPut));
    http_->Post(".*", WithBody(Request::Verb::kPost));
    http_->Delete(".*", WithBody(Request::Verb::kDelete));
    http_->Options(".*", [](const httplib::Request&, httplib::Response& to) { Refuse(&to); });
    http_->Patch(".*", [](const httplib::Request& from, httplib::Response& to, const httplib::ContentReader& read) {
      if (HasBody(from)) {  // a client that still sends might not see the answer
        (void)read([](const char*, size_t) { return true; });
      }
      Refuse(&to);
    });
    http_->set_error_handler([](const httplib::Request&, httplib::Response& to) {
      if (to.body.empty() && to.status >= 400) {  // the library's own refusals
        to.set_content("HTTP " + std::to_string(to.status) + "\r\n", std::string(kText).c_str());
        EndConnection(&to);
      }
    });
    http_->set_exception_handler([](const httplib::Request&, httplib::Response& to, std::exception_ptr) {
      to.status = 500;
      to.set_content("Internal error\r\n", std::string(kText).c_str());
    });
  }
  ~HttpGateway() override { Stop(); }

  Status Listen(const GatewayOptions& options) {
    int port = options.port == 0 ? http_->bind_to_any_port(options.listen.c_str())
               : http_->bind_to_port(options.listen.c_str(), options.port) ? options.port
                                                                           : -1;
    if (port < 0) {
      return Status(Code::kIoError, "cannot listen on " + options.listen + ":" + std::to_string(options.port));
    }
    port_ = static_cast<uint16_t>(port);
    own_url_ += options.listen + ":" + std::to_string(port);
    thread_ = std::thread([this] { http_->listen_after_bind(); });
    while (!http_->is_running()) {  // what was not yet running cannot be stopped
      std::this_thread::yield();
    }
    return Status::Ok();
  }

  uint16_t port() const override { return port_; }

  void Stop() override {
    if (thread_.joinable()) {
      http_->stop();
      thread_.join();
    }
    resources_.DropScanners();
  }

 private:
  static void Send(Response response, httplib::Response* to) {
    to->status = response.status;
    for (const auto& [name, value] : response.headers) {
      to->set_header(name.c_str(), value);
    }
    if (!response.content_type.empty()) {
      to->set_header("Content-Type", response.content_type);
      to->body = std::move(response.body);
    }
  }

  static void Refuse(httplib::Response* to) {
    Send(MethodNotAllowed(kAllVerbs), to);
    EndConnection(to);
  }

  httplib::Server::HandlerWithContentReader WithBody(Request::Verb verb) {
    return [this, verb](const httplib::Request& from, httplib::Response& to, const httplib::ContentReader& read) {
      std::string body;
      const int status = ReadBody(from, read, &body);
      if (status == 200) {
        Answer(verb, from, std::move(body), &to);
        return;
      }
      Send(TextResponse(status, "The body cannot be read: it is too large (64 MB), or not as its headers say"), &to);
      EndConnection(&to);
    };
  }

  void Answer(Request::Verb verb, const httplib::Request& from, std::string body, httplib::Response* to) {
    const Caller caller = {.address = from.remote_addr + ":" + std::to_string(from.remote_port), .door = Door::kRest};
    const CallerScope scope(&caller);
    Expected<Request> request = RequestFrom(from, verb, own_url_);
    if (request.ok()) {
      request->body = std::move(body);
    }
    Send(request.ok() ? resources_.Answer(*request) : ErrorResponse(request.status()), to);
  }

  Resources resources_;
  const std::unique_ptr<base::ServerTls> tls_;
  const std::unique_ptr<httplib::Server> http_;
  uint16_t port_ = 0;
  std::string own_url_;
  std::thread thread_;
};

}  // namespace

Expected<std::unique_ptr<Gateway>> Gateway::Start(Connection* connection, const GatewayOptions& options) {
  const base::TlsFiles& tls = options.tls;
  std::unique_ptr<base::ServerTls> files;
  std::unique_ptr<httplib::Server> http;
  if (tls.certificate.empty()) {
    http = std::make_unique<httplib::Server>();
  } else {
    KLIP_ASSIGN_OR_RETURN(files, base::ServerTls::Load(tls));
    auto secure = std::make_unique<httplib::SSLServer>(tls.certificate.c_str(), tls.key.c_str(),
                                                       tls.ca.empty() ? nullptr : tls.ca.c_str());
    if (!secure->is_valid()) {
      return Status(Code::kInvalidArgument, "TLS cannot be set up with " + tls.certificate);
    }
    files->Govern(secure->ssl_context(), options.log);
    http = std::move(secure);
  }
  auto gateway = std::make_unique<HttpGateway>(connection, options.scanner_idle_ms, std::move(files), std::move(http));
  KLIP_RETURN_IF_ERROR(gateway->Listen(options));
  return std::unique_ptr<Gateway>(std::move(gateway));
}

}  // namespace klip::rest
