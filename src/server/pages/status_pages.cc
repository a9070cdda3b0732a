#include "server/pages/status_pages.h"

#include <map>
#include <string>
#include <vector>

#include "engine/store/storage.h"
#include "klip/bytes.h"
#include "wasm/modules.h"

namespace klip::server {
namespace {

std::string Label(std::string_view name, std::string_view value) {
  return std::string(name) + "=\"" + std::string(value) + "\"";  // klip's own names need no escaping
}

// For use between quotes.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : ToStringBinary(text)) {
    out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return out;
}

void AddCalls(const Node& node, const Services& services, const net::Reactor& reactor, MetricsPage* page) {
  page->Begin("klip_call_seconds", "histogram", "Time from the arrival of a call to its response, by method.");
  std::map<std::string, const CallTimes*> by_labels;
  for (const auto& [service, methods] : services) {
    for (const auto& [name, method] : methods) {
      if (method.times.count() > 0) {
        by_labels[Label("service", service) + "," + Label("method", name)] = &method.times;
      }
    }
  }
  for (const auto& [labels, times] : by_labels) {
    page->Add(*times, labels);
  }
  page->Begin("klip_call_errors_total", "counter", "Calls that returned an exception, by its class.");
  for (const auto& [java_class, count] : node.metrics.errors()) {
    page->Add(count, Label("class", java_class));
  }
  const auto add = [page](std::string_view name, std::string_view type, std::string_view help, int64_t value) {
    page->Begin(name, type, help);
    page->Add(value);
  };
  add("klip_expired_calls_total", "counter", "Calls that were dropped because their client no longer waited for them.",
      node.metrics.expired_calls);
  add("klip_slow_calls_total", "counter", "Calls that were logged as slow.", node.metrics.slow_calls);
  add("klip_calls_running", "gauge", "Calls that are running or waiting for a thread.", reactor.running());
  add("klip_calls_queued", "gauge", "Of those, calls that wait because the limit of running calls is reached.",
      static_cast<int64_t>(reactor.queued()));
  add("klip_connections", "gauge", "Clients' connections.", static_cast<int64_t>(reactor.connections()));
  add("klip_refused_connections_total", "counter",
      "Connections that were closed because the limit of open connections was reached.", reactor.refused_connections());
  add("klip_open_scanners", "gauge", "Open scanners.", static_cast<int64_t>(node.scanners.size()));
  add("klip_received_bytes_total", "counter", "Bytes received from clients.", reactor.received_bytes());
  add("klip_sent_bytes_total", "counter", "Bytes sent to clients.", reactor.sent_bytes());
}

void AddReplication(const Node& node, MetricsPage* page) {
  const std::vector<replication::Sources::Told> sources = node.sources->Tell();
  const auto add = [&](std::string_view name, std::string_view type, std::string_view help, auto value) {
    page->Begin(name, type, help);
    for (const replication::Sources::Told& source : sources) {
      page->Add(value(source), Label("peer", Escaped(source.metrics.peer_id)));
    }
  };
  if (!sources.empty()) {
    add("klip_replication_lag_ms", "gauge", "How long ago the peer was up to date; 0 if it is.",
        [](const auto& source) { return source.metrics.lag_ms; });
    add("klip_replication_log_files", "gauge", "Log files with edits that the peer has not received.",
        [](const auto& source) { return source.metrics.queued_logs; });
    add("klip_replication_shipped_cells_total", "counter", "Cells sent to the peer.",
        [](const auto& source) { return source.metrics.operations_shipped; });
    add("klip_replication_failures_total", "counter", "Failed calls to the peer.",
        [](const auto& source) { return source.counts.failures; });
  }
  page->Begin("klip_replication_applied_cells_total", "counter", "Cells received from other clusters.");
  page->Add(node.sink.cells);
}

void AddStore(Node* node, MetricsPage* page) {
  const StoreMetrics store = node->store().storage().Metrics();
  const auto add = [page](std::string_view name, std::string_view type, std::string_view help, int64_t value) {
    page->Begin(name, type, help);
    page->Add(value);
  };
  add("klip_store_disk_bytes", "gauge", "Bytes of the store's sorted files.", store.bytes_on_disk);
  add("klip_store_files", "gauge", "Sorted files.", store.files);
  add("klip_store_memtable_bytes", "gauge", "Memory of the memtables.", store.memtable_bytes);
  add("klip_store_block_cache_bytes", "gauge", "Memory of the block cache.", store.block_cache_bytes);
  add("klip_store_block_cache_hits_total", "counter", "Blocks found in the cache.", store.block_cache_hits);
  add("klip_store_block_cache_misses_total", "counter", "Blocks read from files.", store.block_cache_misses);
  add("klip_store_bloom_useful_total", "counter", "Files that gets could skip.", store.bloom_useful);
  add("klip_store_wal_syncs_total", "counter", "Syncs of the log.", store.wal_syncs);
  add("klip_store_running_compactions", "gauge", "Running compactions.", store.running_compactions);
}

void AddScrub(const Node& node, MetricsPage* page) {
  if (node.scrubber == nullptr) {
    return;
  }
  const engine::ScrubState scrub = node.scrubber->Tell();
  page->Begin("klip_scrub_read_bytes_total", "counter", "Bytes of the store's files that the scrub has read.");
  page->Add(scrub.bytes);
  page->Begin("klip_scrub_rounds_total", "counter", "Completed scrubs of all files.");
  page->Add(scrub.rounds);
  page->Begin("klip_scrub_damaged_files", "gauge", "Files that were damaged at their last scrub.");
  page->Add(static_cast<int64_t>(scrub.damaged.size()));
}

// The costs of one hook, with its labels.
struct LabelledCost {
  std::string labels;
  uint64_t calls = 0;
  uint64_t failures = 0;
  uint64_t nanoseconds = 0;
};

// Of Java coprocessors (none while their JVM does not run) and of WebAssembly modules.
std::vector<LabelledCost> CostsOf(Node* node) {
  std::vector<LabelledCost> costs;
  if (node->coprocessors != nullptr) {
    if (const auto java = node->coprocessors->Costs(); java.ok()) {
      for (const coprocessor::HookCost& one : *java) {
        costs.push_back({Label("class", Escaped(one.java_class)) + "," + Label("hook", Escaped(one.hook)), one.calls,
                         one.failures, one.nanoseconds});
      }
    }
  }
  if (const auto& modules = node->embedded->shared().settings.attached->modules; modules != nullptr) {
    for (const wasm::HookCost& one : modules->Costs()) {
      costs.push_back({Label("class", Escaped(one.module)) + "," + Label("hook", Escaped(one.hook)) + "," +
                           Label("table", Escaped(one.table)),
                       one.calls, one.failures, one.nanoseconds});
    }
  }
  return costs;
}

void AddCoprocessors(Node* node, MetricsPage* page) {
  const std::vector<LabelledCost> costs = CostsOf(node);
  if (costs.empty()) {
    return;
  }
  const auto add = [&](std::string_view name, std::string_view help, auto value) {
    page->Begin(name, "counter", help);
    for (const LabelledCost& cost : costs) {
      page->Add(static_cast<int64_t>(value(cost)), cost.labels);
    }
  };
  add("klip_coprocessor_calls_total", "Calls of coprocessors' hooks since their JVM or module was loaded.",
      [](const auto& cost) { return cost.calls; });
  add("klip_coprocessor_failures_total", "Of those, failed calls: an exception, a trap or a timeout.",
      [](const auto& cost) { return cost.failures; });
  add("klip_coprocessor_nanoseconds_total",
      "Time in the hooks. The time of a chain of classes is divided evenly among them.",
      [](const auto& cost) { return cost.nanoseconds; });
}

// The counters of WebAssembly modules.
void AddModuleMetrics(Node* node, MetricsPage* page) {
  const auto& modules = node->embedded->shared().settings.attached->modules;
  const auto metrics = modules == nullptr ? std::vector<wasm::ModuleMetric>() : modules->Metrics();
  if (metrics.empty()) {
    return;
  }
  page->Begin("klip_module_count", "gauge", "Counts kept by WebAssembly modules.");
  for (const wasm::ModuleMetric& one : metrics) {
    page->Add(one.value, Label("class", Escaped(one.module)) + "," + Label("metric", Escaped(one.metric)) + "," +
                             Label("table", Escaped(one.table)));
  }
}

void AddIndexes(Node* node, MetricsPage* page) {
  const auto states = node->embedded->IndexStates();
  const auto add = [&](std::string_view name, std::string_view type, std::string_view help, auto value) {
    page->Begin(name, type, help);
    for (const auto& one : states) {
      page->Add(value(one), Label("table", Escaped(one.table)) + "," + Label("index", Escaped(one.index)));
    }
  };
  if (states.empty()) {
    return;
  }
  add("klip_index_ready", "gauge", "1: the index is complete. 0: it is being built, and answers no reads.",
      [](const auto& one) { return one.building ? 0 : 1; });
  add("klip_index_built_rows_total", "counter", "Rows that builds of the index have read.",
      [](const auto& one) { return one.counters->built_rows.load(); });
  add("klip_index_entries_written_total", "counter", "Entries written, by writes of rows and by builds.",
      [](const auto& one) { return one.counters->written.load(); });
  add("klip_index_entries_removed_total", "counter", "Entries removed by writes of rows.",
      [](const auto& one) { return one.counters->removed.load(); });
  add("klip_index_reads_total", "counter", "Scans that found their rows by the index.",
      [](const auto& one) { return one.counters->reads.load(); });
  add("klip_index_entries_read_total", "counter", "Entries that these scans read.",
      [](const auto& one) { return one.counters->entries_read.load(); });
  add("klip_index_rows_fetched_total", "counter", "Rows of the table that these scans read.",
      [](const auto& one) { return one.counters->rows_fetched.load(); });
  add("klip_index_rows_dropped_total", "counter", "Of those, rows that did not match.",
      [](const auto& one) { return one.counters->rows_dropped.load(); });
  add("klip_index_refused_writes_total", "counter", "Writes of values of another type, or not unique.",
      [](const auto& one) { return one.counters->refused.load(); });
  add("klip_index_skipped_rows", "gauge",
      "Rows without an entry because of SKIP INVALID, or with too many versions for HISTORY. Counted up to 10000.",
      [](const auto& one) { return one.skipped; });
}

// An empty write: it fails if other writes would.
Status WriteNothing(Node* node) {
  engine::WriteSet nothing;
  return node->store().Write(&nothing, Durability::kSkipWal);
}

net::HttpResponse Health(Node* node) {
  const Status store = WriteNothing(node);
  const bool stopping = node->stopping;
  std::string reason = stopping ? "stopping" : store.ok() ? "" : store.message();
  const bool healthy = store.ok() && !stopping;
  const size_t damaged = node->scrubber == nullptr ? 0 : node->scrubber->Tell().damaged.size();
  const std::string note = damaged == 0 ? "" : ", \"damaged_files\": " + std::to_string(damaged);
  return {.status = healthy ? 200 : 503,
          .content_type = "application/json",
          .body = healthy ? "{\"status\": \"ok\"" + note + "}\n"
                          : "{\"status\": \"failing\", \"reason\": \"" + Escaped(reason) + "\"}\n"};
}

net::HttpResponse Front(Node* node, const net::Reactor& reactor) {
  const size_t tables = node->regions.Tables().size();
  return {.content_type = "text/html; charset=utf-8",
          .body = "<!DOCTYPE html><title>klip</title><h1>klip serve</h1><p>" + node->self.ToString() + ", cluster " +
                  node->cluster_id + "<p>" + std::to_string(tables) + " tables, " +
                  std::to_string(reactor.connections()) + " connections, " + std::to_string(node->scanners.size()) +
                  " open scanners<p><a href=\"/metrics\">metrics</a> <a href=\"/health\">health</a>\n"};
}

std::string_view PathOf(std::string_view target) { return target.substr(0, target.find('?')); }

}  // namespace

bool IsUrgentPage(std::string_view target) {
  const std::string_view path = PathOf(target);
  return path == kHealthPath || path == kMetricsPath;
}

net::HttpResponse StatusPage(const net::HttpRequest& request, Node* node, const Services& services,
                             const net::Reactor& reactor) {
  if (request.method != "GET" && request.method != "HEAD") {
    return {.status = 405,
            .content_type = "text/plain",
            .body = "only GET and HEAD\n",
            .headers = {{"Allow", "GET, HEAD"}}};
  }
  const std::string_view path = PathOf(request.target);
  if (path == kHealthPath) {
    return Health(node);
  }
  if (path == "/") {
    return Front(node, reactor);
  }
  if (path != kMetricsPath) {
    return {.status = 404, .content_type = "text/plain", .body = "no such page; try /metrics or /health\n"};
  }
  MetricsPage page;
  AddCalls(*node, services, reactor, &page);
  AddReplication(*node, &page);
  AddCoprocessors(node, &page);
  AddModuleMetrics(node, &page);
  AddIndexes(node, &page);
  AddStore(node, &page);
  AddScrub(*node, &page);
  AddProcessMetrics(&page);
  return {.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = page.text()};
}

}  // namespace klip::server
