#include "advise/trial_store.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <utility>

#include "advise/index_choices.h"
#include "advise/key_layout.h"

namespace klip::advise {
namespace {

// The number of cells per row besides the columns in conditions: the average of the sampled rows, and at least one.
int64_t OtherCells(const Sample& sample) {
  const int64_t cells = sample.cells.cells == 0 ? 1 : sample.cells.cells / std::max<int64_t>(1, sample.sampled);
  return std::max<int64_t>(1, cells - static_cast<int64_t>(sample.columns.size()));
}

TableDescriptor TableFor(const LabInput& input, const KeyDesign& design, const std::string& name) {
  TableDescriptor table{.name = name, .families = {{.name = "d"}}, .attributes = {}, .configuration = {}};
  for (const SampledColumn& column : input.sample.columns) {
    if (table.Find(column.family) == nullptr) {
      table.families.push_back({.name = column.family});
    }
  }
  table.attributes[std::string(RowKeySchema::kTableAttribute)] = design.schema;
  return table;
}

Put PutOf(const LabInput& input, const KeyLayout& layout, uint32_t row, size_t more_bytes) {
  const Sample& sample = input.sample;
  Put put{.row = layout.KeyOf(row)};
  const int64_t others = OtherCells(sample);
  for (int64_t cell = 0; cell < others; ++cell) {
    put.Add("d", std::to_string(cell), "1" + std::string(cell == 0 ? more_bytes : 0, 'x'));
  }
  for (const SampledColumn& column : sample.columns) {
    if (const uint32_t id = column.stored.ids[row]; id != SampledColumn::kAbsent) {
      put.Add(column.family, column.qualifier, column.stored.values[id]);
    }
  }
  return put;
}

// Every nth row in key order, as many as asked for.
std::vector<uint32_t> SomeOf(const std::vector<uint32_t>& order, size_t most) {
  const size_t count = std::min(order.size(), most);
  std::vector<uint32_t> some;
  some.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    some.push_back(order[i * order.size() / count]);
  }
  return some;
}

// As many as asked for, in stretches of neighbours that are spread over all.
std::vector<uint32_t> StretchesOf(const std::vector<uint32_t>& order, size_t most) {
  constexpr size_t kStretches = 16;
  if (order.size() <= most) {
    return order;
  }
  std::vector<uint32_t> some;
  some.reserve(most);
  for (size_t i = 0; i < kStretches; ++i) {
    const auto from = order.begin() + static_cast<ptrdiff_t>(i * order.size() / kStretches);
    some.insert(some.end(), from, from + static_cast<ptrdiff_t>(most / kStretches));
  }
  return some;
}

Status CreateIndexes(const LabInput& input, const KeyDesign& design, const KeyLayout& layout, const std::string& name,
                     Connection* connection) {
  KLIP_ASSIGN_OR_RETURN(IndexAdmin* const indexes, connection->admin().indexes());
  for (const IndexDescriptor& index : input.indexes) {
    if (LayOutIndex(index, input.sample, layout).ok()) {  // otherwise it has columns that were not read
      KLIP_RETURN_IF_ERROR(indexes->CreateIndex(name, index));
    }
  }
  for (const IndexDescriptor& index : design.indexes) {
    KLIP_RETURN_IF_ERROR(indexes->CreateIndex(name, index));
  }
  return {};
}

int64_t ThreadTimeUs() {
  timespec used = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return int64_t{used.tv_sec} * 1'000'000 + used.tv_nsec / 1000;
}

}  // namespace

TrialStore::~TrialStore() {
  connection_.reset();
  std::error_code ignored;
  if (!path_.empty()) {
    std::filesystem::remove_all(path_, ignored);
  }
}

Status TrialStore::Open() {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "klip-advise-XXXXXX").string();
  if (error || mkdtemp(name.data()) == nullptr) {
    return Status(Code::kIoError, "cannot make a temporary directory " + name);
  }
  path_ = name;
  KLIP_ASSIGN_OR_RETURN(connection_, Connection::Open("klip:" + path_, {.sync_wal = false}));
  return Status::Ok();
}

Expected<std::unique_ptr<Table>> TrialStore::Load(const LabInput& input, const KeyDesign& design,
                                                  const std::string& name, size_t most) {
  KLIP_ASSIGN_OR_RETURN(const RowKeySchema schema, RowKeySchema::Parse(design.schema));
  KLIP_ASSIGN_OR_RETURN(const KeyLayout layout, LayOut(input.sample, schema));
  KLIP_RETURN_IF_ERROR(connection_->admin().CreateTable(TableFor(input, design, name)));
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<BulkLoader> loader, connection_->NewBulkLoader(name));
  for (const uint32_t row : StretchesOf(layout.order, most)) {
    KLIP_RETURN_IF_ERROR(loader->Add(PutOf(input, layout, row, 0)));
  }
  KLIP_RETURN_IF_ERROR(loader->Finish());
  KLIP_RETURN_IF_ERROR(CreateIndexes(input, design, layout, name, connection_.get()));
  KLIP_RETURN_IF_ERROR(connection_->admin().Flush(name));  // so that the entries have statistics
  return connection_->GetTable(name);
}

Expected<double> TrialStore::TimePuts(const LabInput& input, const KeyDesign& design, const std::string& name,
                                      size_t most, size_t more_bytes) {
  constexpr size_t kBatch = 100;
  KLIP_ASSIGN_OR_RETURN(const RowKeySchema schema, RowKeySchema::Parse(design.schema));
  KLIP_ASSIGN_OR_RETURN(const KeyLayout layout, LayOut(input.sample, schema));
  KLIP_RETURN_IF_ERROR(connection_->admin().CreateTable(TableFor(input, design, name)));
  KLIP_RETURN_IF_ERROR(CreateIndexes(input, design, layout, name, connection_.get()));
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> table, connection_->GetTable(name));
  std::vector<uint32_t> rows = SomeOf(layout.order, most);
  std::ranges::stable_sort(rows, {}, [&](uint32_t row) { return input.sample.written[row]; });
  std::vector<double> times_us;  // of a row, in each batch
  std::vector<Put> puts;
  for (size_t i = 0; i < rows.size(); ++i) {
    puts.push_back(PutOf(input, layout, rows[i], more_bytes));
    if (puts.size() < kBatch && i + 1 < rows.size()) {
      continue;
    }
    const auto before = std::chrono::steady_clock::now();
    KLIP_RETURN_IF_ERROR(table->Put(puts));
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - before;
    times_us.push_back(took.count() / static_cast<double>(puts.size()));
    puts.clear();
  }
  return *std::ranges::min_element(times_us);  // the batch that other programs and flushes disturbed least
}

Expected<ScanStatistics> TimeScan(const klip::Scan& scan, Table* table) {
  constexpr int kRuns = 5;
  std::optional<ScanStatistics> fastest;
  for (int run = 0; run < kRuns; ++run) {
    const int64_t before_us = ThreadTimeUs();
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<ResultScanner> scanner, table->Scan(scan));
    Result row;
    bool more = true;
    while (more) {
      KLIP_ASSIGN_OR_RETURN(more, scanner->Next(&row));
    }
    ScanStatistics statistics = scanner->statistics();
    statistics.elapsed_us = std::min(statistics.elapsed_us, ThreadTimeUs() - before_us);
    if (!fastest.has_value() || statistics.elapsed_us < fastest->elapsed_us) {
      fastest = statistics;
    }
  }
  return *fastest;
}

}  // namespace klip::advise
