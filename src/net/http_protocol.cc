#include "net/http_protocol.h"

#include <utility>

namespace klip::net {
namespace {

constexpr size_t kMaxRequestBytes = 8 << 10;  // of the request line and headers

std::string_view ReasonOf(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 503:
      return "Service Unavailable";
    default:
      return "Bad Request";
  }
}

HttpPage Refusal(int status) { return {.status = status, .body = std::string(ReasonOf(status)) + "\n"}; }

class PageTask final : public Task {
 public:
  PageTask(std::shared_ptr<Channel> channel, const std::function<HttpPage(std::string_view)>* page, std::string request)
      : channel_(std::move(channel)), page_(page), request_(std::move(request)) {}

  void Run() override {
    const std::string_view line = std::string_view(request_).substr(0, request_.find("\r\n"));
    const size_t space = line.find(' ');
    const size_t end = line.find(' ', space + 1);
    const std::string_view method = line.substr(0, space);
    HttpPage page;
    if (space == std::string_view::npos || end == std::string_view::npos || !line.substr(end).starts_with(" HTTP/1.")) {
      page = Refusal(400);
    } else if (method != "GET" && method != "HEAD") {
      page = Refusal(405);
    } else {
      const std::string_view target = line.substr(space + 1, end - space - 1);
      page = (*page_)(target.substr(0, target.find('?')));
    }
    rpc::Buffer answer;
    answer.Append("HTTP/1.1 " + std::to_string(page.status) + " " + std::string(ReasonOf(page.status)) +
                  "\r\nContent-Type: " + page.content_type + "\r\nContent-Length: " + std::to_string(page.body.size()) +
                  "\r\nConnection: close\r\n\r\n");
    if (method != "HEAD") {
      answer.Append(page.body);
    }
    channel_->Send(std::move(answer));
    channel_->CloseWhenSent();
  }

 private:
  const std::shared_ptr<Channel> channel_;
  const std::function<HttpPage(std::string_view)>* const page_;
  const std::string request_;
};

class HttpProtocol final : public Protocol {
 public:
  explicit HttpProtocol(const std::function<HttpPage(std::string_view)>* page) : page_(page) {}

  std::optional<size_t> OnInput(Input* input, const std::shared_ptr<Channel>& channel,
                                std::vector<TaskPtr>* tasks) override {
    const std::string_view bytes = input->view();
    const size_t end = bytes.find("\r\n\r\n");
    if (end == std::string_view::npos && bytes.size() < kMaxRequestBytes) {
      return bytes.size() + 1;
    }
    if (!asked_) {
      asked_ = true;
      const bool whole = end != std::string_view::npos && end < kMaxRequestBytes;
      tasks->push_back(std::make_unique<PageTask>(channel, page_, whole ? std::string(bytes.substr(0, end + 2)) : ""));
    }
    input->Skip(input->view().size());  // one request is answered, what follows it is not
    return 1;
  }

 private:
  const std::function<HttpPage(std::string_view)>* const page_;
  bool asked_ = false;
};

}  // namespace

std::unique_ptr<Protocol> NewHttpProtocol(const std::function<HttpPage(std::string_view path)>* page) {
  return std::make_unique<HttpProtocol>(page);
}

}  // namespace klip::net
