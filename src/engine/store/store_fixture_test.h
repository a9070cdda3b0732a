// For tests of the store: a directory per test, a clock that stands still, and rows as text.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "rocksdb/db.h"
#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "engine/layout/cell_key.h"
#include "engine/store/file_loads.h"
#include "engine/store/lock_table.h"
#include "engine/store/peers.h"
#include "engine/store/regions.h"
#include "engine/store/snapshots.h"
#include "engine/store/storage.h"
#include "engine/store/store.h"
#include "engine/store/table_catalog.h"
#include "engine/store/views.h"
#include "klip/bytes.h"

namespace klip::engine {

class StoreTest : public testing::Test {
 protected:
  StoreOptions Options() const {
    StoreOptions options;
    options.path = path_;
    options.clock_ms = [this] { return now_ms_; };
    options.block_cache_bytes = 8 << 20;
    options.memtable_bytes = 8 << 20;
    options.sync_wal = false;
    options.env = env_;
    return options;
  }

  Status TryOpen() {
    store_.reset();
    Expected<std::unique_ptr<Store>> opened = Store::Open(Options());
    if (opened.ok()) {
      store_ = std::move(*opened);
    }
    return opened.status();
  }
  void Open() { ASSERT_EQ(TryOpen().ToString(), "ok"); }

  static TableDescriptor Descriptor(std::string name, std::vector<std::string> families) {
    TableDescriptor table;
    table.name = std::move(name);
    for (std::string& family : families) {
      FamilyDescriptor one;
      one.name = std::move(family);
      table.families.push_back(std::move(one));
    }
    return table;
  }
  void Create(std::string name, std::vector<std::string> families, std::vector<std::string> splits = {}) {
    ASSERT_EQ(
        store_->catalog().CreateTable(Descriptor(std::move(name), std::move(families)), std::move(splits)).ToString(),
        "ok");
  }

  TablePtr View(std::string_view table) {
    Expected<TablePtr> view = store_->views().GetTable(table);
    EXPECT_TRUE(view.ok()) << view.status().ToString();
    return view.ok() ? *view : nullptr;
  }

  Status Put(std::string_view table, std::string_view row, std::string_view value,
             Durability durability = Durability::kSyncWal, std::string_view family = {}) {
    const TablePtr view = View(table);
    WriteSet writes;
    for (const Family& one : view->families) {
      if (family.empty() || one.descriptor.name == family) {
        writes.Add(one, row, "q", 1, CellType::kPut, value);
      }
    }
    return store_->Write(&writes, durability);
  }

  // All cells of the view as "row=value ", families separated by "| ".
  std::string Dump(const TableView& view) {
    std::string out;
    for (size_t i = 0; i < view.families.size(); ++i) {
      out += i > 0 ? "| " : "";
      rocksdb::ReadOptions options;
      options.total_order_seek = true;
      options.ignore_range_deletions = true;
      const std::unique_ptr<rocksdb::Iterator> it = store_->NewIterator(view.families[i], options);
      for (it->SeekToFirst(); it->Valid(); it->Next()) {
        CellKeyView key;
        CellValueView value;
        EXPECT_TRUE(ParseCellKey({it->key().data(), it->key().size()}, &key));
        EXPECT_TRUE(ParseCellValue({it->value().data(), it->value().size()}, &value));
        std::string storage;
        out.append(Unescape(key.escaped_row, &storage)).append("=").append(value.value).append(" ");
      }
      EXPECT_TRUE(it->status().ok()) << it->status().ToString();
    }
    return out;
  }
  std::string Dump(std::string_view table) { return Dump(*View(table)); }

  const TempDirectory temp_;
  const std::string& root_ = temp_.path();
  std::string path_ = root_ + "/store";
  int64_t now_ms_ = 1700000000000;
  rocksdb::Env* env_ = nullptr;
  std::unique_ptr<Store> store_;
};

}  // namespace klip::engine
