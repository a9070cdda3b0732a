// The cursors of a session: DECLARE, OPEN, FETCH, CLOSE.
//
// A cursor keeps its query running between FETCHes, and none of its rows. FETCH NEXT 10 ROWS moves the cursor by ten rows, whether or not
// all of them are read from its result: the next FETCH reads and skips those that are left.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "klip/cancel.h"
#include "klip/sql.h"
#include "sql/prepared.h"
#include "sql/syntax/ast.h"

namespace klip::sql {

struct Cursor;

// One thread. All errors are kInvalidArgument without a number, as in Phoenix, unless said otherwise.
class Cursors {
 public:
  Cursors() = default;
  ~Cursors();
  Cursors(const Cursors&) = delete;
  Cursors& operator=(const Cursors&) = delete;

  // Errors: the session has the cursor already, or too many.
  Status CheckNew(const std::string& name) const;
  // `query`: planned, and its parameters are set. REQUIRES: CheckNew.
  void Declare(const std::string& name, std::shared_ptr<Prepared> query);
  // Nothing happens to one that is open. Errors: it is not declared.
  Status Open(const std::string& name);
  // The columns of its query. Errors: it is not declared.
  Expected<std::vector<Column>> Columns(const std::string& name) const;
  // The next rows. They end with error 1101 as soon as the cursor is used again.
  // `columns`: those that the statement has promised. `start`: starts the query, at the first FETCH. `cancel`, `served`: of this FETCH.
  // Errors: it is not declared, not open, or has other columns; those of the query, then at each further FETCH, too.
  using Start = std::function<Expected<std::unique_ptr<QueryRows>>(std::shared_ptr<Prepared> query)>;
  Expected<std::unique_ptr<Rows>> Fetch(const CursorStatement& fetch, const std::vector<Column>& columns,
                                        const CancelToken& cancel, std::shared_ptr<ServedStatement> served,
                                        const Start& start);
  // Forgets it, if there is one.
  void Close(const std::string& name);

 private:
  Expected<std::shared_ptr<Cursor>> Find(const std::string& name) const;

  std::map<std::string, std::shared_ptr<Cursor>> cursors_;
};

}  // namespace klip::sql
