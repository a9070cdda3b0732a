#include "engine/store/log_tail.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "rocksdb/db.h"

#include "engine/log/kept_logs.h"
#include "engine/log/log_cells.h"

namespace klip::engine {

Expected<std::unique_ptr<LogReader>> LogTail::OpenReader(uint64_t log) const {
  const StoreOptions& options = store_->options();
  KLIP_ASSIGN_OR_RETURN(auto file, OpenLog(options.env, options.path, log));
  if (file == nullptr) {
    return std::unique_ptr<LogReader>();
  }
  return std::make_unique<LogReader>(std::move(file), "log " + std::to_string(log) + " of " + options.path);
}

Expected<bool> LogTail::OpenFile() {
  const StoreOptions& options = store_->options();
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const std::vector<uint64_t> logs, LogNumbers(options.env, options.path));
    const auto at = std::lower_bound(logs.begin(), logs.end(), position_.log);
    if (at == logs.end()) {
      return false;
    }
    if (*at != position_.log) {
      skipped_logs_ = skipped_logs_ || position_.log != 0;
      position_ = {*at, 0};
      skip_through_ = 0;
    }
    files_ = static_cast<size_t>(logs.end() - at);
    KLIP_ASSIGN_OR_RETURN(reader_, OpenReader(*at));
    if (reader_ != nullptr) {
      return true;
    }
  }
}

Expected<uint64_t> LogTail::NextLog() {
  const StoreOptions& options = store_->options();
  KLIP_ASSIGN_OR_RETURN(const std::vector<uint64_t> logs, LogNumbers(options.env, options.path));
  const auto above = std::upper_bound(logs.begin(), logs.end(), position_.log);
  files_ = static_cast<size_t>(logs.end() - above) + 1;
  return above == logs.end() ? 0 : *above;
}

Expected<uint64_t> LogTail::FirstSequence(uint64_t from_log) const {
  const StoreOptions& options = store_->options();
  KLIP_ASSIGN_OR_RETURN(const std::vector<uint64_t> logs, LogNumbers(options.env, options.path));
  for (auto log = std::lower_bound(logs.begin(), logs.end(), from_log); log != logs.end(); ++log) {
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<LogReader> reader, OpenReader(*log));
    std::string record;
    while (reader != nullptr) {
      KLIP_ASSIGN_OR_RETURN(const bool more, reader->Next(&record));
      LogRecordHead head;
      if (!more || !ReadLogRecordHead(record, &head)) {
        break;
      }
      if (head.count > 0) {
        return head.sequence;
      }
    }
  }
  return 0;
}

Status LogTail::CheckEnd() const {
  KLIP_ASSIGN_OR_RETURN(const bool whole, reader_->IsAtEnd());
  return whole
             ? Status::Ok()
             : Status(Code::kCorruption, "log " + std::to_string(position_.log) + " of " + store_->options().path +
                                             ", offset " + std::to_string(reader_->end()) + ": a record is cut short");
}

Expected<bool> LogTail::Next(std::string* record) {
  const uint64_t visible = store_->db()->GetLatestSequenceNumber();
  if (visible == end_at_) {
    return false;
  }
  uint64_t next_log = 0;
  while (true) {
    if (reader_ == nullptr) {
      KLIP_ASSIGN_OR_RETURN(const bool opened, OpenFile());
      if (!opened) {
        return false;
      }
    }
    Expected<bool> more = reader_->Next(record);
    LogRecordHead head;
    if (more.ok() && *more && !ReadLogRecordHead(*record, &head)) {
      reader_->Undo();
      more = Status(Code::kCorruption, "log " + std::to_string(position_.log) + ": a record without a head");
    }
    if (more.ok() && *more) {
      if (head.count > 0 && head.last() > visible) {
        reader_->Undo();
        end_at_ = visible;
        return false;
      }
      if (head.count == 0) {
        continue;
      }
      last_ = head.last();
      if (last_ <= skip_through_) {
        continue;
      }
      position_.sequence = head.last();
      return true;
    }
    // Either the end, or an incomplete record. Records may have arrived in the meantime, so read again once the next file
    // exists.
    if (next_log == 0) {
      KLIP_ASSIGN_OR_RETURN(next_log, NextLog());
      if (next_log == 0) {
        KLIP_RETURN_IF_ERROR(more.status());
        end_at_ = visible;
        return false;
      }
      continue;
    }
    const Status end = more.ok() ? CheckEnd() : more.status();
    if (const uint64_t before = last_ != 0 ? last_ : position_.sequence; !end.ok() && before != 0) {
      // The rule of RocksDB's recovery: if the next file continues where this one became unreadable, nothing is lost;
      // otherwise records were.
      KLIP_ASSIGN_OR_RETURN(const uint64_t next_sequence, FirstSequence(next_log));
      if (next_sequence == 0) {
        end_at_ = visible;
        return false;
      }
      if (next_sequence != before + 1) {
        return end;
      }
    }
    reader_ = nullptr;
    skip_through_ = 0;
    position_ = {std::exchange(next_log, 0), last_};
  }
}

}  // namespace klip::engine
