// CREATE SEQUENCE: unique numbers. A sequence is a row of the catalog's table, with its statement and a counter of the
// numbers taken, so taking some is one increment.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "klip/connection.h"
#include "sql/syntax/ast.h"

namespace klip::sql {

struct SequenceDefinition {
  int64_t start = 1;
  int64_t increment = 1;
  int64_t min = std::numeric_limits<int64_t>::min();
  int64_t max = std::numeric_limits<int64_t>::max();
  bool cycle = false;
  int64_t cache = 100;  // shown only: Phoenix's clients take that many numbers at a time

  // The number at position `taken`, from 0. Errors: 1212 (42Z12), the maximum or minimum was reached.
  Expected<int64_t> Value(int64_t taken, const TableName& name) const;
  // The first number beyond the end, or the last one if that is no BIGINT.
  int64_t BeyondEnd() const;
};

struct ListedSequence {
  TableName name;
  SequenceDefinition definition;
  int64_t taken = 0;  // how many numbers
};

// The sequences of a session. Not thread-safe. `connection` must outlive it.
class Sequences {
 public:
  // `tenant`: whose sequences they are; empty: those of no tenant.
  Sequences(Connection* connection, const std::string& tenant);

  // Errors: 1200 (42Z00), it exists; 1202 to 1214, inconsistent numbers.
  Status Create(const CreateSequence& statement);
  // Errors: 1201 (42Z01), no such sequence.
  Status Drop(const TableName& name, bool if_exists);

  // Takes `count` numbers; returns the position of the first for Value. Errors: 1201.
  Expected<int64_t> Take(const TableName& name, int64_t count);
  // The same for numbers that must all exist; otherwise it takes none. Errors: 1201; 1212 and 1213, the sequence does not
  // have enough.
  Expected<int64_t> TakeBlock(const TableName& name, int64_t count);
  // Errors: 1201.
  Expected<SequenceDefinition> Find(const TableName& name);

  // All sequences, by name.
  Expected<std::vector<ListedSequence>> List();

  // The last number that this session took. Errors: 1206 (42Z06), it took none.
  Expected<int64_t> Current(const TableName& name) const;
  void SetCurrent(const TableName& name, int64_t value) { current_[ToString(name)] = value; }

 private:
  Expected<Table*> OpenTable();
  std::string RowOf(const TableName& name) const { return prefix_ + ToString(name); }

  Connection* connection_;
  std::string prefix_;  // of the sequences' rows
  std::unique_ptr<Table> table_;
  std::map<std::string, SequenceDefinition> known_;
  std::map<std::string, int64_t> current_;
};

}  // namespace klip::sql
