#include "sql/list_rows.h"

#include <utility>

namespace klip::sql {
namespace {

class ListRows final : public Rows {
 public:
  ListRows(std::vector<Column> columns, std::vector<std::vector<Value>> rows, int64_t updated)
      : columns_(std::move(columns)), rows_(std::move(rows)), updated_(updated) {}

  const std::vector<Column>& columns() const override { return columns_; }
  int64_t updated() const override { return updated_; }
  Expected<bool> Next() override {
    next_ += next_ <= rows_.size() ? 1 : 0;
    return next_ <= rows_.size();
  }
  const Value& value(size_t column) const override { return rows_[next_ - 1][column]; }

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Value>> rows_;
  int64_t updated_;
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Rows> MakeListRows(std::vector<Column> columns, std::vector<std::vector<Value>> rows) {
  return std::make_unique<ListRows>(std::move(columns), std::move(rows), /*updated=*/-1);
}

std::unique_ptr<Rows> MakeUpdated(int64_t rows) {
  return std::make_unique<ListRows>(std::vector<Column>(), std::vector<std::vector<Value>>(), rows);
}

}  // namespace klip::sql
