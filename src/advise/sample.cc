#include "advise/sample.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "filter/rows/key_sample.h"
#include "klip/filter.h"
#include "rowkey/index_definition.h"
#include "rowkey/key_codec.h"
#include "rowkey/schema_parser.h"

namespace klip::advise {
namespace {

std::string NameOf(const RecordSample& records, size_t i) {
  return i < records.lines.size() ? "'" + records.file + "', line " + std::to_string(records.lines[i])
                                  : "record " + std::to_string(i + 1);
}

// Keeps rows by their hash, so that their order does not matter.
class SampleBuilder {
 public:
  SampleBuilder(const RowKeySchema& schema, int64_t max_rows, const ColumnTypes& columns)
      : max_rows_(std::max<int64_t>(1, max_rows)),
        ids_(schema.fields().size()),
        column_ids_(columns.size()),
        sample_{.schema = schema} {
    sample_.fields.resize(schema.fields().size());
    for (const auto& [name, type] : columns) {
      sample_.columns.push_back({.family = name.first, .qualifier = name.second, .stored = {}});
    }
  }

  bool Wants(uint64_t hash) const { return hash <= limit_; }

  // The bytes of each field; those of derived ones are ignored. And the stored value of each column.
  void Add(std::span<const std::string_view> bytes, std::span<const std::optional<std::string_view>> columns,
           uint64_t hash, int64_t written) {
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (!sample_.schema.fields()[i].derived()) {
        AddValue(bytes[i], &ids_[i], &sample_.fields[i]);
      }
    }
    for (size_t i = 0; i < columns.size(); ++i) {
      SampledColumn& column = sample_.columns[i];
      const bool too_long = columns[i].has_value() && columns[i]->size() > SampledColumn::kMaxValueBytes;
      column.too_long = column.too_long || too_long;
      if (columns[i].has_value() && !too_long) {
        AddValue(*columns[i], &column_ids_[i], &column.stored);
      } else {
        column.stored.ids.push_back(SampledColumn::kAbsent);
      }
    }
    sample_.written.push_back(written);
    hashes_.push_back(hash);
    if (static_cast<int64_t>(hashes_.size()) > 2 * max_rows_) {
      Thin();
    }
  }

  Sample Finish(int64_t rows) {
    if (static_cast<int64_t>(hashes_.size()) > max_rows_) {
      Thin();
    }
    sample_.rows = rows;
    return std::move(sample_);
  }

  Sample& sample() { return sample_; }

 private:
  using Ids = std::unordered_map<std::string, uint32_t>;

  static void AddValue(std::string_view value, Ids* ids, FieldValues* values) {
    const auto [at, is_new] = ids->try_emplace(std::string(value), static_cast<uint32_t>(values->values.size()));
    if (is_new) {
      values->values.emplace_back(value);
    }
    values->ids.push_back(at->second);
  }

  std::vector<FieldValues*> AllValues() {
    std::vector<FieldValues*> all;
    for (FieldValues& field : sample_.fields) {
      all.push_back(&field);
    }
    for (SampledColumn& column : sample_.columns) {
      all.push_back(&column.stored);
    }
    return all;
  }

  void Thin() {
    std::vector<uint64_t> sorted = hashes_;
    const auto last = sorted.begin() + static_cast<std::ptrdiff_t>(max_rows_ - 1);
    std::nth_element(sorted.begin(), last, sorted.end());
    limit_ = *last;
    size_t kept = 0;
    const std::vector<FieldValues*> all = AllValues();
    for (size_t row = 0; row < hashes_.size(); ++row) {
      if (hashes_[row] > limit_) {
        continue;
      }
      for (FieldValues* const values : all) {
        if (!values->ids.empty()) {
          values->ids[kept] = values->ids[row];
        }
      }
      sample_.written[kept] = sample_.written[row];
      hashes_[kept++] = hashes_[row];
    }
    for (FieldValues* const values : all) {
      values->ids.resize(std::min(values->ids.size(), kept));
    }
    sample_.written.resize(kept);
    hashes_.resize(kept);
  }

