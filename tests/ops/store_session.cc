#include "ops/store_session.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "klip/bytes.h"
#include "ops/op_language.h"

namespace klip::ops {
namespace {

using Words = std::span<const std::string>;

Expected<std::string> Done(const Status& status) {
  if (!status.ok()) {
    return status;
  }
  return std::string();
}

std::vector<std::string> SplitAtCommas(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    size_t comma = text.find(',');
    parts.push_back(FromStringBinary(text.substr(0, comma)));
    if (comma == std::string_view::npos) {
      return parts;
    }
    text = text.substr(comma + 1);
  }
}

// KEY=VALUE words are table attributes; the others are families. `splits` gets the region borders.
Expected<TableDescriptor> ParseTable(Words tokens, std::vector<std::string>* splits) {
  TableDescriptor descriptor{.name = tokens[0]};
  for (const std::string& token : tokens.subspan(1)) {
    size_t equals = token.find('=');
    if (equals < token.find('(')) {
      if (token.starts_with("splits=")) {
        *splits = SplitAtCommas(token.substr(7));
      } else {
        descriptor.attributes[token.substr(0, equals)] = token.substr(equals + 1);
      }
      continue;
    }
    KLIP_ASSIGN_OR_RETURN(FamilyDescriptor family, ParseFamily(token));
    descriptor.families.push_back(std::move(family));
  }
  return descriptor;
}

std::string FormatTable(const TableDescriptor& descriptor) {
  std::string out = descriptor.name;
  for (const auto& [key, value] : descriptor.attributes) {
    out += " " + key + "=" + value;
  }
  for (const FamilyDescriptor& family : descriptor.families) {
    out += " " + FormatFamily(family);
  }
  return out + "\n";
}

Expected<int64_t> Metric(const StoreMetrics& metrics, std::string_view name) {
  const std::pair<std::string_view, int64_t> all[] = {{"bloom_useful", metrics.bloom_useful},
                                                      {"block_cache_hits", metrics.block_cache_hits},
                                                      {"files", metrics.files},
                                                      {"block_cache_misses", metrics.block_cache_misses},
                                                      {"wal_syncs", metrics.wal_syncs},
                                                      {"bytes_on_disk", metrics.bytes_on_disk}};
  for (const auto& [metric, value] : all) {
    if (metric == name) {
      return value;
    }
  }
  return Syntax("metric " + std::string(name));
}

}  // namespace

StoreSession::StoreSession(std::string directory, ConnectionOptions options)
    : clock_ms_(std::make_shared<std::atomic<int64_t>>(1000000)) {
  options.clock_ms = [clock = clock_ms_] { return clock->load(); };
  open_ = [uri = "klip:" + directory, options] { return Connection::Open(uri, options); };
  OpenFirst();
}

StoreSession::StoreSession(Open open, std::shared_ptr<std::atomic<int64_t>> clock_ms)
    : clock_ms_(std::move(clock_ms)), open_(std::move(open)) {
  OpenFirst();
}

void StoreSession::OpenFirst() {
  if (std::string error = Reopen(); !error.empty()) {
    fprintf(stderr, "%s", error.c_str());
    abort();
  }
}

std::string StoreSession::Reopen() {
  std::string current = table_ == nullptr ? "" : table_->name();
  table_.reset();
  connection_.reset();
  Expected<std::unique_ptr<Connection>> opened = open_();
  if (!opened.ok()) {
    return FormatError(opened.status());
  }
  connection_ = *std::move(opened);
  if (!current.empty()) {
    (void)UseTable(current);
  }
  return "";
}

Status StoreSession::UseTable(std::string_view name) {
  KLIP_ASSIGN_OR_RETURN(table_, connection_->GetTable(name));
  return {};
}

std::string StoreSession::Run(std::string_view line) {
  std::vector<std::string> tokens = Tokens(line);
  if (tokens.empty()) {
    return "";
  }
  if (IsTableOp(tokens[0])) {
    return table_ == nullptr ? FormatError(Syntax("no table in use")) : RunTableOp(*table_, tokens);
  }
  Expected<std::string> out(std::string{});
  const std::string& name = tokens[0];
  if (name == "measure") {
    out = RunMeasure(tokens, line);
  } else if (name == "schema" || name == "encode" || name == "decode" || name == "validate" || name == "query" ||
             name == "explain") {
    out = RunSchemaOp(tokens, line);
  } else {
    out = RunStoreOp(tokens);
  }
  return out.ok() ? *out : FormatError(out.status());
}

std::string StoreSession::TableName(Words tokens) const {
  if (tokens.size() > 1) {
    return tokens[1];
  }
  return table_ == nullptr ? "" : table_->name();
}

