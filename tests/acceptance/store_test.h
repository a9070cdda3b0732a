// A fresh store for an acceptance test.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "klip/connection.h"

namespace klip::acceptance {

// Fails the test when the Status is an error.
#define KLIP_ASSERT_OK(expr)                                           \
  do {                                                                 \
    const ::klip::Status klip_test_status = (expr);                    \
    ASSERT_TRUE(klip_test_status.ok()) << klip_test_status.ToString(); \
  } while (false)

class StoreTest : public testing::Test {
 protected:
  void SetUp() override {
    options_.sync_wal = false;
    Open();
  }

  void Open() {
    connection_.reset();
    Expected<std::unique_ptr<Connection>> opened = Connection::Open("klip:" + directory_.path(), options_);
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    connection_ = *std::move(opened);
  }

  std::unique_ptr<Table> Create(TableDescriptor descriptor) {
    const Status status = connection_->admin().CreateTable(descriptor);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return Use(descriptor.name);
  }

  std::unique_ptr<Table> Use(const std::string& name) {
    Expected<std::unique_ptr<Table>> table = connection_->GetTable(name);
    EXPECT_TRUE(table.ok()) << table.status().ToString();
    return table.ok() ? *std::move(table) : nullptr;
  }

  // The rows of a scan, and what it cost.
  static std::vector<std::string> Rows(Table& table, const Scan& scan, ScanStatistics* statistics = nullptr) {
    std::vector<std::string> rows;
    Expected<std::unique_ptr<ResultScanner>> scanner = table.Scan(scan);
    EXPECT_TRUE(scanner.ok()) << scanner.status().ToString();
    Result result;
    while (scanner.ok()) {
      Expected<bool> more = (*scanner)->Next(&result);
      EXPECT_TRUE(more.ok()) << more.status().ToString();
      if (!more.ok() || !*more) {
        break;
      }
      rows.emplace_back(result.row());
    }
    if (scanner.ok() && statistics != nullptr) {
      *statistics = (*scanner)->statistics();
    }
    return rows;
  }

  TempDirectory directory_;
  ConnectionOptions options_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace klip::acceptance
