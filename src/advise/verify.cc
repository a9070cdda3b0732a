#include "advise/verify.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "advise/index_choices.h"
#include "advise/key_layout.h"
#include "klip/connection.h"

namespace klip::advise {
namespace {

class TemporaryStore {
 public:
  TemporaryStore() = default;
  TemporaryStore(const TemporaryStore&) = delete;
  TemporaryStore& operator=(const TemporaryStore&) = delete;
  ~TemporaryStore() {
    connection_.reset();
    std::error_code ignored;
    if (!path_.empty()) {
      std::filesystem::remove_all(path_, ignored);
    }
  }

  Status Open() {
    std::error_code error;
    std::string name = (std::filesystem::temp_directory_path(error) / "klip-advise-XXXXXX").string();
    if (error || mkdtemp(name.data()) == nullptr) {
      return Status(Code::kIoError, "cannot make a temporary directory " + name);
    }
    path_ = name;
    KLIP_ASSIGN_OR_RETURN(connection_, Connection::Open("klip:" + path_, {.sync_wal = false}));
    return Status::Ok();
  }

  Connection& connection() { return *connection_; }

 private:
  std::string path_;
  std::unique_ptr<Connection> connection_;
};

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

Expected<std::unique_ptr<Table>> Load(const LabInput& input, const KeyDesign& design, const std::string& name,
                                      Connection* connection) {
  const Sample& sample = input.sample;
  KLIP_ASSIGN_OR_RETURN(const RowKeySchema schema, RowKeySchema::Parse(design.schema));
  KLIP_ASSIGN_OR_RETURN(const KeyLayout layout, LayOut(sample, schema));
  KLIP_RETURN_IF_ERROR(connection->admin().CreateTable(TableFor(input, design, name)));
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<BulkLoader> loader, connection->NewBulkLoader(name));
  const int64_t others = OtherCells(sample);
  for (const uint32_t row : layout.order) {
    Put put{.row = layout.KeyOf(row)};
    for (int64_t cell = 0; cell < others; ++cell) {
      put.Add("d", std::to_string(cell), "1");
    }
    for (const SampledColumn& column : sample.columns) {
      if (const uint32_t id = column.stored.ids[row]; id != SampledColumn::kAbsent) {
        put.Add(column.family, column.qualifier, column.stored.values[id]);
      }
    }
    KLIP_RETURN_IF_ERROR(loader->Add(put));
  }
  KLIP_RETURN_IF_ERROR(loader->Finish());
  KLIP_ASSIGN_OR_RETURN(IndexAdmin* const indexes, connection->admin().indexes());
  for (const std::vector<IndexDescriptor>* const some : {&input.indexes, &design.indexes}) {
    for (const IndexDescriptor& index : *some) {
      if (LayOutIndex(index, sample, layout).ok()) {  // otherwise it has columns that were not read
        KLIP_RETURN_IF_ERROR(indexes->CreateIndex(name, index));
      }
    }
  }
  KLIP_RETURN_IF_ERROR(connection->admin().Flush(name));  // so that the entries have statistics
  return connection->GetTable(name);
}

Expected<ScanStatistics> Measure(const LabQuery& query, Table* table) {
  klip::Scan scan;
  scan.where = query.where;
  scan.limit_rows = query.limit_rows;
  ScanStatistics statistics;
  for (int run = 0; run < 2; ++run) {
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<ResultScanner> scanner, table->Scan(scan));
    Result row;
    bool more = true;
    while (more) {
      KLIP_ASSIGN_OR_RETURN(more, scanner->Next(&row));
    }
    statistics = scanner->statistics();
  }
  return statistics;
}

}  // namespace

Status Verify(const LabInput& input, std::vector<KeyDesign>* designs) {
  TemporaryStore store;
  KLIP_RETURN_IF_ERROR(store.Open());
  for (size_t i = 0; i < designs->size(); ++i) {
    KeyDesign& design = (*designs)[i];
    if (!design.pareto && !design.present) {
      continue;
    }
    const std::string name = "design" + std::to_string(i);
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> table, Load(input, design, name, &store.connection()));
    for (size_t query = 0; query < input.queries.queries.size(); ++query) {
      KLIP_ASSIGN_OR_RETURN(design.queries[query].measured, Measure(input.queries.queries[query], table.get()));
    }
  }
  return Status::Ok();
}

}  // namespace klip::advise
