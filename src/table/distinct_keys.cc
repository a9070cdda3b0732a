// Table::DistinctKeys: from one value of the leading key fields to the next by jumps.
#include <optional>
#include <string>
#include <utility>

#include "engine/row_scanner.h"
#include "klip/bytes.h"
#include "klip/filter_state.h"
#include "rowkey/key_parts.h"
#include "table/embedded_table.h"

namespace klip::table {
namespace {

// Cuts row keys behind their first parts.
class PrefixCutter {
 public:
  // `parts` empty: the whole row.
  explicit PrefixCutter(std::vector<rowkey::KeyPart> parts) : parts_(std::move(parts)) {}

  // nullopt for a row that ends before.
  std::optional<std::string_view> Cut(std::string_view row) const {
    size_t end = parts_.empty() ? row.size() : 0;
    for (const rowkey::KeyPart& part : parts_) {
      if (part.width_bytes > 0) {
        end += static_cast<size_t>(part.width_bytes);
      } else {
        const size_t found = part.delimiter.has_value() ? row.find(*part.delimiter, end) : std::string_view::npos;
        end = found == std::string_view::npos ? row.size() + 1 : found + 1;
      }
      if (end > row.size()) {
        return std::nullopt;
      }
    }
    return row.substr(0, end);
  }

  bool whole_row() const { return parts_.empty(); }

 private:
  std::vector<rowkey::KeyPart> parts_;
};

// Passes the first cell of the first row of each prefix, then leads past the prefix.
class FirstOfPrefixState final : public filter::FilterState {
 public:
  explicit FirstOfPrefixState(const PrefixCutter* cutter) : cutter_(cutter) {}

  bool FilterAllRemaining() override { return at_end_; }

  bool FilterRowKey(std::string_view row) override { return !cutter_->Cut(row).has_value(); }

  filter::ReturnCode FilterCell(const Cell& cell) override {
    const std::string_view prefix = *cutter_->Cut(cell.row);
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
  const PrefixCutter* cutter_;
  std::string last_;
  bool any_ = false;
  bool at_end_ = false;
};

class FirstOfPrefix final : public Filter {
 public:
  explicit FirstOfPrefix(PrefixCutter cutter) : cutter_(std::move(cutter)) {}

  std::string_view name() const override { return "FirstOfPrefix"; }
  std::string ToString() const override { return "first row of each key prefix"; }
  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<FirstOfPrefixState>(&cutter_);
  }

 private:
  PrefixCutter cutter_;
};

// The texts of the first `fields` named fields.
Expected<std::vector<std::string>> LeadingValues(const RowKeySchema& schema, std::string_view row, size_t fields) {
  KLIP_ASSIGN_OR_RETURN(std::vector<std::string> all, schema.Decode(row));
  std::vector<std::string> values;
  for (size_t i = 0; i < all.size() && values.size() < fields; ++i) {
    if (schema.fields()[i].type != KeyFieldType::kLiteral) {
      values.push_back(std::move(all[i]));
    }
  }
  return values;
}

Expected<PrefixCutter> CutterFor(const TableInfo& info, int fields) {
  if (!info.schema.has_value()) {
    return Status(Code::kInvalidArgument, "table '" + info.name() + "' has no row-key schema");
  }
  int named = 0;
  for (const KeyField& field : info.schema->fields()) {
    named += field.type == KeyFieldType::kLiteral ? 0 : 1;
  }
  if (fields < 1 || fields > named) {
    return Status(Code::kInvalidArgument, "table '" + info.name() + "' has " + std::to_string(named) +
                                              " key fields: cannot count the values of " + std::to_string(fields));
  }
  std::vector<rowkey::KeyPart> parts = rowkey::KeyParts(*info.schema);
  if (static_cast<size_t>(fields) <= parts.size()) {
    parts.resize(static_cast<size_t>(fields));
    return PrefixCutter(std::move(parts));
  }
  if (fields < named) {
    return Status(Code::kInvalidArgument, "the end of key field " + std::to_string(fields) + " of table '" +
                                              info.name() + "' cannot be told from the key alone");
  }
  return PrefixCutter({});
}

}  // namespace

Expected<std::vector<KeyCount>> EmbeddedTable::DistinctKeys(int fields, bool count_rows) {
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, Readable());
  KLIP_ASSIGN_OR_RETURN(const PrefixCutter cutter, CutterFor(*info, fields));
  engine::RowScanSpec spec;
  spec.max_row_read_bytes = shared_->limits.max_row_read_bytes;
  spec.filter = count_rows ? FilterList(ListOperator::kMustPassAll, {FirstKeyOnlyFilter(), KeyOnlyFilter()})
                           : FilterPtr(std::make_shared<FirstOfPrefix>(cutter));
  KLIP_ASSIGN_OR_RETURN(const auto scanner, engine::RowScanner::Open(store(), info->view, std::move(spec)));
  std::vector<KeyCount> counts;
  std::string last;
  Result row;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, scanner->Next(&row));
    if (!more) {
      return counts;
    }
    const std::optional<std::string_view> prefix = cutter.Cut(row.row());
    if (!prefix.has_value()) {
      continue;  // no key of this schema
    }
    if (counts.empty() || *prefix != last) {
      Expected<std::vector<std::string>> values = LeadingValues(*info->schema, row.row(), static_cast<size_t>(fields));
      if (!values.ok()) {
        continue;
      }
      last = *prefix;
      counts.push_back({*std::move(values), 0});
    }
    counts.back().rows += count_rows ? 1 : 0;
  }
}

}  // namespace klip::table