  const int64_t max_rows_;
  uint64_t limit_ = std::numeric_limits<uint64_t>::max();
  std::vector<uint64_t> hashes_;
  std::vector<Ids> ids_;
  std::vector<Ids> column_ids_;
  Sample sample_;
};

// KeyOnlyFilter replaces each value by its length, as four bytes.
int64_t LengthIn(std::string_view value) {
  int64_t length = 0;
  for (const char c : value) {
    length = (length << 8) | static_cast<unsigned char>(c);
  }
  return length;
}

// `keys_only`: values are lengths. Returns the time of the row's last write.
int64_t AddCells(const Result& row, bool keys_only, CellSums* sums) {
  int64_t written = 0;
  int64_t bytes = 0;
  for (const Cell& cell : row) {
    const auto names = static_cast<int64_t>(cell.family.size() + cell.qualifier.size());
    const int64_t length = keys_only ? LengthIn(cell.value) : static_cast<int64_t>(cell.value.size());
    written = std::max(written, cell.timestamp_ms);
    sums->name_bytes += names;
    sums->value_bytes += length;
    bytes += static_cast<int64_t>(cell.row.size()) + names + length;
    const auto column = sums->columns.find({std::string(cell.family), std::string(cell.qualifier)});
    if (column != sums->columns.end()) {
      ++column->second;
    } else if (sums->columns.size() < CellSums::kMaxColumns) {
      sums->columns.emplace(std::pair(std::string(cell.family), std::string(cell.qualifier)), 1);
    }
  }
  sums->cells += static_cast<int64_t>(row.size());
  sums->widest_row_cells = std::max(sums->widest_row_cells, static_cast<int64_t>(row.size()));
  sums->largest_row_bytes = std::max(sums->largest_row_bytes, bytes);
  return written;
}

std::vector<std::optional<std::string_view>> StoredIn(const Result& row, const ColumnTypes& columns) {
  std::vector<std::optional<std::string_view>> stored;
  for (const auto& [name, type] : columns) {
    const Cell* const cell = row.Find(name.first, name.second);
    stored.push_back(cell == nullptr ? std::nullopt : std::optional(cell->value));
  }
  return stored;
}

// The columns of records with values, and how to store their texts.
class RecordColumns {
 public:
  static Expected<RecordColumns> Of(const RecordSample& records, const ColumnTypes& columns) {
    RecordColumns out;
    for (const auto& [name, type] : columns) {
      const auto at = std::ranges::find(records.columns, name.second);
      if (name.first != kRecordFamily || at == records.columns.end()) {
        return Status(Code::kInvalidArgument, "the sample has no column for " + name.first + ":" + name.second);
      }
      KLIP_ASSIGN_OR_RETURN(std::vector<KeyField> fields, rowkey::ParseFields("x:" + (type.empty() ? "text" : type)));
      out.columns_.push_back({.at = static_cast<size_t>(at - records.columns.begin()),
                              .part = {.field = std::move(fields.front()), .column = {}, .key_field = {}}});
    }
    return out;
  }

  // An empty text is a missing value. Errors: kInvalidArgument: a value is not of the type.
  Expected<std::vector<std::optional<std::string>>> StoredIn(const std::vector<std::string>& record) const {
    std::vector<std::optional<std::string>> stored;
    for (const Column& column : columns_) {
      stored.emplace_back();
      if (!record[column.at].empty()) {
        KLIP_ASSIGN_OR_RETURN(const std::string bytes, rowkey::EncodeField(column.part.field, record[column.at]));
        stored.back() = rowkey::StoredValueOf(column.part, bytes);
      }
    }
    return stored;
  }

 private:
  struct Column {
    size_t at = 0;
    rowkey::IndexPart part;
  };
  std::vector<Column> columns_;
};

// The column whose values distinguish most of the records with the same key, if it distinguishes all.
std::string TellingColumn(const RecordSample& records, const std::vector<std::string>& keys,
                          const RowKeySchema& schema) {
  for (size_t column = 0; column < records.columns.size(); ++column) {
    if (schema.FieldIndex(records.columns[column])) {
      continue;
    }
    std::unordered_set<std::string> seen;
    bool tells = true;
    for (size_t i = 0; i < keys.size() && tells; ++i) {
      tells = seen.insert(std::to_string(keys[i].size()) + ":" + keys[i] + records.records[i][column]).second;
    }
    if (tells) {
      return records.columns[column];
    }
  }
  return "";
}

}  // namespace

