#include "engine/layout/rocksdb_status.h"

#include <string>

#include "rocksdb/status.h"

namespace klip::engine {
namespace {

Code CodeOf(const rocksdb::Status& status) {
  switch (status.code()) {
    case rocksdb::Status::kCorruption:
      return Code::kCorruption;
    case rocksdb::Status::kInvalidArgument:
      return Code::kInvalidArgument;
    case rocksdb::Status::kNotSupported:
      return Code::kUnsupported;
    case rocksdb::Status::kShutdownInProgress:
      return Code::kCancelled;
    case rocksdb::Status::kTimedOut:
      return Code::kTimedOut;
    default:
      return Code::kIoError;
  }
}

}  // namespace

bool IsDiskFull(const rocksdb::Status& status) {
  return status.IsNoSpace() || IsAbandonedLog(status) ||
         (status.IsIOError() && status.ToString().find("No space left") != std::string::npos);
}

bool IsAbandonedLog(const rocksdb::Status& status) {
  return status.IsIOError() && status.ToString().find("Seen error. Skip writing buffer") != std::string::npos;
}

Status FromRocks(const rocksdb::Status& status, std::string_view doing) {
  if (status.ok()) {
    return Status::Ok();
  }
  std::string text(doing);
  text += ": ";
  if (IsDiskFull(status)) {
    text += "no space left on the device: ";
  }
  text += status.ToString();
  return {CodeOf(status), std::move(text)};
}

}  // namespace klip::engine
