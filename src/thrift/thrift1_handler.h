// The calls of HBase's first Thrift interface. Each is a few lines over klip's public API; the answers, including
// oddities, are HBase 2.6's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "klip/connection.h"
#include "thrift/scanners.h"
#include "thrift/server_address.h"
#include "thrift1/Hbase.h"

namespace klip::thrift {

// Thread-safe. Connection and scanners must outlive it.
class Thrift1Handler : public thrift1::HbaseIf {
 public:
  using Text = const std::string&;
  using Texts = const std::vector<std::string>&;
  using Attributes = const thrift1::Attributes&;
  using Rows = std::vector<thrift1::TRowResult>;
  using Cells = std::vector<thrift1::TCell>;

  Thrift1Handler(Connection* connection, Scanners* scanners) : connection_(connection), scanners_(scanners) {}

  // Known only after the server listens; set before the first call.
  void set_address(ServerAddress address) { address_ = std::move(address); }

  // --- Tables (thrift1_tables.cc) ---
  void enableTable(Text table) override;
  void disableTable(Text table) override;
  bool isTableEnabled(Text table) override;
  void compact(Text table_or_region) override;
  void majorCompact(Text table_or_region) override;
  void getTableNames(std::vector<std::string>& names) override;
  void getTableNamesWithIsTableEnabled(std::map<std::string, bool>& tables) override;
  void getColumnDescriptors(std::map<std::string, thrift1::ColumnDescriptor>& columns, Text table) override;
  void getTableRegions(std::vector<thrift1::TRegionInfo>& regions, Text table) override;
  void createTable(Text table, const std::vector<thrift1::ColumnDescriptor>& families) override;
  void deleteTable(Text table) override;
  void getRegionInfo(thrift1::TRegionInfo& region, Text meta_row) override;
  thrift1::TThriftServerType::type getThriftServerType() override;
  void getClusterId(std::string& id) override;
  bool grant(const thrift1::TAccessControlEntity& info) override;
  bool revoke(const thrift1::TAccessControlEntity& info) override;

  // --- Reading rows (thrift1_reads.cc). Timestamps are upper bounds, not included ---
  void get(Cells& cells, Text table, Text row, Text column, Attributes) override;
  void getVer(Cells& cells, Text table, Text row, Text column, int32_t versions, Attributes) override;
  void getVerTs(Cells& cells, Text table, Text row, Text column, int64_t timestamp_ms, int32_t versions,
                Attributes) override;
  void getRow(Rows& rows, Text table, Text row, Attributes) override;
  void getRowWithColumns(Rows& rows, Text table, Text row, Texts columns, Attributes) override;
  void getRowTs(Rows& rows, Text table, Text row, int64_t timestamp_ms, Attributes) override;
  void getRowWithColumnsTs(Rows& rows, Text table, Text row, Texts columns, int64_t timestamp_ms, Attributes) override;
  void getRows(Rows& rows, Text table, Texts keys, Attributes) override;
  void getRowsWithColumns(Rows& rows, Text table, Texts keys, Texts columns, Attributes) override;
  void getRowsTs(Rows& rows, Text table, Texts keys, int64_t timestamp_ms, Attributes) override;
  void getRowsWithColumnsTs(Rows& rows, Text table, Texts keys, Texts columns, int64_t timestamp_ms,
                            Attributes) override;

  // --- Writing (thrift1_writes.cc). Several rows: first all puts, then all deletes; atomic per row ---
  void mutateRow(Text table, Text row, const std::vector<thrift1::Mutation>& mutations, Attributes attributes) override;
  void mutateRowTs(Text table, Text row, const std::vector<thrift1::Mutation>& mutations, int64_t timestamp_ms,
                   Attributes attributes) override;
  void mutateRows(Text table, const std::vector<thrift1::BatchMutation>& rows, Attributes attributes) override;
  void mutateRowsTs(Text table, const std::vector<thrift1::BatchMutation>& rows, int64_t timestamp_ms,
                    Attributes attributes) override;
  int64_t atomicIncrement(Text table, Text row, Text column, int64_t amount) override;
  void increment(const thrift1::TIncrement& increment) override;
  void incrementRows(const std::vector<thrift1::TIncrement>& increments) override;
  void append(Cells& cells, const thrift1::TAppend& append) override;
  bool checkAndPut(Text table, Text row, Text column, Text value, const thrift1::Mutation& put,
                   Attributes attributes) override;
  void deleteAll(Text table, Text row, Text column, Attributes attributes) override;
  void deleteAllTs(Text table, Text row, Text column, int64_t timestamp_ms, Attributes attributes) override;
  void deleteAllRow(Text table, Text row, Attributes attributes) override;
  void deleteAllRowTs(Text table, Text row, int64_t timestamp_ms, Attributes attributes) override;

  // --- Scanning (thrift1_scans.cc) ---
  int32_t scannerOpenWithScan(Text table, const thrift1::TScan& scan, Attributes) override;
  int32_t scannerOpen(Text table, Text start_row, Texts columns, Attributes) override;
  int32_t scannerOpenWithStop(Text table, Text start_row, Text stop_row, Texts columns, Attributes) override;
  int32_t scannerOpenWithPrefix(Text table, Text prefix, Texts columns, Attributes) override;
  int32_t scannerOpenTs(Text table, Text start_row, Texts columns, int64_t timestamp_ms, Attributes) override;
  int32_t scannerOpenWithStopTs(Text table, Text start_row, Text stop_row, Texts columns, int64_t timestamp_ms,
                                Attributes) override;
  void scannerGet(Rows& rows, int32_t id) override;
  void scannerGetList(Rows& rows, int32_t id, int32_t count) override;
  void scannerClose(int32_t id) override;

 private:
  std::unique_ptr<Table> OpenTable(Text name) const;
  thrift1::TRegionInfo RegionOf(const RegionInfo& region) const;

  Connection* const connection_;
  Scanners* const scanners_;
  ServerAddress address_;
};

}  // namespace klip::thrift
