// How klip's errors travel over Thrift: as exceptions, thrown in this folder only and caught by the code that Thrift generates.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "klip/status.h"

namespace klip::thrift {

// "org.apache.hadoop.hbase.TableNotFoundException: t": the first line of the stack trace that HBase sends, which is what
// clients search for a class's name.
std::string ErrorText(const Status& status);

// Whether HBase says that the call may be tried again: unless the exception is a DoNotRetryIOException.
bool CanRetry(const Status& status);

// HBase throws an unchecked exception where an argument is bad and the call declares nothing of the kind; clients see
// TApplicationException.
struct BadArgument : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws what `status` is to a client of the service whose exceptions are these. A call that does not declare the second one
// names BadArgument in its place.
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
