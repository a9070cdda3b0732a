// Shared by copy, compare, export and import: a table within a store, and the options for copying cells.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "klip/copy.h"

namespace klip::cli {

// "STORE/TABLE": all before the last slash is the store.
struct TablePlace {
  std::string store;
  std::string table;
};
Expected<TablePlace> ParsePlace(const std::string& text);
// An absolute name, the same from every directory.
std::string NameOf(const TablePlace& place);

// "50MB/s" (of 1,000,000), "20000rows/s". Errors: kInvalidArgument.
Status ParseRate(const std::string& text, CopyOptions* options);

// TUNING: how often a job on text saves its progress, which costs a sync. After a kill, work since the last save is
// repeated.
inline constexpr int64_t kNoteEveryUs = 1'000'000;

// Limits of a transfer, and how it resumes after an interruption.
class MoveArguments {
 public:
  void AddTo(Arguments* args);

  // `job`: the operation in one line. The name of the state file is derived from it unless options->state_file is set.
  // Errors: kInvalidArgument.
  Status Apply(const std::string& job, CopyOptions* options) const;

  // The path of the state file for a job of this kind. With --restart, removes an existing one.
  std::string StateFile(std::string_view kind, const std::string& job) const;
  bool names_state() const { return restart_ || !state_.empty(); }
  const std::string& compression() const { return compression_; }
  const std::string& rate() const { return rate_; }

 private:
  std::string rate_;
  std::string compression_;
  std::string state_;
  bool restart_ = false;
};

// The options that select a part of a table.
class PartArguments {
 public:
  void AddTo(Arguments* args);

  // Errors: kInvalidArgument.
  Expected<CopyOptions> Make(const Table& table) const;
  // For the name of a job.
  std::string Text() const;

 private:
  std::string start_;
  std::string stop_;
  std::vector<std::string> families_;
  std::string time_range_;
  int32_t threads_ = 0;
};

// 0: one per core.
int ThreadsOf(int32_t threads);

// Whether `options` name the state of an interrupted run. If so, TellOfState prints that.
bool HasState(const CopyOptions& options);
void TellOfState(const Console& console, const CopyOptions& options);

// Shows the progress of a copy while it exists.
class CopyProgressBar {
 public:
  // Sets options->progress.
  CopyProgressBar(const Console& console, std::string_view label, CopyOptions* options);

 private:
  ProgressBar bar_;
};

// "copied 1,000 rows, 2,000 cells (3 delete markers), 1.2 MB in 1.5 s: 666 rows/s, 800.0 kB/s".
std::string CopyText(std::string_view verb, const CopyCounts& counts, int64_t elapsed_us);

}  // namespace klip::cli
