// Rows as bytes, in memory or in a statement's temporary file, and sorts of any number of them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sql/exec/operator.h"

namespace klip::sql {

// A key, and the bytes of a row's values. Views.
struct StoredRow {
  std::string_view key;
  std::string_view values;
};

// Appends a row's values so that ReadValues gives the very same, where Phoenix's encoding does not: 1.20 stays 1.20.
void AppendValues(std::span<const Vector* const> columns, size_t row, std::string* out);
// Sets a row of columns, which have the types of those that were appended. REQUIRES: bytes of AppendValues.
void ReadValues(std::string_view bytes, std::span<Vector> columns, size_t row);

// Makes it a batch of `rows` rows, all NULL, of these types.
void ResetBatch(const std::vector<DataType>& types, size_t rows, Batch* batch);
std::vector<const Vector*> Pointers(const std::vector<Vector>& columns);

// Rows in the temporary file. Gives the space of those that were not read back at its end.
class Run {
 public:
  Run() = default;
  explicit Run(TemporaryFile* file) : file_(file) {}
  Run(Run&& other) noexcept { *this = std::move(other); }
  Run& operator=(Run&& other) noexcept;
  ~Run();

  int level() const {
    return level_;
  }  // 0: rows from memory; else one more than those of the runs that it was merged from
  void set_level(int level) { level_ = level; }
  uint32_t largest_block() const { return largest_block_; }  // bytes

  // Errors: those of TemporaryFile.
  Status Append(std::string_view block);
  // False at the end.
  Expected<bool> Read(std::string* block);

 private:
  TemporaryFile* file_ = nullptr;
  std::vector<TemporaryFile::Block> blocks_;
  size_t next_ = 0;  // to be read
  uint32_t largest_block_ = 0;
  int level_ = 0;
};

class RunWriter {
 public:
  explicit RunWriter(Execution* execution);

  // Errors, of both: those of TemporaryFile.
  Status Add(const StoredRow& row);
  Expected<Run> Finish();

 private:
  size_t block_bytes_;
  std::string block_;
  Run run_;
};

class RunReader {
 public:
  explicit RunReader(Run run) : run_(std::move(run)) {}

  // Moves to the next row; false at the end. Errors: those of TemporaryFile.
  Expected<bool> Next();
  const StoredRow& row() const { return row_; }  // valid until Next

 private:
  Run run_;
  std::string block_;
  std::string_view rest_;  // of the block
  StoredRow row_;
};

// Reads sorted runs as one; of equal rows, those of earlier runs first.
class RunMerge {
 public:
  // Errors, of both: those of TemporaryFile.
  Status Open(std::vector<Run> runs);
  Status Next();

  bool at_end() const { return heads_.empty(); }
  // Valid until Next. REQUIRES: !at_end().
  const StoredRow& row() const { return readers_[heads_.front().reader].row(); }

 private:
  // A reader's row. `prefix`: the first eight bytes of its key as a number.
  struct Head {
    uint64_t prefix;
    uint32_t reader;
  };

  bool Before(const Head& a, const Head& b) const;
  void SiftDown(size_t at);

  std::vector<RunReader> readers_;
  std::vector<Head> heads_;  // a heap, the first row at its top
};

// Sorts rows by the bytes of their keys; equal ones stay in the order in which they came. While there is memory it holds them there.
// Then it writes them to the temporary file as a sorted run, and continues with an empty list. Calls in this order: Reset, Add..., Finish,
// Next...
class RowSorter {
 public:
  struct Options {
    size_t most = std::numeric_limits<size_t>::max();  // only the first of all rows are wanted, so many
    bool unique = false;                               // of rows with equal keys the first alone is wanted
  };

  void Reset(Execution* execution) { Reset(execution, Options()); }
  void Reset(Execution* execution, Options options);

  // Errors, of all: those of TemporaryFile.
  Status Add(const StoredRow& row);
  // No more rows come; the first one becomes the current.
  Status Finish();
  Status Next();

  bool at_end() const { return at_end_; }
  // The current one. Valid until Next. REQUIRES: !at_end().
  const StoredRow& row() const { return row_; }

  // Takes the next rows, as many as a batch holds or the account's share; none at the end.
  Status Fill(const std::vector<DataType>& types, Batch* out);

 private:
  // A row in memory: its number, and then what is in runs. `prefix`: eight bytes of its key as a number, behind those that all keys begin
  // with; set before they are compared.
  struct Entry {
    uint64_t prefix;
    const char* row;
  };
  // Chooses from rows in their order.
  class Chooser {
   public:
    explicit Chooser(const Options& options) : options_(options) {}
    bool full() const { return taken_ == options_.most; }
    bool Takes(std::string_view key);

   private:
    Options options_;
    size_t taken_ = 0;
    std::string last_;
  };

  static StoredRow RowOf(const Entry& entry);
  static bool Before(const Entry& a, const Entry& b);

  bool Charge();
  Status GrowEntries();
  Status MakeRoom();
  void SetPrefixes();
  void SortEntries();
  void DropLater();
  void Bound(std::string_view key);
  Status WriteRun();
  size_t FanIn() const;
  Status MergeLast(size_t runs);
  Status Skip();
  Status Settle();

  Execution* execution_ = nullptr;
  Options options_;
  std::optional<std::string> bound_;  // rows with this key or a later one are not among the first
  std::string head_;                  // of the row that is being added: its number and sizes

  ReservedArena arena_;
  std::vector<Entry> entries_;
  uint64_t rows_ = 0;  // added so far
  size_t charged_arena_bytes_ = 0;
  Reservation memory_;

  std::vector<Run> runs_;  // in the order in which their rows came
  RunMerge merge_;
  bool merging_ = false;
  size_t next_entry_ = 0;  // if not
  Chooser chooser_{Options()};
  StoredRow row_;
  bool at_end_ = true;
};

}  // namespace klip::sql
