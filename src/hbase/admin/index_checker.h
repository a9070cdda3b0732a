// Compares an index that clients keep with the rows of its table, and repairs it, while clients read and write.
//
// A row needs an entry of one kind or another with its values; otherwise one is missing. With HISTORY, each stored version needs one.
// Clients write entries ahead of rows, so a row that is read first, and whose entries are then looked for, has one. An entry whose row
// has other values is stale; with HISTORY, one whose row does not store its value. It is removed if it was written more than kDeadAfter
// ago, so that no writer is between entry and row, and if the row no longer stores a version of each of its values: a delete of newer
// versions could bring these back. It is removed up to its timestamp: an entry that is written meanwhile has a later one, and stays.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hbase/table/client_indexes.h"
#include "klip/index.h"
#include "klip/query.h"

namespace klip::client {

// A scan of all stored versions of the index's columns, delete markers of their families among them.
Scan StoredVersionsOf(const ClientIndex& index);

// The values in a row that was read with the index's columns: views of it.
ColumnValues ValuesIn(const Result& row, const ClientIndex& index);

// The index's columns in these rows.
Expected<std::vector<Result>> ReadColumns(Cluster* cluster, const std::string& table, const ClientIndex& index,
                                          const std::vector<std::string>& rows);

class IndexChecker {
 public:
  static constexpr std::chrono::hours kDeadAfter{1};  // longer than any operation's timeout

  // `cluster` and the others outlive it.
  IndexChecker(Cluster* cluster, const std::string& table, const ClientIndex& index, bool repair,
               std::chrono::milliseconds dead_after = kDeadAfter)
      : cluster_(cluster), table_(table), index_(index), repair_(repair), dead_after_(dead_after) {}

  // Errors: those of reading and writing.
  Expected<IndexCheck> Run(const IndexProgress& progress);

 private:
  struct Entry {
    const EntryKind* kind = nullptr;
    std::string key;
    std::string row;
    int64_t timestamp_ms = 0;
  };

  Status CheckRows(const IndexProgress& progress);
  // Adds Gets of the entries that rows need: of one of each kind, for each set of values.
  Status AddNewest(const std::vector<std::string>& rows, std::vector<Get>* looks);
  bool AddVersions(const Result& row, std::vector<Get>* looks) const;  // false: the row stores no values
  void AddNeeded(std::string_view row, const ColumnValues& values, std::vector<Get>* looks) const;
  Status LookFor(const std::vector<Get>& looks);
  Status CheckEntries(const EntryKind& kind);
  Status CheckEntryGroup(const std::vector<Entry>& entries);
  Expected<std::vector<Entry>> WithOtherValues(const std::vector<Entry>& entries);
  // The stored cells of the index's columns in the rows of these entries, whatever hides them, by row.
  Expected<std::map<std::string, Result>> ReadStored(const std::vector<Entry>& entries);
  bool has_history() const { return index_.definition.descriptor.history; }
  void Note(std::string_view kind, std::string_view key, int64_t count);

  Cluster* const cluster_;
  const std::string& table_;
  const ClientIndex& index_;
  const bool repair_;
  const std::chrono::milliseconds dead_after_;
  IndexCheck check_;
};

}  // namespace klip::client
