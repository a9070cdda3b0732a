// Runs op lines on a store: the table ops of op_language.h on the current table, and ops on the store:
//
//   create T f(VERSIONS=5,TTL=10) g KEY=VALUE ... [splits=a,b]      use T       drop T      disable T   enable T
//   truncate T [preserve]     alter T add|modify f(...)    alter T delete f    alter T set KEY=VALUE ...
//   describe T   list [NS]   exists-table T   enabled T
//   namespace create|drop|show NS    namespace list
//   flush | compact | major [T]      reopen
//   regions [T]   split [KEY]   merge I J ... [force]   run-split-policies   split-keys hex|decimal|uniform N
//   snapshot NAME   snapshots   clone NAME T   restore NAME   delete-snapshot NAME
//   clock MS   advance 5s|500ms
//   load put ROW ... ; put ROW ...   as a bulk load
//   atomic [if T ROW f:q OP VALUE | if ...] then T OP ; T OP ...
//   measure METRIC OP ...            runs the op and prints by how much the metric grew
//   schema TEXT   encode VALUE ...   decode KEY   validate KEY   query TEXT   explain SCAN-OPTIONS
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "klip/connection.h"
#include "klip/row_key.h"

namespace klip::ops {

class StoreSession {
 public:
  // The clock stands at 1000000 ms until an op moves it.
  explicit StoreSession(std::string directory, ConnectionOptions options = {});

  // Runs on what `open` opens; `reopen` calls it again. The clock is its owner's.
  using Open = std::function<Expected<std::unique_ptr<Connection>>()>;
  StoreSession(Open open, std::shared_ptr<std::atomic<int64_t>> clock_ms);

  // What the op prints; errors as text too.
  std::string Run(std::string_view line);

  // Closes and opens the store.
  std::string Reopen();

  bool is_open() const { return connection_ != nullptr; }  // not after a reopen that failed
  Connection& connection() { return *connection_; }        // REQUIRES: is_open()
  Table* table() { return table_.get(); }
  Status UseTable(std::string_view name);
  void set_clock_ms(int64_t clock_ms) { *clock_ms_ = clock_ms; }
  int64_t clock_ms() const { return *clock_ms_; }

 private:
  using Words = std::span<const std::string>;

  void OpenFirst();
  Expected<std::string> RunStoreOp(Words tokens);
  Expected<std::string> RunTableDdl(Words tokens);
  Expected<std::string> RunTableQuery(Words tokens);
  Expected<std::string> RunNamespaceOp(Words tokens);
  Expected<std::string> RunRegionOp(Words tokens);
  Expected<std::string> RunSnapshotOp(Words tokens);
  Expected<std::string> RunSchemaOp(Words tokens, std::string_view line);
  Expected<std::string> RunAtomic(Words tokens);
  Expected<std::string> RunMeasure(Words tokens, std::string_view line);
  Expected<std::string> Alter(Words tokens);
  std::string TableName(Words tokens) const;

  std::shared_ptr<std::atomic<int64_t>> clock_ms_;
  Open open_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Table> table_;
  std::optional<RowKeySchema> schema_;
};

// "f(VERSIONS=5,TTL=10)" laid over `base`.
Expected<FamilyDescriptor> ParseFamily(std::string_view text, FamilyDescriptor base = {});
// Name and every attribute that is not the default.
std::string FormatFamily(const FamilyDescriptor& family);

}  // namespace klip::ops
