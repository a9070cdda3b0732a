#include <algorithm>
#include <iterator>
#include <memory>
#include <string>

#include "base/temp_directory_test.h"
#include "fuzz/filled_table.h"
#include "fuzz/targets.h"
#include "klip/connection.h"
#include "rest/resources.h"

namespace klip::fuzz {
namespace {

constexpr int kInputsPerGateway = 300;  // so that what they leave behind does not grow
constexpr size_t kMaxRequests = 6;
constexpr size_t kHeadBytes = 3;

// A store, and the gateway's resources over it.
class Gateway {
 public:
  Gateway() {
    Expected<std::unique_ptr<Connection>> opened =
        Connection::Open("klip:" + temp_.Sub("store"), {.memtable_bytes = 8 << 20, .sync_wal = false});
    Check(opened.ok());
    connection_ = *std::move(opened);
    resources_ = std::make_unique<rest::Resources>(connection_.get());
  }

  Connection* connection() { return connection_.get(); }
  rest::Resources* resources() { return resources_.get(); }

 private:
  const TempDirectory temp_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<rest::Resources> resources_;
};

std::string_view Take(size_t bytes, std::string_view* rest) {
  const std::string_view taken = rest->substr(0, bytes);
  rest->remove_prefix(taken.size());
  return taken;
}

// The path of `location`, without scheme and host: what a client requests next.
std::string TargetOf(const std::string& location) {
  const size_t slash = location.find('/', location.find("//") + 2);
  return slash == std::string::npos ? "" : location.substr(slash + 1);
}

}  // namespace

void FuzzRest(std::string_view bytes) {
  static auto gateway = std::make_unique<Gateway>();
  static int inputs = 0;
  if (++inputs % kInputsPerGateway == 0) {
    gateway = nullptr;
    gateway = std::make_unique<Gateway>();
  }
  FillTable(gateway->connection());

  constexpr std::string_view kKinds[] = {rest::kJson, rest::kXml, rest::kProtobuf, rest::kBinary, rest::kText, ""};
  constexpr rest::Request::Verb kVerbs[] = {rest::Request::Verb::kGet, rest::Request::Verb::kPut,
                                            rest::Request::Verb::kPost, rest::Request::Verb::kDelete};
  std::string location;
  for (size_t i = 0; i < kMaxRequests && bytes.size() > kHeadBytes; ++i) {
    const std::string_view head = Take(kHeadBytes, &bytes);
    const auto kinds = static_cast<uint8_t>(head[1]);
    rest::Request request{.verb = kVerbs[static_cast<uint8_t>(head[0]) % std::size(kVerbs)]};
    request.accept = kKinds[kinds % std::size(kKinds)];
    request.content_type = kKinds[kinds / std::size(kKinds) % std::size(kKinds)];
    request.url = "http://h:1";
    std::string target(Take(std::min(bytes.find('\0'), bytes.size()), &bytes));
    (void)Take(1, &bytes);
    request.body = Take(static_cast<uint8_t>(head[2]) * size_t{4}, &bytes);
    if (target.empty()) {
      target = location;
    }
    if (!rest::ParseTarget(target, &request).ok()) {
      continue;
    }
    const rest::Response response = gateway->resources()->Answer(request);
    Check(response.status >= 200 && response.status < 600 && response.status != 500);
    for (const auto& [name, value] : response.headers) {
      if (name == "Location") {
        location = TargetOf(value);
      }
    }
  }
}

}  // namespace klip::fuzz
