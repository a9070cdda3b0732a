#include "rpc/error.h"

#include "base/errors.h"

namespace klip::rpc {

Error::Error(const Status& status) {
  if (status.ok()) {
    return;
  }
  const base::ErrorInfo& info = base::InfoFor(status.code());
  java_class_ = info.java_class;
  message_ = status.message();
  do_not_retry_ = !info.retryable;
  if (status.java_class() != nullptr) {
    java_class_ = *status.java_class();
    return;
  }
  if (java_class_.starts_with("java.lang.")) {
    message_ = java_class_ + ": " + message_;
    java_class_ = "org.apache.hadoop.hbase.DoNotRetryIOException";
  }
}

Error Error::Hbase(std::string_view short_class, std::string message, bool do_not_retry) {
  Error error;
  error.java_class_ = "org.apache.hadoop.hbase.";
  error.java_class_ += short_class;
  error.message_ = std::move(message);
  error.do_not_retry_ = do_not_retry;
  return error;
}

std::string Error::StackTrace() const { return java_class_ + ": " + message_ + "\n\tat klip.server\n"; }

}  // namespace klip::rpc
