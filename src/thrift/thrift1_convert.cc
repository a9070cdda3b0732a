#include "thrift/thrift1_convert.h"

#include <algorithm>
#include <array>

#include "base/errors.h"
#include "klip/bytes.h"
#include "thrift/attributes.h"

namespace klip::thrift {
namespace {

// HBase's Compression.Algorithm and BloomType, by the names that clients send.
constexpr std::array<std::string_view, 9> kAlgorithmNames = {"NONE", "GZ",    "SNAPPY", "LZ4",   "LZO",
                                                             "ZSTD", "BZIP2", "LZMA",   "BROTLI"};
constexpr std::array<std::pair<std::string_view, BloomKind>, 4> kBlooms = {
    {{"NONE", BloomKind::kNone},
     {"ROW", BloomKind::kRow},
     {"ROWCOL", BloomKind::kRowCol},
     {"ROWPREFIX_FIXED_LENGTH", BloomKind::kRowPrefixFixedLength}}};

std::string UpperCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

using base::Invalid;

std::string ColumnName(const Cell& cell) {
  std::string name;
  name.reserve(cell.family.size() + 1 + cell.qualifier.size());
  name.append(cell.family);
  name.push_back(':');
  name.append(cell.qualifier);
  return name;
}

thrift1::TCell CellOf(const Cell& cell) {
  thrift1::TCell out;
  out.value.assign(cell.value);
  out.timestamp = cell.timestamp_ms;
  out.__isset.value = out.__isset.timestamp = true;
  return out;
}

}  // namespace

ColumnSpec ParseColumn(std::string_view column) {
  size_t colon = column.find(':');
  if (colon == std::string_view::npos) {
    return {std::string(column)};
  }
  return {std::string(column.substr(0, colon)), std::string(column.substr(colon + 1))};
}

std::vector<ColumnSpec> ParseColumns(const std::vector<std::string>& columns) {
  std::vector<ColumnSpec> out;
  out.reserve(columns.size());
  for (const std::string& column : columns) {
    out.push_back(ParseColumn(column));
  }
  return out;
}

Expected<FamilyDescriptor> FamilyFrom(const thrift1::ColumnDescriptor& column) {
  FamilyDescriptor family;
  std::string compression = UpperCase(column.compression);
  if (std::find(kAlgorithmNames.begin(), kAlgorithmNames.end(), compression) == kAlgorithmNames.end()) {
    return Invalid("Unsupported compression algorithm name: " + column.compression);
  }
  auto bloom = std::find_if(kBlooms.begin(), kBlooms.end(),
                            [&](const auto& entry) { return entry.first == column.bloomFilterType; });
  if (bloom == kBlooms.end()) {
    return Invalid("No enum constant org.apache.hadoop.hbase.regionserver.BloomType." + column.bloomFilterType);
  }
  if (column.name.empty()) {
    return Invalid("column name is empty");
  }
  family.name = ParseColumn(column.name).family;
  family.max_versions = column.maxVersions;
  family.compression = std::move(compression);
  family.in_memory = column.inMemory;
  family.block_cache = column.blockCacheEnabled;
  family.ttl_s = column.timeToLive > 0 ? column.timeToLive : kTtlForever;
  family.bloom = bloom->second;
  return family;
}

thrift1::ColumnDescriptor ColumnDescriptorOf(const FamilyDescriptor& family) {
  thrift1::ColumnDescriptor column;
  column.__set_name(family.name + ":");
  column.__set_maxVersions(family.max_versions);
  column.__set_compression(family.compression);
  column.__set_inMemory(family.in_memory);
  column.__set_blockCacheEnabled(family.block_cache);
  column.__set_timeToLive(family.ttl_s);
  for (const auto& [name, kind] : kBlooms) {
    if (kind == family.bloom) {
      column.__set_bloomFilterType(std::string(name));
    }
  }
  return column;
}

void AppendRow(const Result& result, bool sort_columns, std::vector<thrift1::TRowResult>* rows) {
  if (result.empty()) {
    return;
  }
  thrift1::TRowResult& row = rows->emplace_back();
  row.row.assign(result.row());
  row.__isset.row = true;
  if (sort_columns) {
    row.__isset.sortedColumns = true;
    row.sortedColumns.reserve(result.size());
    for (const Cell& cell : result) {
      thrift1::TColumn& column = row.sortedColumns.emplace_back();
      column.columnName = ColumnName(cell);
      column.cell = CellOf(cell);
      column.__isset.columnName = column.__isset.cell = true;
    }
    return;
  }
  row.__isset.columns = true;
  for (const Cell& cell : result) {  // of several versions the oldest stays, as in HBase
    row.columns.insert_or_assign(ColumnName(cell), CellOf(cell));
  }
}

void AppendCells(const Result& result, std::vector<thrift1::TCell>* cells) {
  cells->reserve(result.size());
  for (const Cell& cell : result) {
    cells->push_back(CellOf(cell));
  }
}

Expected<RowChange> RowChangeFrom(const std::string& row, const std::vector<thrift1::Mutation>& mutations,
                                  int64_t timestamp_ms, const thrift1::Attributes& attributes,
                                  bool families_are_errors) {
  RowChange change;
  change.del.row = change.put.row = row;
  change.put.timestamp_ms = timestamp_ms;
  change.put.ttl_ms = TtlFrom(attributes);
  change.put.attributes = change.del.attributes = OthersFrom(attributes);
  for (const thrift1::Mutation& mutation : mutations) {
    ColumnSpec column = ParseColumn(mutation.column);
    Durability durability = mutation.writeToWAL ? Durability::kSyncWal : Durability::kSkipWal;
    if (mutation.isDelete) {
      change.del.durability = durability;
      if (column.qualifier) {
        change.del.AddColumns(std::move(column.family), *std::move(column.qualifier), timestamp_ms);
      } else {
        change.del.AddFamily(std::move(column.family), timestamp_ms);
      }
      continue;
    }
    change.put.durability = durability;
    if (column.qualifier) {
      change.put.Add(std::move(column.family), *std::move(column.qualifier), mutation.value);
    } else if (families_are_errors) {
      return Invalid("Invalid famAndQf provided.");
    }
  }
  return change;
}

}  // namespace klip::thrift
