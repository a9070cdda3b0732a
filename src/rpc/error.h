// Error: why a call failed, in the terms of HBase's clients: the name of a Java exception class, and whether to retry.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "klip/status.h"

namespace klip::rpc {

class [[nodiscard]] Error {
 public:
  Error() = default;  // no error
  // Uses src/base/errors.h. Classes that are not IOExceptions, which a client could not create, are named in the text of
  // a DoNotRetryIOException, as HBase does.
  Error(const Status& status);  // NOLINT(google-explicit-constructor): `return status;` reads as intended
  // `short_class` is below org.apache.hadoop.hbase, for example "exceptions.UnknownProtocolException".
  static Error Hbase(std::string_view short_class, std::string message, bool do_not_retry);

  bool ok() const noexcept { return java_class_.empty(); }
  const std::string& java_class() const noexcept { return java_class_; }
  const std::string& message() const noexcept { return message_; }
  bool do_not_retry() const noexcept { return do_not_retry_; }
  // For an HBaseServerException: clients that receive it wait longer (hbase.client.pause.server.overloaded).
  bool server_overloaded() const noexcept {
    return java_class_ == "org.apache.hadoop.hbase.CallQueueTooBigException" ||
           java_class_ == "org.apache.hadoop.hbase.CallDroppedException";
  }

  // "class: message" and a line in the form of a stack trace, which Java shows.
  std::string StackTrace() const;

 private:
  std::string java_class_;
  std::string message_;
  bool do_not_retry_ = false;
};

#define KLIP_RPC_RETURN_IF_ERROR(expr)                              \
  do {                                                              \
    if (::klip::rpc::Error klip_error = (expr); !klip_error.ok()) { \
      return klip_error;                                            \
    }                                                               \
  } while (false)

}  // namespace klip::rpc