Expected<std::string> StoreSession::RunStoreOp(Words tokens) {
  const std::string& name = tokens[0];
  Admin& admin = connection_->admin();
  if (name == "reopen") {
    return Reopen();
  }
  if (name == "flush") {
    return Done(admin.Flush(TableName(tokens)));
  }
  if (name == "compact") {
    return Done(admin.Compact(TableName(tokens)));
  }
  if (name == "major") {
    return Done(admin.MajorCompact(TableName(tokens)));
  }
  if (name == "clock" && tokens.size() == 2) {
    KLIP_ASSIGN_OR_RETURN(*clock_ms_, ParseNumber(tokens[1]));
    return std::string();
  }
  if (name == "advance" && tokens.size() == 2) {
    std::string_view text = tokens[1];
    bool millis = text.ends_with("ms");
    KLIP_ASSIGN_OR_RETURN(int64_t amount, ParseNumber(text.substr(0, text.size() - (millis ? 2 : 1))));
    *clock_ms_ += millis ? amount : amount * 1000;
    return std::string();
  }
  if (name == "namespace") {
    return RunNamespaceOp(tokens);
  }
  if (name == "load" && table_ != nullptr) {
    KLIP_ASSIGN_OR_RETURN(const std::vector<Put> puts, ParsePuts(tokens.subspan(1)));
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<BulkLoader> loader, connection_->NewBulkLoader(table_->name()));
    for (const Put& put : puts) {
      KLIP_RETURN_IF_ERROR(loader->Add(put));
    }
    return Done(loader->Finish());
  }
  if (name == "atomic") {
    return RunAtomic(tokens);
  }
  if (name.find("snapshot") != std::string::npos || name == "clone" || name == "restore") {
    return RunSnapshotOp(tokens);
  }
  if (name == "regions" || name.starts_with("split") || name == "merge" || name == "run-split-policies") {
    return RunRegionOp(tokens);
  }
  if (tokens.size() == 1 && name != "list") {
    return Syntax("unknown op " + name);
  }
  return RunTableDdl(tokens);
}

Expected<std::string> StoreSession::RunTableDdl(Words tokens) {
  const std::string& name = tokens[0];
  Admin& admin = connection_->admin();
  if (name == "create") {
    std::vector<std::string> splits;
    KLIP_ASSIGN_OR_RETURN(TableDescriptor descriptor, ParseTable(tokens.subspan(1), &splits));
    KLIP_RETURN_IF_ERROR(admin.CreateTable(descriptor, splits));
    return Done(UseTable(descriptor.name));
  }
  if (name == "use") {
    return Done(UseTable(tokens[1]));
  }
  if (name == "drop") {
    return Done(admin.DeleteTable(tokens[1]));
  }
  if (name == "disable") {
    return Done(admin.DisableTable(tokens[1]));
  }
  if (name == "enable") {
    return Done(admin.EnableTable(tokens[1]));
  }
  if (name == "truncate") {
    return Done(admin.TruncateTable(tokens[1], tokens.size() > 2));
  }
  if (name == "alter" && tokens.size() > 3) {
    return Alter(tokens);
  }
  return RunTableQuery(tokens);
}

Expected<std::string> StoreSession::RunTableQuery(Words tokens) {
  const std::string& name = tokens[0];
  Admin& admin = connection_->admin();
  if (name == "describe") {
    KLIP_ASSIGN_OR_RETURN(TableDescriptor descriptor, admin.GetDescriptor(tokens[1]));
    return FormatTable(descriptor);
  }
  if (name == "list") {
    KLIP_ASSIGN_OR_RETURN(std::vector<TableDescriptor> tables, admin.ListTables(tokens.size() > 1 ? tokens[1] : ""));
    std::string out;
    for (const TableDescriptor& table : tables) {
      out += table.name + "\n";
    }
    return out.empty() ? "(empty)\n" : out;
  }
  if (name == "exists-table" || name == "enabled") {
    KLIP_ASSIGN_OR_RETURN(bool yes, name == "enabled" ? admin.IsTableEnabled(tokens[1]) : admin.TableExists(tokens[1]));
    return std::string(yes ? "true\n" : "false\n");
  }
  return Syntax("unknown op " + name);
}

