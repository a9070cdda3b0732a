// klip stats: statistics of the store, or of one table.
#include "cli/command.h"
#include "cli/printer.h"

namespace klip::cli {
namespace {

// As CSV: a line of names, and a line of numbers.
void WriteNumbers(const Console& console, const Json& numbers) {
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const auto& [name, value] : numbers.items()) {
    names.push_back(name);
    values.push_back(value.dump());
  }
  console.Write(CsvLine(names) + CsvLine(values));
}

void PrintTable(const Console& console, const TableStatistics& table, bool cluster, OutputForm form) {
  if (form != OutputForm::kText) {
    Json out = {{"rows", table.rows},
                {"cells", table.cells},
                {"bytes_on_disk", table.bytes_on_disk},
                {"bytes_in_memory", table.bytes_in_memory},
                {"delete_markers", table.delete_markers},
                {"sorted_runs", table.sorted_runs}};
    if (form == OutputForm::kCsv) {
      for (const TableStatistics::Field& field : table.fields) {
        out["distinct_prefixes_to_" + field.name] = field.distinct_prefixes;
      }
      WriteNumbers(console, out);
      return;
    }
    Json& fields = out["fields"] = Json::array();
    for (const TableStatistics::Field& field : table.fields) {
      fields.push_back({{"name", field.name}, {"distinct_prefixes", field.distinct_prefixes}});
    }
    console.Write(out.dump() + "\n");
    return;
  }
  console.Print("rows            {:>16}   {}\n", FormatCount(table.rows),
                cluster ? "estimated from samples" : "as of the last flush or compaction");
  console.Print("cells           {:>16}\n", FormatCount(table.cells));
  console.Print("delete markers  {:>16}\n", FormatCount(table.delete_markers));
  console.Print("on disk         {:>16}\n", FormatBytes(table.bytes_on_disk));
  console.Print("in memory       {:>16}\n", FormatBytes(table.bytes_in_memory));
  console.Print("sorted runs     {:>16}\n", table.sorted_runs);
  for (const TableStatistics::Field& field : table.fields) {
    console.Print("up to {:<12} {:>13} different\n", field.name,
                  FormatCount(static_cast<int64_t>(field.distinct_prefixes)));
  }
}

struct MetricRow {
  const char* name;
  int64_t StoreMetrics::* value;
  bool bytes;
};
constexpr MetricRow kMetrics[] = {
    {"files", &StoreMetrics::files, false},
    {"bytes_on_disk", &StoreMetrics::bytes_on_disk, true},
    {"memtable_bytes", &StoreMetrics::memtable_bytes, true},
    {"table_reader_bytes", &StoreMetrics::table_reader_bytes, true},
    {"block_cache_bytes", &StoreMetrics::block_cache_bytes, true},
    {"block_cache_hits", &StoreMetrics::block_cache_hits, false},
    {"block_cache_misses", &StoreMetrics::block_cache_misses, false},
    {"bloom_useful", &StoreMetrics::bloom_useful, false},
    {"wal_syncs", &StoreMetrics::wal_syncs, false},
    {"running_compactions", &StoreMetrics::running_compactions, false},
};

void PrintStore(const Console& console, const StoreMetrics& metrics, OutputForm form) {
  Json out;
  for (const MetricRow& row : kMetrics) {
    int64_t value = metrics.*row.value;
    out[row.name] = value;
    if (form == OutputForm::kText) {
      console.Print("{:<20} {:>16}\n", row.name, row.bytes ? FormatBytes(value) : FormatCount(value));
    }
  }
  if (form == OutputForm::kJson) {
    console.Write(out.dump() + "\n");
  } else if (form == OutputForm::kCsv) {
    WriteNumbers(console, out);
  }
}

}  // namespace

Run AddStatsCommand(Arguments* args) {
  struct Stats {
    std::string store;
    std::string table;
    OutputForm form = OutputForm::kText;
  };
  auto stats = std::make_shared<Stats>();
  args->Add("STORE", &stats->store,
            "a directory, klip:DIRECTORY, or a cluster: hbase+rpc://HOST:PORT, hbase+zk://HOST:PORT")
      .Required();
  args->Add("TABLE", &stats->table, "this table; default: the whole store");
  args->AddForm(&stats->form, "one JSON object", "a header line and a line of numbers");
  return [stats](const Console& console) -> Expected<int> {
    KLIP_ASSIGN_OR_RETURN(auto connection, OpenStore(stats->store));
    if (stats->table.empty()) {
      KLIP_ASSIGN_OR_RETURN(StoreMetrics metrics, connection->admin().Metrics());
      PrintStore(console, metrics, stats->form);
      return kExitOk;
    }
    KLIP_ASSIGN_OR_RETURN(auto table, connection->GetTable(stats->table));
    KLIP_ASSIGN_OR_RETURN(TableStatistics statistics, table->Statistics());
    PrintTable(console, statistics, stats->store.starts_with("hbase+"), stats->form);
    return kExitOk;
  };
}

}  // namespace klip::cli
