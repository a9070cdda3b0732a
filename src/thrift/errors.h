// Converts klip's errors to Thrift's exceptions, which are thrown only in this folder and caught by generated code.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "klip/status.h"

namespace klip::thrift {

// "org.apache.hadoop.hbase.TableNotFoundException: t": the first line of HBase's stack trace, in which clients search for
// a class name.
std::string ErrorText(const Status& status);

// Whether HBase allows a retry: unless the exception is a DoNotRetryIOException.
bool CanRetry(const Status& status);

// For a bad argument, if the call declares no exception for it, HBase throws an unchecked one; clients see
// TApplicationException.
struct BadArgument : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws `status` as an exception of the client's service. A call that does not declare the second one passes BadArgument
// instead.
template <typename IoError, typename IllegalArgument>
void ThrowUnlessOk(const Status& status) {
  if (status.ok()) {
    return;
  }
  if (status.code() == Code::kInvalidArgument) {
    if constexpr (std::is_same_v<IllegalArgument, BadArgument>) {
      throw BadArgument(ErrorText(status));
    } else {
      IllegalArgument error;
      error.__set_message(ErrorText(status));
      throw error;
    }
  }
  IoError error;
  error.__set_message(ErrorText(status));
  error.__set_canRetry(CanRetry(status));
  throw error;
}

}  // namespace klip::thrift
