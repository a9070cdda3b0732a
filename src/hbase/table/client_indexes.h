// Secondary indexes of tables on a cluster. klip's clients keep them; HBase's servers know nothing of them.
//
// The entries of index I of table T are rows of the table "T.klip_index.I":
//
//   row    key bytes of the fields, then the row of T (rowkey/index_definition.h)
//   e:     one empty cell, at the time by the writer's clock
//
// Family d has one row with the declaration and the state. An index has up to three columns, and may have fields of the row key.
//
// Entries are written ahead: a put writes the entry of its values first, then the row. It reads nothing and removes nothing. A crash can
// therefore leave a dead entry, whose row has another value, but never a row without its entry. Readers check the row.
//
//   put 7 city=bonn     entry "bonn\0" "7", then row 7
//   put 7 city=ulm      entry "ulm\0" "7", then row 7; entry "bonn\0" "7" is dead
//   scan city=bonn      finds entry "bonn\0" "7", reads row 7, and drops it
//   verify and repair   removes entry "bonn\0" "7" unless row 7 still stores a version "bonn", which a delete could make visible again
//
// Several columns. A put that sets only some of the columns does not know the others. Its entry has fewer fields, and lies in a family
// of that kind: e has entries of all columns, e1 of the first only, e13 of the first and the third. Readers look for every kind:
//
//   put 7 city=bonn age=3    e:  "bonn\0" 3 "7"
//   put 7 age=4              e2: 4 "7"
//   scan city=bonn age=4     looks for e: "bonn\0" 4, e1: "bonn\0" and e2: 4, and finds row 7
//
// A column of WHERE is one of the columns, without a field. A put that sets it to another value needs no entry. With WHERE g:on = 1:
//
//   put 7 city=bonn on=0     no entry
//   put 7 on=1               e2: "7"
//   scan city=bonn on=1      looks for e: "bonn\0", e1: "bonn\0" and all of e2, and finds row 7
//
// This finds every row. Take the newest of the puts whose cells are visible: all its cells are visible, so its entry matches, whatever the
// other puts wrote. Three things could break that:
//
//   - Deleting one version brings back an older value below newer ones. Writers refuse such deletes of these columns.
//   - A put with an explicit timestamp may lie below a delete marker that a compaction removes. Each of its cells gets its own entry.
//   - If a server's clock goes back, a put with the server's timestamp may lie there, too. `verify` finds and repairs that.
//
// Older versions. Entries of one column are never removed while the row stores their value, so each stored version has one. An index with
// HISTORY of one column finds every row with such a version. Of several columns it could not. A flush drops versions by the VERSIONS of
// each family, so that a time range may show a combination that no put wrote:
//
//   at 1: a=1 c=1    at 2: a=2 c=2, where a keeps three versions and c keeps one
//   at 3: a=3 c=3    flushed together with 2: c=2 is dropped, c=1 is in an older file
//   up to 2          shows a=2 c=1; there are only entries of 1 1, 2 2 and 3 3
//
// Clients look for indexes when they first use a table, and again every kFreshFor. CreateIndex waits for longer than that before it
// reads the existing rows, so that every client already writes entries by then.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hbase/cluster/cluster.h"
#include "hbase/table/multi_call.h"
#include "rowkey/index_definition.h"

namespace klip::client {

inline constexpr const char* kDeclarationFamily = "d";
inline constexpr const char* kDeclarationRow = "declaration";

constexpr size_t kMostIndexColumns = 3;  // as each subset of them is a family

// Entries that have the values of some of an index's columns.
struct EntryKind {
  rowkey::IndexDefinition definition;  // of these columns, and of all fields of the row key
  std::vector<size_t> columns;         // which ones of the index's: definition.columns has them in this order
  std::string family;
};

struct ClientIndex {
  rowkey::IndexDefinition definition;
  std::vector<EntryKind> kinds;  // kinds[m - 1] has the columns of bit mask m; the last one has all
  bool building = false;
  std::string table;        // of the entries
  std::string built_up_to;  // while it is built: rows up to this one have entries
};

using ClientIndexList = std::shared_ptr<const std::vector<ClientIndex>>;  // by name

// The kinds of entries of an index of a table. Errors: kUnsupported: clients cannot keep such an index.
Expected<std::vector<EntryKind>> KindsOf(const rowkey::IndexDefinition& index, const TableDescriptor& table);

// The values of an index's columns, one for each.
using ColumnValues = std::vector<std::optional<std::string_view>>;

// The key of a row's entry of a kind. nullopt: one of its columns has no value, or one of WHERE has another. Errors:
// kInvalidArgument: a value does not fit its type, or the row the schema.
Expected<std::optional<std::string>> EntryKey(const EntryKind& kind, std::string_view row, const ColumnValues& values);

// The indexes of all tables of a cluster. Thread-safe.
class ClientIndexes {
 public:
  static constexpr std::chrono::milliseconds kFreshFor{10'000};

  // `cluster` outlives it.
  explicit ClientIndexes(Cluster* cluster) : cluster_(cluster) {}

  // The table's indexes, as of at most kFreshFor ago. Errors: those of reading, but only if they are not known from before.
  Expected<ClientIndexList> Of(const std::string& table);
  // The table's indexes now. Errors: those of reading.
  Expected<ClientIndexList> Read(const std::string& table);
  // Whether the index is the declared one and complete, now: it may have been dropped, and created again, since it was read. Errors:
  // those of reading.
  Expected<bool> IsReady(const ClientIndex& index);
  void Forget(const std::string& table);

  // Writes the entries of all puts among the items, including those in RowMutations and CheckAndMutates. Call it before the items are
  // sent. Errors: kInvalidArgument: a value does not fit its index; kUnsupported: an increment or append of an indexed column, or the
  // delete of one version of it where the index has several; those of writing.
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

// Writes entries of one index. Errors: the first.
Status WriteEntries(Cluster* cluster, const ClientIndex& index, std::span<const Put> entries);
// The put of an entry, with the time by this machine's clock, which tells repairs how old it is. It is at least as durable as the
// table's default, even if `durability` is weaker.
Put EntryPut(const EntryKind& kind, std::string key, Durability durability);

}  // namespace klip::client