Expected<std::string> StoreSession::Alter(Words tokens) {
  const std::string& table = tokens[1];
  const std::string& what = tokens[2];
  Admin& admin = connection_->admin();
  if (what == "delete") {
    return Done(admin.DeleteFamily(table, tokens[3]));
  }
  KLIP_ASSIGN_OR_RETURN(TableDescriptor descriptor, admin.GetDescriptor(table));
  if (what == "set") {
    for (const std::string& pair : tokens.subspan(3)) {
      size_t equals = std::min(pair.find('='), pair.size() - 1);
      descriptor.attributes[pair.substr(0, equals)] = pair.substr(equals + 1);
    }
    return Done(admin.ModifyTable(descriptor));
  }
  KLIP_ASSIGN_OR_RETURN(FamilyDescriptor family, ParseFamily(tokens[3]));
  if (what == "add") {
    return Done(admin.AddFamily(table, family));
  }
  if (what == "modify") {
    const FamilyDescriptor* old = descriptor.Find(family.name);
    KLIP_ASSIGN_OR_RETURN(family, ParseFamily(tokens[3], old == nullptr ? FamilyDescriptor{} : *old));
    return Done(admin.ModifyFamily(table, family));
  }
  return Syntax("alter T add|modify|delete|set");
}

Expected<std::string> StoreSession::RunNamespaceOp(Words tokens) {
  Admin& admin = connection_->admin();
  if (tokens.size() == 2 && tokens[1] == "list") {
    KLIP_ASSIGN_OR_RETURN(std::vector<NamespaceDescriptor> namespaces, admin.ListNamespaces());
    std::string out;
    for (const NamespaceDescriptor& descriptor : namespaces) {
      out += descriptor.name + "\n";
    }
    return out;
  }
  if (tokens.size() == 3 && tokens[1] == "create") {
    return Done(admin.CreateNamespace({.name = tokens[2], .configuration = {}}));
  }
  if (tokens.size() == 3 && tokens[1] == "drop") {
    return Done(admin.DeleteNamespace(tokens[2]));
  }
  if (tokens.size() == 3 && tokens[1] == "show") {
    KLIP_ASSIGN_OR_RETURN(NamespaceDescriptor descriptor, admin.GetNamespace(tokens[2]));
    return descriptor.name + "\n";
  }
  return Syntax("namespace create|drop|show|list");
}

Expected<std::string> StoreSession::RunRegionOp(Words tokens) {
  const std::string& name = tokens[0];
  Admin& admin = connection_->admin();
  if (name == "run-split-policies") {
    KLIP_ASSIGN_OR_RETURN(int splits, admin.RunSplitPolicies());
    return std::to_string(splits) + " splits\n";
  }
  if (name == "split-keys" && tokens.size() == 3) {
    KLIP_ASSIGN_OR_RETURN(int64_t count, ParseNumber(tokens[2]));
    SplitAlgorithm algorithm = tokens[1] == "hex"       ? SplitAlgorithm::kHexString
                               : tokens[1] == "decimal" ? SplitAlgorithm::kDecimalString
                                                        : SplitAlgorithm::kUniform;
    KLIP_ASSIGN_OR_RETURN(std::vector<std::string> keys, SplitKeys(algorithm, static_cast<int>(count)));
    std::string out;
    for (const std::string& key : keys) {
      out += ToStringBinary(key) + "\n";
    }
    return out;
  }
  if (table_ == nullptr) {
    return Syntax("no table in use");
  }
  if (name == "split") {
    return Done(admin.Split(table_->name(), tokens.size() > 1 ? FromStringBinary(tokens[1]) : ""));
  }
  KLIP_ASSIGN_OR_RETURN(std::vector<RegionInfo> regions,
                        admin.GetRegions(TableName(name == "merge" ? Words() : tokens)));
  if (name == "regions") {
    std::string out;
    for (const RegionInfo& region : regions) {
      out += "[" + ToStringBinary(region.start_key) + "," + ToStringBinary(region.end_key) + ")\n";
    }
    return out;
  }
  std::vector<std::string> names;
  Arguments arguments = ParseArguments(tokens.subspan(1));
  for (const std::string& word : arguments.words) {
    KLIP_ASSIGN_OR_RETURN(int64_t index, ParseNumber(word));
    names.push_back(static_cast<size_t>(index) < regions.size() ? regions[static_cast<size_t>(index)].encoded_name
                                                                : word);
  }
  return Done(admin.MergeRegions(names, arguments.Has("force")));
}

Expected<std::string> StoreSession::RunSnapshotOp(Words tokens) {
  const std::string& name = tokens[0];
  Admin& admin = connection_->admin();
  if (name == "snapshots") {
    KLIP_ASSIGN_OR_RETURN(std::vector<SnapshotInfo> snapshots, admin.ListSnapshots());
    std::string out;
    for (const SnapshotInfo& snapshot : snapshots) {
      out += snapshot.name + " of " + snapshot.table + "\n";
    }
    return out.empty() ? "(empty)\n" : out;
  }
  if (tokens.size() < 2) {
    return Syntax(name + " NAME");
  }
  if (name == "snapshot") {
    return Done(admin.Snapshot(tokens[1], tokens.size() > 2 ? tokens[2] : TableName({})));
  }
  if (name == "delete-snapshot") {
    return Done(admin.DeleteSnapshot(tokens[1]));
  }
  if (name == "restore") {
    return Done(admin.RestoreSnapshot(tokens[1]));
  }
  if (name == "clone" && tokens.size() == 3) {
    KLIP_RETURN_IF_ERROR(admin.CloneSnapshot(tokens[1], tokens[2]));
    return Done(UseTable(tokens[2]));
  }
  return Syntax("unknown op " + name);
}

