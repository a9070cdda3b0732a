// Reads of EmbeddedTable.
#include <string>
#include <utility>

#include "engine/store/storage.h"
#include "klip/bytes.h"
#include "klip/cancel.h"
#include "klip/filter_state.h"
#include "rowkey/leading_fields.h"
#include "table/embedded_table.h"
#include "table/read/read_operation.h"

namespace klip::table {

Expected<Result> EmbeddedTable::Get(const klip::Get& get) {
  KLIP_ASSIGN_OR_RETURN(const ReadOperation read, ReadOperation::Prepare(shared_, slot_.get()));
  Result result;
  KLIP_RETURN_IF_ERROR(read.Get(get, &result));
  return result;
}

Expected<std::vector<Result>> EmbeddedTable::Get(std::span<const klip::Get> gets) {
  KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
  KLIP_ASSIGN_OR_RETURN(const ReadOperation read, ReadOperation::Prepare(shared_, slot_.get()));
  return read.Get(gets);
}

Expected<bool> EmbeddedTable::Exists(const klip::Get& get) {
  klip::Get check = get;
  check.check_existence_only = true;
  KLIP_ASSIGN_OR_RETURN(const Result result, Get(check));
  return result.exists();
}

Expected<std::unique_ptr<ResultScanner>> EmbeddedTable::Scan(const klip::Scan& scan, engine::ScanWatch watch) {
  KLIP_ASSIGN_OR_RETURN(const ReadOperation read, ReadOperation::Prepare(shared_, slot_.get()));
  return read.Scan(scan, std::move(watch));
}

Expected<klip::Explain> EmbeddedTable::Explain(const klip::Scan& scan) {
  KLIP_ASSIGN_OR_RETURN(const ReadOperation read, ReadOperation::Prepare(shared_, slot_.get()));
  return read.Explain(scan);
}

Expected<Result> EmbeddedTable::EdgeRow(bool last) {
  KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
  KLIP_ASSIGN_OR_RETURN(const auto rows, Scan({.reversed = last, .limit_rows = 1}));
  Result row;
  KLIP_RETURN_IF_ERROR(rows->Next(&row).status());
  return row;
}

Expected<Result> EmbeddedTable::FirstRow() { return EdgeRow(/*last=*/false); }
Expected<Result> EmbeddedTable::LastRow() { return EdgeRow(/*last=*/true); }

std::optional<RowKeySchema> EmbeddedTable::row_key_schema() const {
  const Expected<InfoPtr> info = slot_->Current();
  return info.ok() ? (*info)->schema : std::nullopt;
}

Expected<TableStatistics> EmbeddedTable::Statistics() {
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, slot_->Current());
  return StatisticsOf(&shared_->store->storage(), *info);
}

Expected<std::vector<std::string>> EmbeddedTable::SampleKeys() {
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, slot_->Current());
  const filter::SampledKeys sampled = shared_->store->storage().SampleOf(*info->view);
  std::vector<std::string> keys;
  if (sampled.sample != nullptr) {
    for (const filter::KeySample::Row& row : sampled.sample->rows.items) {
      if (sampled.IsLive(row)) {
        keys.push_back(row.bytes);
      }
    }
  }
  return keys;
}

Expected<HeatMap> EmbeddedTable::Heat(const HeatQuery& query) {
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, slot_->Current());
  return info->heat->Read(query);
}

namespace {

// Passes the first cell of the first row of each prefix, then leads past the prefix.
class FirstOfPrefixState final : public filter::FilterState {
 public:
  explicit FirstOfPrefixState(const rowkey::LeadingFields* fields) : fields_(fields) {}

  bool FilterAllRemaining() override { return at_end_; }

  bool FilterRowKey(std::string_view row) override { return !fields_->Cut(row).has_value(); }

  filter::ReturnCode FilterCell(const Cell& cell) override {
    const std::string_view prefix = *fields_->Cut(cell.row);
    if (any_ && prefix == last_) {
      return filter::ReturnCode::kSeekNextUsingHint;
    }
    last_ = prefix;
    any_ = true;
    return filter::ReturnCode::kIncludeAndSeekNextRow;
  }

  bool NextHint(const Cell& /*current*/, filter::CellHint* hint) override {
    *hint = {};
    hint->row = PrefixSuccessor(last_);
    at_end_ = hint->row.empty();
    return !at_end_;
  }

 private:
  const rowkey::LeadingFields* fields_;
  std::string last_;
  bool any_ = false;
  bool at_end_ = false;
};

class FirstOfPrefix final : public Filter {
 public:
  explicit FirstOfPrefix(rowkey::LeadingFields fields) : fields_(std::move(fields)) {}

  std::string_view name() const override { return "FirstOfPrefix"; }
  std::string ToString() const override { return "first row of each key prefix"; }
  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<FirstOfPrefixState>(&fields_);
  }

 private:
  rowkey::LeadingFields fields_;
};

}  // namespace

// Jumps from one value of the leading key fields to the next.
Expected<std::vector<KeyCount>> EmbeddedTable::DistinctKeys(int fields, bool count_rows) {
  KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
  KLIP_ASSIGN_OR_RETURN(const ReadOperation read, ReadOperation::Prepare(shared_, slot_.get()));
  KLIP_ASSIGN_OR_RETURN(const auto leading, rowkey::LeadingFields::Make(read.table().schema, name(), fields));
  const FilterPtr filter = count_rows ? FilterList(ListOperator::kMustPassAll, {FirstKeyOnlyFilter(), KeyOnlyFilter()})
                                      : FilterPtr(std::make_shared<FirstOfPrefix>(leading));
  KLIP_ASSIGN_OR_RETURN(const auto rows, read.Scan({.filter = filter}, nullptr));
  rowkey::KeyCounter counter(&leading, count_rows);
  Result row;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, rows->Next(&row));
    if (!more) {
      return counter.Take();
    }
    counter.Add(row.row());
  }
}

}  // namespace klip::table
