// GetLogEntries: the logs that servers keep in memory, identified by the Java classes of requests.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "proto/HBase.pb.h"
#include "rpc/error.h"

namespace klip::server {

inline bool AsksForLog(const hbase::pb::LogRequest& request, std::string_view request_class) {
  return std::string_view(request.log_class_name()).ends_with(request_class);
}

// The entries of this class's log, as a message of `response_class`.
inline rpc::Error AnswerLog(const hbase::pb::LogRequest& request, std::string_view request_class,
                            std::string_view response_class, std::string log, hbase::pb::LogEntry* response) {
  if (!AsksForLog(request, request_class)) {
    return Status(Code::kDoNotRetry, "Invalid request params: there is no log for " + request.log_class_name());
  }
  const std::string& asked = request.log_class_name();
  response->set_log_class_name(asked.substr(0, asked.size() - request_class.size()).append(response_class));
  response->set_log_message(std::move(log));
  return {};
}

}  // namespace klip::server
