// HttpProtocol: a few pages about the server by HTTP/1.1 GET, each answered on a connection of its own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "net/channel.h"

namespace klip::net {

struct HttpPage {
  int status = 200;  // 404: there is no such page
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

// `page` makes the page of a path, e.g. "/metrics". It outlives the protocol.
std::unique_ptr<Protocol> NewHttpProtocol(const std::function<HttpPage(std::string_view path)>* page);

}  // namespace klip::net