Expected<std::string> StoreSession::RunSchemaOp(Words tokens, std::string_view line) {
  const std::string& name = tokens[0];
  std::string_view rest = line.substr(std::min(line.size(), line.find(name) + name.size() + 1));
  if (name == "schema") {
    KLIP_ASSIGN_OR_RETURN(schema_, RowKeySchema::Parse(rest));
    return schema_->ToString() + " (" + std::to_string(schema_->width_bytes()) + " bytes)\n";
  }
  if (name == "explain") {
    KLIP_RETURN_IF_ERROR(table_ == nullptr ? Syntax("no table in use") : Status());
    std::optional<RowKeySchema> schema = table_->row_key_schema();
    KLIP_ASSIGN_OR_RETURN(Scan scan, ParseScan(tokens.subspan(1), schema.has_value() ? &*schema : nullptr));
    KLIP_ASSIGN_OR_RETURN(klip::Explain explain, table_->Explain(scan));
    std::string out = std::string(PlanKindName(explain.kind)) + "\n";
    for (const Explain::Field& field : explain.fields) {
      out += field.name + " " + field.condition + ": " + field.use + "\n";
    }
    return out;
  }
  if (!schema_.has_value()) {
    return Syntax("no schema");
  }
  if (name == "encode") {
    std::vector<std::string> values;
    for (const std::string& value : tokens.subspan(1)) {
      values.push_back(FromStringBinary(value));
    }
    KLIP_ASSIGN_OR_RETURN(std::string key, schema_->Encode(values));
    return ToStringBinary(key) + "\n";
  }
  if (name == "decode" && tokens.size() == 2) {
    KLIP_ASSIGN_OR_RETURN(std::vector<std::string> values, schema_->Decode(FromStringBinary(tokens[1])));
    std::string out;
    for (const std::string& value : values) {
      out += value + "|";
    }
    return out + "\n";
  }
  if (name == "validate" && tokens.size() == 2) {
    KLIP_RETURN_IF_ERROR(schema_->Validate(FromStringBinary(tokens[1])));
    return std::string("valid\n");
  }
  KLIP_ASSIGN_OR_RETURN(KeyQuery query, schema_->ParseQuery(rest));
  return query.ToString() + "\n";
}

Expected<std::string> StoreSession::RunAtomic(Words tokens) {
  AtomicBatch batch;
  size_t at = 1;
  while (at < tokens.size() && tokens[at] == "if" && at + 2 < tokens.size()) {
    size_t end = at + 1;
    while (end < tokens.size() && tokens[end] != "if" && tokens[end] != "then") {
      ++end;
    }
    Words rest;
    KLIP_ASSIGN_OR_RETURN(RowCondition condition, ParseCondition(tokens.subspan(at + 3, end - at - 3), &rest));
    batch.conditions.push_back({tokens[at + 1], FromStringBinary(tokens[at + 2]), std::move(condition)});
    at = end;
  }
  at += at < tokens.size() && tokens[at] == "then" ? 1 : 0;
  while (at < tokens.size()) {
    size_t end =
        static_cast<size_t>(std::find(tokens.begin() + static_cast<ptrdiff_t>(at), tokens.end(), ";") - tokens.begin());
    KLIP_ASSIGN_OR_RETURN(Mutation mutation, ParseMutation(tokens.subspan(at + 1, end - at - 1)));
    batch.steps.push_back({tokens[at], std::move(mutation)});
    at = end + 1;
  }
  KLIP_ASSIGN_OR_RETURN(bool applied, connection_->Apply(batch));
  return std::string(applied ? "true\n" : "false\n");
}

Expected<std::string> StoreSession::RunMeasure(Words tokens, std::string_view line) {
  if (tokens.size() < 3) {
    return Syntax("measure METRIC OP");
  }
  KLIP_ASSIGN_OR_RETURN(StoreMetrics before, connection_->admin().Metrics());
  std::string out = Run(line.substr(line.find(tokens[1]) + tokens[1].size() + 1));
  KLIP_ASSIGN_OR_RETURN(StoreMetrics after, connection_->admin().Metrics());
  KLIP_ASSIGN_OR_RETURN(int64_t first, Metric(before, tokens[1]));
  KLIP_ASSIGN_OR_RETURN(int64_t second, Metric(after, tokens[1]));
  return out + tokens[1] + " +" + std::to_string(second - first) + "\n";
}

}  // namespace klip::ops
