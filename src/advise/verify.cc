#include "advise/verify.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

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

Expected<std::unique_ptr<Table>> Load(const Sample& sample, const RowKeySchema& schema, const std::string& name,
                                      Connection* connection) {
  KLIP_ASSIGN_OR_RETURN(const KeyLayout layout, LayOut(sample, schema));
  TableDescriptor descriptor{.name = name, .families = {{.name = "d"}}, .attributes = {}, .configuration = {}};
  descriptor.attributes[std::string(RowKeySchema::kTableAttribute)] = schema.ToString();
  KLIP_RETURN_IF_ERROR(connection->admin().CreateTable(descriptor));
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<BulkLoader> loader, connection->NewBulkLoader(name));
  const int64_t cells =
      sample.cells.cells == 0 ? 1 : std::max<int64_t>(1, sample.cells.cells / std::max<int64_t>(1, sample.sampled));
  for (const uint32_t row : layout.order) {
    Put put{.row = layout.KeyOf(row)};
    for (int64_t cell = 0; cell < cells; ++cell) {
      put.Add("d", std::to_string(cell), "1");
    }
    KLIP_RETURN_IF_ERROR(loader->Add(put));
  }
  KLIP_RETURN_IF_ERROR(loader->Finish());
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

Status Verify(const Sample& sample, const LabQueries& queries, std::vector<KeyDesign>* designs) {
  TemporaryStore store;
  KLIP_RETURN_IF_ERROR(store.Open());
  for (size_t i = 0; i < designs->size(); ++i) {
    KeyDesign& design = (*designs)[i];
    if (!design.pareto && !design.present) {
      continue;
    }
    KLIP_ASSIGN_OR_RETURN(const RowKeySchema schema, RowKeySchema::Parse(design.schema));
    const std::string name = "design" + std::to_string(i);
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> table, Load(sample, schema, name, &store.connection()));
    for (size_t query = 0; query < queries.queries.size(); ++query) {
      KLIP_ASSIGN_OR_RETURN(design.queries[query].measured, Measure(queries.queries[query], table.get()));
    }
  }
  return Status::Ok();
}

}  // namespace klip::advise