Expected<Sample> ReadSample(Table* table, const RowKeySchema& schema, int64_t max_rows, const ColumnTypes& columns) {
  SampleBuilder builder(schema, max_rows, columns);
  klip::Scan scan;
  const bool keys_only = columns.empty();
  if (keys_only) {
    scan.filter = KeyOnlyFilter(/*length_as_value=*/true);
  }
  scan.cache_blocks = false;
  KLIP_ASSIGN_OR_RETURN(auto scanner, table->Scan(scan));
  Sample& sample = builder.sample();
  Result row;
  int64_t fitting = 0;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, scanner->Next(&row));
    if (!more) {
      return builder.Finish(fitting);
    }
    ++sample.sampled;
    const int64_t written = AddCells(row, keys_only, &sample.cells);
    const auto parts = rowkey::SplitRow(schema.fields(), row.row());
    if (!parts.ok() || !schema.Validate(row.row()).ok()) {
      ++sample.unfit;
      continue;
    }
    ++fitting;
    sample.key_bytes += static_cast<int64_t>(row.row().size());
    const uint64_t hash = filter::SampleHash(row.row());
    if (builder.Wants(hash)) {
      builder.Add(*parts, StoredIn(row, columns), hash, written);
    }
  }
}

Expected<Sample> SampleOf(const RecordSample& records, const RowKeySchema& schema, const ColumnTypes& asked) {
  KLIP_ASSIGN_OR_RETURN(const RecordColumns value_columns, RecordColumns::Of(records, asked));
  std::vector<std::optional<size_t>> columns;
  for (const KeyField& field : schema.fields()) {
    const auto at = std::find(records.columns.begin(), records.columns.end(), field.name);
    if (at == records.columns.end() && !field.derived()) {
      return Status(Code::kInvalidArgument, "the sample has no column for the key field '" + field.name + "'");
    }
    columns.emplace_back(field.derived() ? std::nullopt : std::optional<size_t>(at - records.columns.begin()));
  }
  SampleBuilder builder(schema, static_cast<int64_t>(records.records.size()), asked);
  Sample& sample = builder.sample();
  std::vector<std::string> keys;
  std::unordered_map<std::string, size_t> first;  // index of the first record with a key
  for (size_t i = 0; i < records.records.size(); ++i) {
    const std::vector<std::string>& record = records.records[i];
    if (record.size() != records.columns.size()) {
      return Status(Code::kInvalidArgument, NameOf(records, i) + " has " + std::to_string(record.size()) +
                                                " values, not " + std::to_string(records.columns.size()));
    }
    std::vector<std::string> values;
    for (const std::optional<size_t>& column : columns) {
      if (column) {
        values.push_back(record[*column]);
      }
    }
    Expected<std::string> key = schema.Encode(values);
    if (!key.ok()) {
      return Status(key.status().code(), NameOf(records, i) + ": " + key.status().message());
    }
    ++sample.sampled;
    keys.push_back(*key);
    if (const auto [at, is_new] = first.try_emplace(*key, i); !is_new) {
      sample.collisions += records.records[at->second] == record ? 0 : 1;
      continue;
    }
    sample.key_bytes += static_cast<int64_t>(key->size());
    KLIP_ASSIGN_OR_RETURN(const auto parts, rowkey::SplitRow(schema.fields(), *key));
    const Expected<std::vector<std::optional<std::string>>> stored = value_columns.StoredIn(record);
    if (!stored.ok()) {
      return Status(stored.status().code(), NameOf(records, i) + ": " + stored.status().message());
    }
    const std::vector<std::optional<std::string_view>> cells(stored->begin(), stored->end());
    builder.Add(parts, cells, filter::SampleHash(*key), static_cast<int64_t>(i));
  }
  if (sample.collisions > 0) {
    sample.telling_column = TellingColumn(records, keys, schema);
  }
  return builder.Finish(static_cast<int64_t>(first.size()));
}

}  // namespace klip::advise
