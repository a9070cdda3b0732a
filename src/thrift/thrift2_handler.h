// The calls of HBase's second Thrift interface, on klip's public API. Answers are HBase 2.6's.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "klip/connection.h"
#include "thrift/scanners.h"
#include "thrift/server_address.h"
#include "thrift2/THBaseService.h"

namespace klip::thrift {

// Thread-safe. Connection and scanners must outlive it.
class Thrift2Handler : public thrift2::THBaseServiceIf {
 public:
  using Text = const std::string&;
  using TableName = const thrift2::TTableName&;
  using Results = std::vector<thrift2::TResult>;

  Thrift2Handler(Connection* connection, Scanners* scanners) : connection_(connection), scanners_(scanners) {}

  // Known only after the server listens; set before the first call.
  void set_address(ServerAddress address) { address_ = std::move(address); }

  // --- Rows (thrift2_rows.cc) ---
  bool exists(Text table, const thrift2::TGet& get) override;
  void existsAll(std::vector<bool>& found, Text table, const std::vector<thrift2::TGet>& gets) override;
  void get(thrift2::TResult& result, Text table, const thrift2::TGet& get) override;
  void getMultiple(Results& results, Text table, const std::vector<thrift2::TGet>& gets) override;
  void put(Text table, const thrift2::TPut& put) override;
  bool checkAndPut(Text table, Text row, Text family, Text qualifier, Text value, const thrift2::TPut& put) override;
  void putMultiple(Text table, const std::vector<thrift2::TPut>& puts) override;
  void deleteSingle(Text table, const thrift2::TDelete& del) override;
  void deleteMultiple(std::vector<thrift2::TDelete>& none, Text table,
                      const std::vector<thrift2::TDelete>& deletes) override;
  bool checkAndDelete(Text table, Text row, Text family, Text qualifier, Text value,
                      const thrift2::TDelete& del) override;
  void increment(thrift2::TResult& result, Text table, const thrift2::TIncrement& increment) override;
  void append(thrift2::TResult& result, Text table, const thrift2::TAppend& append) override;
  void mutateRow(Text table, const thrift2::TRowMutations& mutations) override;
  bool checkAndMutate(Text table, Text row, Text family, Text qualifier, thrift2::TCompareOperator::type op, Text value,
                      const thrift2::TRowMutations& mutations) override;
  int32_t openScanner(Text table, const thrift2::TScan& scan) override;
  void getScannerRows(Results& results, int32_t id, int32_t count) override;
  void closeScanner(int32_t id) override;
  void getScannerResults(Results& results, Text table, const thrift2::TScan& scan, int32_t count) override;

  // --- Tables, namespaces, the server (thrift2_tables.cc) ---
  void getRegionLocation(thrift2::THRegionLocation& location, Text table, Text row, bool reload) override;
  void getAllRegionLocations(std::vector<thrift2::THRegionLocation>& locations, Text table) override;
  void getTableDescriptor(thrift2::TTableDescriptor& descriptor, TableName table) override;
  void getTableDescriptors(std::vector<thrift2::TTableDescriptor>& descriptors,
                           const std::vector<thrift2::TTableName>& tables) override;
  bool tableExists(TableName table) override;
  void getTableDescriptorsByPattern(std::vector<thrift2::TTableDescriptor>& descriptors, Text regex,
                                    bool system_too) override;
  void getTableDescriptorsByNamespace(std::vector<thrift2::TTableDescriptor>& descriptors, Text name) override;
  void getTableNamesByPattern(std::vector<thrift2::TTableName>& names, Text regex, bool system_too) override;
  void getTableNamesByNamespace(std::vector<thrift2::TTableName>& names, Text name) override;
  void createTable(const thrift2::TTableDescriptor& table, const std::vector<std::string>& split_keys) override;
  void deleteTable(TableName table) override;
  void truncateTable(TableName table, bool preserve_splits) override;
  void enableTable(TableName table) override;
  void disableTable(TableName table) override;
  bool isTableEnabled(TableName table) override;
  bool isTableDisabled(TableName table) override;
  bool isTableAvailable(TableName table) override;
  void addColumnFamily(TableName table, const thrift2::TColumnFamilyDescriptor& family) override;
  void deleteColumnFamily(TableName table, Text family) override;
  void modifyColumnFamily(TableName table, const thrift2::TColumnFamilyDescriptor& family) override;
  void modifyTable(const thrift2::TTableDescriptor& table) override;
  void createNamespace(const thrift2::TNamespaceDescriptor& descriptor) override;
  void modifyNamespace(const thrift2::TNamespaceDescriptor& descriptor) override;
  void deleteNamespace(Text name) override;
  void getNamespaceDescriptor(thrift2::TNamespaceDescriptor& descriptor, Text name) override;
  void listNamespaceDescriptors(std::vector<thrift2::TNamespaceDescriptor>& descriptors) override;
  void listNamespaces(std::vector<std::string>& names) override;
  thrift2::TThriftServerType::type getThriftServerType() override;
  void getClusterId(std::string& id) override;
  void getSlowLogResponses(std::vector<thrift2::TOnlineLogRecord>& records,
                           const std::set<thrift2::TServerName>& servers,
                           const thrift2::TLogQueryFilter& filter) override;
  void clearSlowLogResponses(std::vector<bool>& cleared, const std::set<thrift2::TServerName>& servers) override;
  bool grant(const thrift2::TAccessControlEntity& info) override;
  bool revoke(const thrift2::TAccessControlEntity& info) override;

 private:
  std::unique_ptr<Table> OpenTable(Text name) const;
  thrift2::THRegionLocation LocationOf(const RegionInfo& region) const;
  std::vector<TableDescriptor> TablesLike(Text regex) const;

  Connection* const connection_;
  Scanners* const scanners_;
  ServerAddress address_;
};

}  // namespace klip::thrift
