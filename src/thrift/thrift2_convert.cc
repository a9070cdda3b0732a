#include "thrift/thrift2_convert.h"

#include <array>
#include <optional>
#include <string_view>

#include "base/errors.h"
#include "base/names.h"
#include "klip/access.h"
#include "klip/bytes.h"
#include "klip/filter.h"
#include "thrift/attributes.h"

namespace klip::thrift {
namespace {

constexpr std::string_view kDurability = "DURABILITY";  // table attribute

constexpr std::array<std::string_view, 5> kDurabilities = {"USE_DEFAULT", "SKIP_WAL", "ASYNC_WAL", "SYNC_WAL",
                                                           "FSYNC_WAL"};
constexpr std::array<std::string_view, 7> kAlgorithmsByNumber = {"LZO", "GZ", "NONE", "SNAPPY", "LZ4", "BZIP2", "ZSTD"};
constexpr std::array<std::pair<thrift2::TDataBlockEncoding::type, std::string_view>, 5> kEncodings = {
    {{thrift2::TDataBlockEncoding::NONE, "NONE"},
     {thrift2::TDataBlockEncoding::PREFIX, "PREFIX"},
     {thrift2::TDataBlockEncoding::DIFF, "DIFF"},
     {thrift2::TDataBlockEncoding::FAST_DIFF, "FAST_DIFF"},
     {thrift2::TDataBlockEncoding::ROW_INDEX_V1, "ROW_INDEX_V1"}}};

using base::Invalid;

Durability DurabilityFrom(thrift2::TDurability::type durability) {
  switch (durability) {
    case thrift2::TDurability::SKIP_WAL:
      return Durability::kSkipWal;
    case thrift2::TDurability::ASYNC_WAL:
      return Durability::kAsyncWal;
    case thrift2::TDurability::SYNC_WAL:
      return Durability::kSyncWal;
    case thrift2::TDurability::FSYNC_WAL:
      return Durability::kFsyncWal;
    case thrift2::TDurability::USE_DEFAULT:
      break;
  }
  return Durability::kUseDefault;
}

std::vector<ColumnSpec> ColumnsFrom(const std::vector<thrift2::TColumn>& columns) {
  std::vector<ColumnSpec> out;
  out.reserve(columns.size());
  for (const thrift2::TColumn& column : columns) {
    out.push_back({column.family});
    if (column.__isset.qualifier) {
      out.back().qualifier = column.qualifier;
    }
  }
  return out;
}

Expected<FilterPtr> FilterFrom(bool has_text, const std::string& text, bool has_bytes) {
  if (has_bytes) {
    return Status(Code::kUnsupported, "filterBytes is not supported: use filterString");
  }
  if (!has_text) {
    return FilterPtr();
  }
  return ParseFilter(text);
}

// Sets a field of klip, or else stores an attribute from a descriptor's map unchanged.
void SetAttribute(FamilyDescriptor* family, bool set, std::string_view name, bool value) {
  if (set) {
    family->attributes[std::string(name)] = value ? "true" : "false";
  }
}
std::optional<std::string> Attribute(const std::map<std::string, std::string>& attributes, std::string_view name) {
  auto found = attributes.find(std::string(name));
  return found == attributes.end() ? std::nullopt : std::optional(found->second);
}

thrift2::TColumnFamilyDescriptor FamilyOf(const FamilyDescriptor& family) {
  thrift2::TColumnFamilyDescriptor out;
  out.name = family.name;
  out.__set_attributes(family.attributes);
  out.__set_configuration(family.configuration);
  out.__set_blockSize(family.block_bytes);
  out.__set_bloomnFilterType(static_cast<thrift2::TBloomFilterType::type>(family.bloom));
  out.__set_compressionType(thrift2::TCompressionAlgorithm::NONE);
  for (size_t i = 0; i < kAlgorithmsByNumber.size(); ++i) {
    if (kAlgorithmsByNumber[i] == family.compression) {
      out.__set_compressionType(static_cast<thrift2::TCompressionAlgorithm::type>(i));
    }
  }
  out.__set_dataBlockEncoding(thrift2::TDataBlockEncoding::NONE);
  for (const auto& [encoding, name] : kEncodings) {
    if (Attribute(family.attributes, "DATA_BLOCK_ENCODING") == name) {
      out.__set_dataBlockEncoding(encoding);
    }
  }
  out.__set_keepDeletedCells(static_cast<thrift2::TKeepDeletedCells::type>(family.keep_deleted_cells));
  out.__set_maxVersions(family.max_versions);
  out.__set_minVersions(family.min_versions);
  out.__set_scope(family.replication_scope);
  out.__set_timeToLive(family.ttl_s);
  out.__set_blockCacheEnabled(family.block_cache);
  out.__set_inMemory(family.in_memory);
  out.__set_cacheBloomsOnWrite(Attribute(family.attributes, "CACHE_BLOOMS_ON_WRITE") == "true");
  out.__set_cacheDataOnWrite(Attribute(family.attributes, "CACHE_DATA_ON_WRITE") == "true");
  out.__set_cacheIndexesOnWrite(Attribute(family.attributes, "CACHE_INDEX_ON_WRITE") == "true");
  out.__set_compressTags(Attribute(family.attributes, "COMPRESS_TAGS") != "false");
  out.__set_evictBlocksOnClose(Attribute(family.attributes, "EVICT_BLOCKS_ON_CLOSE") == "true");
  return out;
}

// Shared by TGet and TScan.
template <typename From, typename Read>
void ReadSettings(const From& from, Read* read) {
  read->attributes = OthersFrom(from.attributes);
  if (from.__isset.authorizations) {
    SetAuthorizations(from.authorizations.labels, &read->attributes);
  }
  if (from.__isset.consistency && from.consistency == thrift2::TConsistency::TIMELINE) {
    read->consistency = Consistency::kTimeline;
  }
  if (from.__isset.targetReplicaId) {
    read->replica_id = from.targetReplicaId;
  }
  if (from.__isset.cacheBlocks) {
    read->cache_blocks = from.cacheBlocks;
  }
}

// For TPut, TIncrement and TAppend.
template <typename From>
OperationAttributes MutationAttributes(const From& from) {
  OperationAttributes attributes = OthersFrom(from.attributes);
  if (from.__isset.cellVisibility) {
    SetCellVisibility(from.cellVisibility.expression, &attributes);
  }
  return attributes;
}

}  // namespace

Expected<Get> GetFrom(const thrift2::TGet& from) {
  Get get{.row = from.row, .columns = ColumnsFrom(from.columns)};
  if (from.__isset.timestamp) {
    get.time_range = TimeRange::At(from.timestamp);
  } else if (from.__isset.timeRange) {
    get.time_range = {from.timeRange.minStamp, from.timeRange.maxStamp};
  }
  if (from.__isset.maxVersions) {
    get.max_versions = from.maxVersions;
  }
  ReadSettings(from, &get);
  if (from.__isset.storeLimit) {
    get.max_results_per_family = from.storeLimit;
  }
  if (from.__isset.storeOffset) {
    get.row_offset_per_family = from.storeOffset;
  }
  get.check_existence_only = from.__isset.existence_only && from.existence_only;
  KLIP_ASSIGN_OR_RETURN(get.filter, FilterFrom(from.__isset.filterString, from.filterString, from.__isset.filterBytes));
  return get;
}

Expected<Scan> ScanFrom(const thrift2::TScan& from) {
  Scan scan{.start_row = from.startRow,
            .stop_row = from.stopRow,
            // HBase interprets equal rows as that single row, not as an empty range.
            .include_stop = !from.startRow.empty() && from.startRow == from.stopRow,
            .columns = ColumnsFrom(from.columns),
            .max_versions = from.maxVersions};
  if (from.__isset.timeRange) {
    scan.time_range = {from.timeRange.minStamp, from.timeRange.maxStamp};
  }
  for (const auto& [family, range] : from.colFamTimeRangeMap) {
    scan.family_time_ranges[family] = {range.minStamp, range.maxStamp};
  }
  if (from.__isset.batchSize) {
    scan.batch = from.batchSize;
  }
  if (from.__isset.limit) {
    scan.limit_rows = from.limit;
  }
  ReadSettings(from, &scan);
  scan.reversed = from.__isset.reversed && from.reversed;
  KLIP_ASSIGN_OR_RETURN(scan.filter,
                        FilterFrom(from.__isset.filterString, from.filterString, from.__isset.filterBytes));
  return scan;
}

Put PutFrom(const thrift2::TPut& from) {
  Put put{.row = from.row,
          .ttl_ms = TtlFrom(from.attributes),
          .durability = DurabilityFrom(from.durability),
          .attributes = MutationAttributes(from)};
  if (from.__isset.timestamp) {
    put.timestamp_ms = from.timestamp;
  }
  for (const thrift2::TColumnValue& column : from.columnValues) {
    put.Add(column.family, column.qualifier, column.value,
            column.__isset.timestamp ? column.timestamp : kLatestTimestamp);
  }
  return put;
}

Expected<Delete> DeleteFrom(const thrift2::TDelete& from) {
  Delete del{.row = from.row, .durability = DurabilityFrom(from.durability), .attributes = OthersFrom(from.attributes)};
  if (!from.__isset.columns) {
    del.timestamp_ms = from.__isset.timestamp ? from.timestamp : kLatestTimestamp;
    return del;
  }
  for (const thrift2::TColumn& column : from.columns) {
    int64_t at_ms = column.__isset.timestamp ? column.timestamp : kLatestTimestamp;
    switch (from.deleteType) {
      case thrift2::TDeleteType::DELETE_COLUMN:
        del.AddColumn(column.family, column.qualifier, at_ms);
        break;
      case thrift2::TDeleteType::DELETE_COLUMNS:
        del.AddColumns(column.family, column.qualifier, at_ms);
        break;
      case thrift2::TDeleteType::DELETE_FAMILY:
        del.AddFamily(column.family, at_ms);
        break;
      case thrift2::TDeleteType::DELETE_FAMILY_VERSION:
        if (!column.__isset.timestamp) {
          return Invalid("Timestamp is required for TDelete with DeleteFamilyVersion type");
        }
        del.AddFamilyVersion(column.family, at_ms);
        break;
      default:
        return Invalid("DeleteType is required for TDelete");
    }
  }
  return del;
}

Increment IncrementFrom(const thrift2::TIncrement& from) {
  Increment increment{.row = from.row,
                      .ttl_ms = TtlFrom(from.attributes),
                      .return_results = !from.__isset.returnResults || from.returnResults,
                      .durability = DurabilityFrom(from.durability),
                      .attributes = MutationAttributes(from)};
  for (const thrift2::TColumnIncrement& column : from.columns) {
    increment.Add(column.family, column.qualifier, column.amount);
  }
  return increment;
}

Append AppendFrom(const thrift2::TAppend& from) {
  Append append{.row = from.row,
                .ttl_ms = TtlFrom(from.attributes),
                .return_results = !from.__isset.returnResults || from.returnResults,
                .durability = DurabilityFrom(from.durability),
                .attributes = MutationAttributes(from)};
  for (const thrift2::TColumnValue& column : from.columns) {
    append.Add(column.family, column.qualifier, column.value);
  }
  return append;
}

Expected<RowMutations> RowMutationsFrom(const thrift2::TRowMutations& from) {
  RowMutations mutations{.row = from.row};
  for (const thrift2::TMutation& mutation : from.mutations) {
    if (mutation.__isset.put) {
      mutations.mutations.push_back(PutFrom(mutation.put));
    } else if (mutation.__isset.deleteSingle) {
      KLIP_ASSIGN_OR_RETURN(Delete del, DeleteFrom(mutation.deleteSingle));
      mutations.mutations.push_back(std::move(del));
    } else {
      return Invalid("a TMutation must contain a put or a deleteSingle");
    }
  }
  return mutations;
}

CompareOp CompareOpFrom(thrift2::TCompareOperator::type op) {
  switch (op) {
    case thrift2::TCompareOperator::LESS:
      return CompareOp::kLess;
    case thrift2::TCompareOperator::LESS_OR_EQUAL:
      return CompareOp::kLessOrEqual;
    case thrift2::TCompareOperator::EQUAL:
      return CompareOp::kEqual;
    case thrift2::TCompareOperator::NOT_EQUAL:
      return CompareOp::kNotEqual;
    case thrift2::TCompareOperator::GREATER_OR_EQUAL:
      return CompareOp::kGreaterOrEqual;
    case thrift2::TCompareOperator::GREATER:
      return CompareOp::kGreater;
    case thrift2::TCompareOperator::NO_OP:
      break;
  }
  return CompareOp::kNoOp;
}

thrift2::TResult ResultOf(const Result& result) {
  thrift2::TResult out;
  if (!result.empty()) {
    out.__set_row(std::string(result.row()));
  }
  out.columnValues.reserve(result.size());
  for (const Cell& cell : result) {
    thrift2::TColumnValue& column = out.columnValues.emplace_back();
    column.family.assign(cell.family);
    column.qualifier.assign(cell.qualifier);
    column.value.assign(cell.value);
    column.__set_timestamp(cell.timestamp_ms);
    column.__set_type(static_cast<int8_t>(cell.type));
    if (!cell.tags.empty()) {
      column.__set_tags(std::string(cell.tags));
    }
  }
  out.__set_stale(result.stale());
  out.__set_partial(result.has_more_cells_in_row());
  return out;
}

std::string NameFrom(const thrift2::TTableName& name) {
  return name.ns.empty() || name.ns == kDefaultNamespace ? name.qualifier : name.ns + ":" + name.qualifier;
}

thrift2::TTableName TableNameOf(const std::string& name) {
  thrift2::TTableName out;
  out.__set_ns(std::string(klip::NamespaceOf(name)));
  out.qualifier = name.substr(name.find(':') + 1);  // the whole name if it has no colon
  return out;
}

FamilyDescriptor FamilyFrom(const thrift2::TColumnFamilyDescriptor& from) {
  FamilyDescriptor family{.name = from.name};
  family.attributes = from.attributes;
  family.configuration = from.configuration;
  const auto& set = from.__isset;
  family.block_bytes = set.blockSize ? from.blockSize : family.block_bytes;
  family.bloom = set.bloomnFilterType ? static_cast<BloomKind>(from.bloomnFilterType & 3) : family.bloom;
  auto compression = static_cast<size_t>(from.compressionType);
  if (set.compressionType && compression < kAlgorithmsByNumber.size()) {
    family.compression = kAlgorithmsByNumber[compression];
  }
  family.keep_deleted_cells =
      set.keepDeletedCells ? static_cast<KeepDeletedCells>(from.keepDeletedCells & 3) : family.keep_deleted_cells;
  family.max_versions = set.maxVersions ? from.maxVersions : family.max_versions;
  family.min_versions = set.minVersions ? from.minVersions : family.min_versions;
  family.replication_scope = set.scope ? from.scope : family.replication_scope;
  family.ttl_s = set.timeToLive ? from.timeToLive : family.ttl_s;
  family.block_cache = set.blockCacheEnabled ? from.blockCacheEnabled : family.block_cache;
  family.in_memory = set.inMemory ? from.inMemory : family.in_memory;
  for (const auto& [encoding, name] : kEncodings) {
    if (set.dataBlockEncoding && from.dataBlockEncoding == encoding) {
      family.attributes["DATA_BLOCK_ENCODING"] = name;
    }
  }
  SetAttribute(&family, set.cacheBloomsOnWrite, "CACHE_BLOOMS_ON_WRITE", from.cacheBloomsOnWrite);
  SetAttribute(&family, set.cacheDataOnWrite, "CACHE_DATA_ON_WRITE", from.cacheDataOnWrite);
  SetAttribute(&family, set.cacheIndexesOnWrite, "CACHE_INDEX_ON_WRITE", from.cacheIndexesOnWrite);
  SetAttribute(&family, set.compressTags, "COMPRESS_TAGS", from.compressTags);
  SetAttribute(&family, set.evictBlocksOnClose, "EVICT_BLOCKS_ON_CLOSE", from.evictBlocksOnClose);
  return family;
}

TableDescriptor TableFrom(const thrift2::TTableDescriptor& from) {
  TableDescriptor table{.name = NameFrom(from.tableName)};
  table.attributes = from.attributes;
  auto durability = static_cast<size_t>(from.durability);
  if (from.__isset.durability && durability < kDurabilities.size()) {
    table.attributes[std::string(kDurability)] = kDurabilities[durability];
  }
  for (const thrift2::TColumnFamilyDescriptor& family : from.columns) {
    table.families.push_back(FamilyFrom(family));
  }
  return table;
}

thrift2::TTableDescriptor TableOf(const TableDescriptor& table) {
  thrift2::TTableDescriptor out;
  out.tableName = TableNameOf(table.name);
  out.__set_attributes(table.attributes);
  out.__set_durability(thrift2::TDurability::USE_DEFAULT);
  for (size_t i = 0; i < kDurabilities.size(); ++i) {
    if (Attribute(table.attributes, kDurability) == kDurabilities[i]) {
      out.__set_durability(static_cast<thrift2::TDurability::type>(i));
    }
  }
  out.__isset.columns = true;
  for (const FamilyDescriptor& family : table.families) {
    out.columns.push_back(FamilyOf(family));
  }
  return out;
}

Expected<std::vector<ServerName>> ServersFrom(const std::set<thrift2::TServerName>& servers) {
  std::vector<ServerName> out;
  for (const thrift2::TServerName& server : servers) {
    if (server.port < 0 || server.port > UINT16_MAX) {
      return Invalid("port " + std::to_string(server.port) + " of server " + server.hostName + " is not a valid value");
    }
    out.push_back({server.hostName, static_cast<uint16_t>(server.port), server.startCode});
  }
  return out;
}

Expected<SlowCallQuery> SlowCallQueryFrom(const std::set<thrift2::TServerName>& servers,
                                          const thrift2::TLogQueryFilter& filter) {
  KLIP_ASSIGN_OR_RETURN(std::vector<ServerName> names, ServersFrom(servers));
  return SlowCallQuery{.large = filter.logType == thrift2::TLogType::LARGE_LOG,
                       .servers = std::move(names),
                       .region = filter.regionName,
                       .table = filter.tableName,
                       .client = filter.clientAddress,
                       .user = filter.userName,
                       .match_all = filter.filterByOperator == thrift2::TFilterByOperator::AND,
                       .limit = filter.limit};
}

thrift2::TOnlineLogRecord LogRecordOf(const SlowCall& call) {
  thrift2::TOnlineLogRecord record;
  record.startTime = call.start_ms;
  record.processingTime = call.processing_ms;
  record.queueTime = call.queue_ms;
  record.responseSize = call.response_bytes;
  record.clientAddress = call.client;
  record.serverClass = call.server_class;
  record.methodName = call.method;
  record.callDetails = call.call;
  record.param = call.parameters;
  record.userName = call.user;
  record.multiGetsCount = call.gets;
  record.multiMutationsCount = call.mutations;
  record.multiServiceCalls = call.service_calls;
  record.__set_regionName(call.region);
  record.__set_blockBytesScanned(call.block_bytes_scanned);
  record.__set_fsReadTime(call.file_read_ms);
  return record;
}

thrift2::TNamespaceDescriptor NamespaceOf(const NamespaceDescriptor& descriptor) {
  thrift2::TNamespaceDescriptor out;
  out.name = descriptor.name;
  out.__set_configuration(descriptor.configuration);
  return out;
}

}  // namespace klip::thrift
