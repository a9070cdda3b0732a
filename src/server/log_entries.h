// GetLogEntries: the logs that servers keep in memory, named by the Java classes of requests. HBase's default is to keep none, and
// klip keeps none.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include "proto/HBase.pb.h"
#include "rpc/error.h"

namespace klip::server {

// The empty answer to the first of the (request, response) that is asked for.
inline rpc::Error AnswerEmptyLog(const hbase::pb::LogRequest& request,
                                 std::initializer_list<std::pair<std::string_view, std::string_view>> logs,
                                 hbase::pb::LogEntry* response) {
  const std::string_view asked = request.log_class_name();
  for (const auto& [request_class, response_class] : logs) {
    if (asked.ends_with(request_class)) {
      response->set_log_class_name(std::string(asked.substr(0, asked.size() - request_class.size())) +
                                   std::string(response_class));
      response->set_log_message("");
      return {};
    }
  }
  return Status(Code::kDoNotRetry, "Invalid request params: there is no log for " + request.log_class_name());
}

}  // namespace klip::server
