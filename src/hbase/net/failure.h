// Failure: why a call did not succeed, and what helps.
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

// What a client does before it tries again.
enum class Recovery : uint8_t {
  kNone,           // nothing helps
  kRetry,          // waits
  kRetryNow,       // waits, unless the server did some of the same actions: it wants the rest at once
  kRelocate,       // looks up where the region is now
  kLeaveServer,    // the same for all regions of this server
  kReopenScanner,  // opens the scanner anew behind the last row
};

struct Failure {
  Status status;
  Recovery recovery = Recovery::kNone;
  std::optional<Address> moved_to;  // of a RegionMovedException

  bool ok() const noexcept { return status.ok(); }
};

// What HBase's client makes of a server's exception: the code of the class, its message without the stack.
Failure FailureOf(const hbase::pb::ExceptionResponse& exception);
// Of one action in a Multi: there is no flag that says whether to try again, the class does.
Failure FailureOf(const hbase::pb::NameBytesPair& exception);
// Of a class and Java's "class: message\n\tat ...".
Failure FailureOf(std::string_view java_class, std::string_view stack_trace, bool do_not_retry);

}  // namespace klip::client
