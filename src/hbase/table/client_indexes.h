// Secondary indexes of tables on a cluster, which klip's clients keep themselves: HBase's servers know nothing of them.
//
// The entries of index I of table T are rows of the table "T.klip_index.I":
//
//   row    key bytes of the fields, then the row of T (rowkey/index_definition.h)
//   e:     one empty cell, at the time by the writer's clock
//
// and its family d has one row with the declaration and the state. An index has one column, and may have fields of the row key.
//
// Entries are written ahead: a put writes the entry of its value, and then the row. It reads nothing and removes nothing. So no entry is
// ever missing, whatever crashes, and some are dead: their rows have another value now. Readers look at the row, too.
//
//   put 7 city=bonn     entry "bonn\0" "7", then row 7
//   put 7 city=ulm      entry "ulm\0" "7", then row 7; entry "bonn\0" "7" is dead
//   scan city=bonn      finds entry "bonn\0" "7", reads row 7, and drops it
//   verify and repair   removes entry "bonn\0" "7", if row 7 has no stored version "bonn" that could come back
//
// Clients learn of an index when they first write to its table, and look again after kFreshFor. Its creator waits longer than that
// before it reads the rows that are there.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hbase/cluster/cluster.h"
#include "hbase/table/multi_call.h"
#include "rowkey/index_definition.h"

namespace klip::client {

inline constexpr std::string_view kIndexTableMark = ".klip_index.";
inline constexpr const char* kEntryFamily = "e";
inline constexpr const char* kDeclarationFamily = "d";
inline constexpr const char* kDeclarationRow = "declaration";

// "T.klip_index.I".
std::string IndexTableOf(std::string_view table, std::string_view index);

struct ClientIndex {
  rowkey::IndexDefinition definition;
  bool building = false;
  std::string table;        // of the entries
  std::string built_up_to;  // while it is built: rows up to this one have entries

  const rowkey::IndexColumn& column() const { return definition.columns.front(); }
};

using ClientIndexList = std::shared_ptr<const std::vector<ClientIndex>>;  // by name

// Appends the entry's key of a stored value. Errors: kInvalidArgument: the value does not fit the type, or the row the schema.
Status AppendEntryKey(const ClientIndex& index, std::string_view row, const std::string& value, std::string* key);

// The indexes of all tables of a cluster. Thread-safe.
class ClientIndexes {
 public:
  static constexpr std::chrono::milliseconds kFreshFor{10'000};

  // `cluster` outlives it.
  explicit ClientIndexes(Cluster* cluster) : cluster_(cluster) {}

  // Those of the table as they were kFreshFor ago, or later. Reads hbase:meta at most so often. Errors: those of reading, of a table
  // that was not asked about before.
  Expected<ClientIndexList> Of(const std::string& table);
  // As they are now.
  Expected<ClientIndexList> Read(const std::string& table);
  void Forget(const std::string& table);

  // Writes the entries of the puts among the items, those in RowMutations and CheckAndMutates as well. To be called before the items
  // are sent. Errors: kInvalidArgument: a value does not fit its index; kUnsupported: an increment or append of the column of
  // an index; those of writing.
  Status WriteAhead(const std::string& table, std::span<const MultiItem> items);

  std::chrono::milliseconds fresh_for() const { return fresh_for_; }
  void SetFreshForTest(std::chrono::milliseconds fresh_for) { fresh_for_ = fresh_for; }

 private:
  struct Known {
    ClientIndexList indexes;
    Clock::time_point read_at;
  };

  Cluster* const cluster_;
  std::chrono::milliseconds fresh_for_ = kFreshFor;
  std::mutex mutex_;
  std::map<std::string, Known> known_;  // guarded by mutex_
};

// Writes entries, all of one index. `durability`: none weaker than the default. Errors: the first.
Status WriteEntries(Cluster* cluster, const ClientIndex& index, std::vector<Put> entries);
// The put of an entry, at the time by this machine's clock: repairs tell by it which entries are old.
Put EntryPut(std::string key, Durability durability);

}  // namespace klip::client
