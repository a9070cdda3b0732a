// Failure: why a call failed, and which recovery helps.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hbase/net/address.h"
#include "klip/status.h"

namespace hbase::pb {
class ExceptionResponse;
class NameBytesPair;
}  // namespace hbase::pb

namespace klip::client {

// What a client does before it retries.
enum class Recovery : uint8_t {
  kNone,           // nothing helps
  kRetry,          // waits
  kRetryNow,       // waits, unless the server executed some of the actions: then it expects the rest at once
  kRelocate,       // looks up the region again
  kLeaveServer,    // the same for all regions of this server
  kReopenScanner,  // opens another scanner after the last row
};

struct Failure {
  Status status;
  Recovery recovery = Recovery::kNone;
  std::optional<Address> moved_to;  // of a RegionMovedException

  bool ok() const noexcept { return status.ok(); }
};

// The server's exception as HBase's client interprets it: the code of the class, and its message without the stack trace.
Failure FailureOf(const hbase::pb::ExceptionResponse& exception);
// For one action in a Multi: no flag says whether to retry; the class does.
Failure FailureOf(const hbase::pb::NameBytesPair& exception);
// From a class and Java's "class: message\n\tat ...".
Failure FailureOf(std::string_view java_class, std::string_view stack_trace, bool do_not_retry);

}  // namespace klip::client
