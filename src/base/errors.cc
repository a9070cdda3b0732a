#include "base/errors.h"

#include <array>
#include <cstddef>

namespace klip::base {
namespace {

constexpr std::array kErrors = {
    ErrorInfo{Code::kOk, "Ok", "", false},
    ErrorInfo{Code::kInvalidArgument, "InvalidArgument", "java.lang.IllegalArgumentException", false},
    ErrorInfo{Code::kDoNotRetry, "DoNotRetry", "org.apache.hadoop.hbase.DoNotRetryIOException", false},
    ErrorInfo{Code::kTableNotFound, "TableNotFound", "org.apache.hadoop.hbase.TableNotFoundException", false},
    ErrorInfo{Code::kTableExists, "TableExists", "org.apache.hadoop.hbase.TableExistsException", false},
    ErrorInfo{Code::kTableNotEnabled, "TableNotEnabled", "org.apache.hadoop.hbase.TableNotEnabledException", false},
    ErrorInfo{Code::kTableNotDisabled, "TableNotDisabled", "org.apache.hadoop.hbase.TableNotDisabledException", false},
    ErrorInfo{Code::kNoSuchColumnFamily, "NoSuchColumnFamily",
              "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException", false},
    ErrorInfo{Code::kInvalidFamilyOperation, "InvalidFamilyOperation",
              "org.apache.hadoop.hbase.InvalidFamilyOperationException", false},
    ErrorInfo{Code::kNamespaceNotFound, "NamespaceNotFound", "org.apache.hadoop.hbase.NamespaceNotFoundException",
              false},
    ErrorInfo{Code::kNamespaceExists, "NamespaceExists", "org.apache.hadoop.hbase.NamespaceExistException", false},
    ErrorInfo{Code::kConstraintViolation, "ConstraintViolation",
              "org.apache.hadoop.hbase.constraint.ConstraintException", false},
    ErrorInfo{Code::kSnapshotExists, "SnapshotExists", "org.apache.hadoop.hbase.snapshot.SnapshotExistsException",
              false},
    ErrorInfo{Code::kSnapshotNotFound, "SnapshotNotFound",
              "org.apache.hadoop.hbase.snapshot.SnapshotDoesNotExistException", false},
    ErrorInfo{Code::kWrongRow, "WrongRow", "org.apache.hadoop.hbase.client.WrongRowIOException", false},
    ErrorInfo{Code::kRowTooBig, "RowTooBig", "org.apache.hadoop.hbase.regionserver.RowTooBigException", false},
    ErrorInfo{Code::kIncompatibleFilter, "IncompatibleFilter",
              "org.apache.hadoop.hbase.filter.IncompatibleFilterException", false},
    ErrorInfo{Code::kOperationConflict, "OperationConflict", "java.io.IOException", false},
    ErrorInfo{Code::kRegionTooBusy, "RegionTooBusy", "org.apache.hadoop.hbase.RegionTooBusyException", true},
    ErrorInfo{Code::kNotServingRegion, "NotServingRegion", "org.apache.hadoop.hbase.NotServingRegionException", true},
    ErrorInfo{Code::kUnsupported, "Unsupported", "java.lang.UnsupportedOperationException", false},
    ErrorInfo{Code::kTimedOut, "TimedOut", "org.apache.hadoop.hbase.ipc.CallTimeoutException", true},
    ErrorInfo{Code::kCancelled, "Cancelled", "java.io.InterruptedIOException", false},
    ErrorInfo{Code::kReadOnly, "ReadOnly", "org.apache.hadoop.hbase.regionserver.RegionServerStoppedException", true},
    ErrorInfo{Code::kStoreInUse, "StoreInUse", "java.io.IOException", true},
    ErrorInfo{Code::kNewerFormat, "NewerFormat", "java.io.IOException", false},
    ErrorInfo{Code::kCorruption, "Corruption", "org.apache.hadoop.hbase.io.hfile.CorruptHFileException", false},
    ErrorInfo{Code::kIoError, "IoError", "java.io.IOException", true},
    ErrorInfo{Code::kTransactionConflict, "TransactionConflict", "java.io.IOException", true},
};
static_assert(kErrors.size() == static_cast<size_t>(Code::kTransactionConflict) + 1, "one row per Code, in its order");

}  // namespace

const ErrorInfo& InfoFor(Code code) { return kErrors[static_cast<size_t>(code)]; }

}  // namespace klip::base

namespace klip {

std::string_view CodeName(Code code) { return base::InfoFor(code).name; }

std::string Status::ToString() const {
  if (ok()) {
    return "ok";
  }
  return std::string(CodeName(code_)) + ": " + message_;
}

}  // namespace klip
