// Definitions for klip/cluster_metrics.h.
#include "klip/cluster_metrics.h"

#include <charconv>
#include <system_error>

#include "klip/bytes.h"

namespace klip {
namespace {

template <typename Number>
bool ParseWhole(std::string_view text, Number* out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Expected<ServerName> ServerName::Parse(std::string_view text) {
  ServerName name;
  const size_t port = text.find(',');
  const size_t start = port == std::string_view::npos ? port : text.find(',', port + 1);
  if (port == 0 || start == std::string_view::npos ||
      !ParseWhole(text.substr(port + 1, start - port - 1), &name.port) ||
      !ParseWhole(text.substr(start + 1), &name.start_code)) {
    return Status(Code::kInvalidArgument, "'" + ToStringBinary(text) + "' is not a server name: host,port,startcode");
  }
  name.host = text.substr(0, port);
  return name;
}

std::string ServerName::ToString() const {
  return host + "," + std::to_string(port) + "," + std::to_string(start_code);
}

std::string_view CompactionStateName(CompactionState state) {
  constexpr std::string_view kNames[] = {"NONE", "MINOR", "MAJOR", "MAJOR_AND_MINOR"};
  return kNames[static_cast<size_t>(state)];
}

std::string_view ServerTaskStateName(ServerTask::State state) {
  constexpr std::string_view kNames[] = {"RUNNING", "WAITING", "COMPLETE", "ABORTED"};
  return kNames[static_cast<size_t>(state)];
}

int64_t ClusterMetrics::region_count() const {
  int64_t count = 0;
  for (const ServerMetrics& server : live_servers) {
    count += static_cast<int64_t>(server.regions.size());
  }
  return count;
}

int64_t ClusterMetrics::request_count() const {
  int64_t count = 0;
  for (const ServerMetrics& server : live_servers) {
    for (const RegionMetrics& region : server.regions) {
      count += region.requests();
    }
  }
  return count;
}

double ClusterMetrics::average_load() const {
  return live_servers.empty() ? 0 : static_cast<double>(region_count()) / static_cast<double>(live_servers.size());
}

}  // namespace klip
