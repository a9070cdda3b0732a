// For tests of table/: a store in a temporary directory, a clock that stands still, rows as text.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "klip/bytes.h"
#include "klip/connection.h"

namespace klip::table {

class TableTest : public testing::Test {
 protected:
  explicit TableTest(TempDirectory::Where where = TempDirectory::Where::kDisk) : temp_(where) {
    options_.clock_ms = [this] { return now_ms_.load(); };
    options_.block_cache_bytes = 8 << 20;
    options_.memtable_bytes = 16 << 20;
    options_.sync_wal = false;
    Open();
  }

  void Open() {
    table_.reset();
    connection_.reset();
    Expected<std::unique_ptr<Connection>> opened = Connection::Open("klip:" + root_ + "/store", options_);
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    connection_ = std::move(*opened);
  }

  Admin& admin() { return connection_->admin(); }

  static FamilyDescriptor Family(std::string name, int32_t max_versions = 1) {
    FamilyDescriptor family;
    family.name = std::move(name);
    family.max_versions = max_versions;
    return family;
  }

  // Creates the table and uses it from now on.
  void Create(const std::string& name, std::vector<FamilyDescriptor> families,
              std::map<std::string, std::string> attributes = {}, std::vector<std::string> splits = {}) {
    TableDescriptor descriptor;
    descriptor.name = name;
    descriptor.families = std::move(families);
    descriptor.attributes = std::move(attributes);
    ASSERT_EQ(admin().CreateTable(descriptor, splits).ToString(), "ok");
    Use(name);
  }
  void Use(const std::string& name) {
    table_ = Handle(name);
    ASSERT_NE(table_, nullptr);
  }
  std::unique_ptr<Table> Handle(const std::string& name) {
    Expected<std::unique_ptr<Table>> table = connection_->GetTable(name);
    EXPECT_TRUE(table.ok()) << table.status().ToString();
    return table.ok() ? std::move(*table) : nullptr;
  }

  std::string PutOne(std::string row, std::string column, std::string value, int64_t at_ms = kLatestTimestamp) {
    const size_t colon = column.find(':');
    return table_
        ->Put(
            Put{.row = std::move(row)}.Add(column.substr(0, colon), column.substr(colon + 1), std::move(value), at_ms))
        .ToString();
  }

  // "f:q@5=v f:r@5=w", "" for no cells; or the error. Markers show their type code.
  static std::string Show(const Result& result) {
    std::string out;
    for (const Cell& cell : result) {
      out += out.empty() ? "" : " ";
      out += std::string(cell.family) + ":" + ToStringBinary(cell.qualifier) + "@" + std::to_string(cell.timestamp_ms);
      out += cell.type == CellType::kPut ? "=" + ToStringBinary(cell.value)
                                         : "!" + std::to_string(static_cast<int>(cell.type));
    }
    return out;
  }
  static std::string Show(const Expected<Result>& result) {
    return result.ok() ? Show(*result) : result.status().ToString();
  }
  std::string GetText(const Get& get) { return Show(table_->Get(get)); }
  std::string GetText(std::string row, int32_t versions = 1) {
    return GetText(Get{.row = std::move(row), .max_versions = versions});
  }

  // "row{cells} row{cells}", with "+" after a piece of a row that continues; or the error.
  static std::string ScanText(Table& table, const Scan& scan) {
    Expected<std::unique_ptr<ResultScanner>> scanner = table.Scan(scan);
    if (!scanner.ok()) {
      return scanner.status().ToString();
    }
    std::string out;
    Result row;
    while (true) {
      const Expected<bool> more = (*scanner)->Next(&row);
      if (!more.ok()) {
        return out + more.status().ToString();
      }
      if (!*more) {
        return out;
      }
      out += (out.empty() ? "" : " ") + ToStringBinary(row.row()) + "{" + Show(row) + "}";
      out += row.has_more_cells_in_row() ? "+" : "";
    }
  }
  std::string ScanText(const Scan& scan) { return ScanText(*table_, scan); }

  // The rows of the scan, separated by blanks; or the error.
  static std::string RowsText(Table& table, const Scan& scan) {
    Expected<std::unique_ptr<ResultScanner>> scanner = table.Scan(scan);
    if (!scanner.ok()) {
      return scanner.status().ToString();
    }
    std::string out;
    Result row;
    while (true) {
      const Expected<bool> more = (*scanner)->Next(&row);
      if (!more.ok()) {
        return out + more.status().ToString();
      }
      if (!*more) {
        return out;
      }
      out += (out.empty() ? "" : " ") + ToStringBinary(row.row());
    }
  }
  std::string RowsText(const Scan& scan) { return RowsText(*table_, scan); }

  static std::string Number(int64_t value) { return BigEndian(value); }

  const TempDirectory temp_;
  const std::string& root_ = temp_.path();
  std::atomic<int64_t> now_ms_{1000000};
  ConnectionOptions options_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Table> table_;
};

}  // namespace klip::table
