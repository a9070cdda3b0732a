// Reads back what a FileLoader has written, before it becomes visible.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/view/table_view.h"
#include "klip/status.h"
#include "model/shown_versions.h"

namespace rocksdb {
class DB;
}  // namespace rocksdb

namespace klip::engine {

struct LoadedFiles {
  const FamilyColumns* columns = nullptr;
  std::vector<std::string> files;  // in ascending order of keys
};

// `cells`: the cells of a row, newly allocated and in order, one vector per family.
using TakeLoadedRow = std::function<Status(const std::string& row, std::vector<std::vector<model::StoredCell>> cells)>;

// Calls `take` for each row that has cells of these columns, or markers of the families, in ascending order.
// Errors: kIoError, kCorruption, those of `take`.
Status ForEachLoadedRow(rocksdb::DB* db, std::span<const LoadedFiles> families, const TakeLoadedRow& take);

}  // namespace klip::engine
