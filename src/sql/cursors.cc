#include "sql/cursors.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "sql/types/codec.h"

namespace klip::sql {

struct Cursor {
  std::shared_ptr<Prepared> query;
  std::unique_ptr<QueryRows> rows = nullptr;  // null: no FETCH yet
  bool open = false;
  int left = 0;         // rows of the last FETCH that have not been read
  int64_t fetches = 0;  // and CLOSE
  Status failed;        // what ended the query

  Expected<bool> Next() {
    KLIP_RETURN_IF_ERROR(failed);
    --left;
    Expected<bool> more = rows->Next();
    failed = more.status();
    left = more.ok() && *more ? left : 0;
    return more;
  }
};

namespace {

// TUNING: an open cursor holds a scan of the store, and may hold the memory of a statement.
constexpr size_t kMostCursors = 1000;

Status Undeclared(const std::string& name) { return base::Invalid("SQL: Cursor " + name + " not declared."); }

// The rows of one FETCH.
class FetchedRows final : public Rows {
 public:
  explicit FetchedRows(std::shared_ptr<Cursor> cursor) : cursor_(std::move(cursor)), fetch_(cursor_->fetches) {}

  const std::vector<Column>& columns() const override { return cursor_->query->query.columns; }
  int64_t updated() const override { return -1; }

  Expected<bool> Next() override {
    if (fetch_ != cursor_->fetches) {
      return SqlError(1101, "XCL01", "The result is closed, because its cursor was used again");
    }
    return cursor_->left > 0 ? cursor_->Next() : Expected(false);
  }

  const Value& value(size_t column) const override { return cursor_->rows->value(column); }
  int64_t temporary_bytes() const override { return cursor_->rows->temporary_bytes(); }

 private:
  std::shared_ptr<Cursor> cursor_;
  int64_t fetch_;
};

}  // namespace

Cursors::~Cursors() = default;

Status Cursors::CheckNew(const std::string& name) const {
  if (cursors_.contains(name)) {
    return base::Invalid("SQL: Can't declare cursor " + name + ", cursor identifier already in use.");
  }
  return cursors_.size() < kMostCursors
             ? Status::Ok()
             : base::Invalid("SQL: the session has " + std::to_string(kMostCursors) + " cursors; CLOSE some first");
}

void Cursors::Declare(const std::string& name, std::shared_ptr<Prepared> query) {
  cursors_[name] = std::make_shared<Cursor>(Cursor{.query = std::move(query)});
}

Expected<std::shared_ptr<Cursor>> Cursors::Find(const std::string& name) const {
  const auto found = cursors_.find(name);
  return found == cursors_.end() ? Expected<std::shared_ptr<Cursor>>(Undeclared(name)) : found->second;
}

Status Cursors::Open(const std::string& name) {
  KLIP_ASSIGN_OR_RETURN(const std::shared_ptr<Cursor> cursor, Find(name));
  cursor->open = true;
  return Status::Ok();
}

Expected<std::vector<Column>> Cursors::Columns(const std::string& name) const {
  KLIP_ASSIGN_OR_RETURN(const std::shared_ptr<Cursor> cursor, Find(name));
  return cursor->query->query.columns;
}

Expected<std::unique_ptr<Rows>> Cursors::Fetch(const CursorStatement& fetch, const std::vector<Column>& columns,
                                               const CancelToken& cancel, std::shared_ptr<ServedStatement> served,
                                               const Start& start) {
  KLIP_ASSIGN_OR_RETURN(std::shared_ptr<Cursor> cursor, Find(fetch.name));
  if (!cursor->open) {
    return base::Invalid("SQL: Fetch call on closed cursor '" + fetch.name + "'!");
  }
  const bool same = std::ranges::equal(columns, cursor->query->query.columns, [](const Column& a, const Column& b) {
    return a.label == b.label && a.type == b.type;
  });
  if (!same) {
    return base::Invalid("SQL: Cursor " + fetch.name + " was declared again with other columns; prepare FETCH again");
  }
  ++cursor->fetches;
  if (cursor->rows == nullptr) {
    KLIP_ASSIGN_OR_RETURN(cursor->rows, start(cursor->query));
  }
  cursor->rows->SetCancel(cancel, std::move(served));
  while (cursor->left > 0) {
    KLIP_RETURN_IF_ERROR(cursor->Next().status());
  }
  KLIP_RETURN_IF_ERROR(cursor->failed);
  cursor->left = fetch.rows;
  return std::unique_ptr<Rows>(std::make_unique<FetchedRows>(std::move(cursor)));
}

void Cursors::Close(const std::string& name) {
  const auto found = cursors_.find(name);
  if (found == cursors_.end()) {
    return;
  }
  ++found->second->fetches;
  if (found->second->rows != nullptr) {
    found->second->rows->Close();  // a result may still have its last value
  }
  cursors_.erase(found);
}

}  // namespace klip::sql
