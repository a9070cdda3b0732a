// IndexAdmin on a store of this process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "klip/index.h"
#include "table/info/shared.h"

namespace klip::table {

class EmbeddedIndexAdmin final : public IndexAdmin {
 public:
  explicit EmbeddedIndexAdmin(Shared* shared) : shared_(shared) {}

  Status CreateIndex(std::string_view table, const IndexDescriptor& index, const IndexProgress& progress) override;
  Status RebuildIndex(std::string_view table, std::string_view index, const IndexProgress& progress) override;
  Status SetUsable(std::string_view table, std::string_view index, bool usable) override;
  Status DropIndex(std::string_view table, std::string_view index) override;
  bool kept_by_clients() const override { return false; }
  Expected<std::vector<IndexInfo>> ListIndexes(std::string_view table) override;
  Expected<IndexCheck> VerifyIndex(std::string_view table, std::string_view index, bool repair,
                                   const IndexProgress& progress) override;

  // Removes the entries whose versions are no longer stored from the indexes with HISTORY. Errors: those of reading and
  // writing.
  Status SweepHistory(std::string_view table);

 private:
  Status Declare(std::string_view table, const IndexDescriptor& index);
  Status MarkBuilt(std::string_view table, std::string_view index);

  Shared* const shared_;
};

}  // namespace klip::table
