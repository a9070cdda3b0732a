#include "thrift/errors.h"

#include "base/errors.h"

namespace klip::thrift {

std::string ErrorText(const Status& status) {
  return std::string(base::InfoFor(status.code()).java_class) + ": " + status.message();
}

bool CanRetry(const Status& status) { return base::InfoFor(status.code()).retryable; }

}  // namespace klip::thrift
