// Sessions: a statement's text is parsed and planned once, then executed with the values of its parameters.
#include <atomic>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "klip/cancel.h"
#include "klip/sql.h"
#include "sql/catalog/catalog.h"
#include "sql/catalog/definition.h"
#include "sql/catalog/served_statement.h"
#include "sql/cursors.h"
#include "sql/limits.h"
#include "sql/list_rows.h"
#include "sql/metadata.h"
#include "sql/plan/change_plan.h"
#include "sql/plan/column_index.h"
#include "sql/plan/index_expression.h"
#include "sql/plan/planner.h"
#include "sql/prepared.h"
#include "sql/syntax/parameter_values.h"
#include "sql/syntax/parser.h"

namespace klip::sql {
namespace {

// From the start of a program that contains SQL, also before it opens a session.
[[maybe_unused]] const bool kMaintainsIndexes = (MaintainIndexes(), true);

class PlanningSession;

// The plans of statements that were executed from their texts. A plan that a result still reads is not given out again.
class PlanCache {
 public:
  // Null: none, or its tables have changed.
  std::shared_ptr<Prepared> Find(std::string_view sql) {
    const auto found = plans_.find(sql);
    if (found == plans_.end() || found->second.use_count() > 1) {
      return nullptr;
    }
    if (!found->second->planner->IsCurrent()) {
      plans_.erase(found);
      return nullptr;
    }
    return found->second;
  }

  void Add(std::string_view sql, const std::shared_ptr<Prepared>& prepared) {
    const bool rows_only = prepared->query.root != nullptr && !prepared->explain;
    const auto* const upsert = std::get_if<Upsert>(&prepared->parsed.statement);
    if (sql.size() > kMostBytes || !prepared->planner->keepable() ||
        !(rows_only || (upsert != nullptr && upsert->select == nullptr))) {
      return;
    }
    if (plans_.size() >= kMostPlans) {
      plans_.clear();
    }
    plans_.insert_or_assign(std::string(sql), prepared);
  }

  void Clear() { plans_.clear(); }

 private:
  // TUNING: a plan of a few columns takes some KB.
  static constexpr size_t kMostPlans = 100;
  static constexpr size_t kMostBytes = 2'000;  // of a text: longer ones have many literals, which seldom come again

  std::map<std::string, std::shared_ptr<Prepared>, std::less<>> plans_;
};

class PreparedStatement final : public Statement {
 public:
  PreparedStatement(PlanningSession* session, std::shared_ptr<Prepared> prepared)
      : session_(session), prepared_(std::move(prepared)) {}

  const std::vector<Column>& columns() const override { return prepared_->columns(); }
  const std::vector<DataType>& parameters() const override { return prepared_->parameters; }
  Expected<std::unique_ptr<Rows>> Execute(std::span<const Value> values) override;

 private:
  PlanningSession* session_;
  std::shared_ptr<Prepared> prepared_;
};

class PlanningSession final : public ServedSession {
 public:
  PlanningSession(Connection* connection, SessionOptions options, const SessionLimits& limits, bool served)
      : connection_(connection),
        options_(std::move(options)),
        limits_(limits),
        caller_(served ? std::make_shared<SessionCaller>() : nullptr),
        catalog_(connection, options_.tenant),
        sequences_(connection, options_.tenant),
        tables_(connection, options_.as_of_ms),
        waiting_memory_(std::numeric_limits<int64_t>::max(), limits_.memory),
        changes_(&tables_, &waiting_memory_) {
    transaction_memory_.Reset(&waiting_memory_);
  }

  Expected<std::unique_ptr<Statement>> Prepare(std::string_view sql) override {
    KLIP_ASSIGN_OR_RETURN(std::shared_ptr<Prepared> prepared, PreparePlan(sql));
    return std::unique_ptr<Statement>(std::make_unique<PreparedStatement>(this, std::move(prepared)));
  }

  Expected<std::unique_ptr<Rows>> Execute(std::string_view sql, std::span<const Value> values) override {
    std::shared_ptr<Prepared> prepared = plans_.Find(sql);
    if (prepared == nullptr) {
      KLIP_ASSIGN_OR_RETURN(prepared, PreparePlan(sql));
      if (caller_ == nullptr) {  // plans of a server's sessions would take memory from others
        plans_.Add(sql, prepared);
      }
    }
    return Run(std::move(prepared), values);
  }

  bool auto_commit() const override { return options_.auto_commit; }
  Status SetAutoCommit(bool on) override {
    options_.auto_commit = on;
    return on ? Commit() : Status::Ok();
  }
  Status Commit() override {
    KLIP_RETURN_IF_ERROR(WriteWaiting());
    ForgetTransaction();
    return InSql(tables_.Commit());
  }
  Status Rollback() override {
    changes_.Clear();
    steps_.clear();
    ForgetTransaction();
    tables_.Rollback();
    return Status::Ok();
  }
  void SetIsolation(std::optional<IsolationLevel> isolation) override { isolation_ = isolation; }

  Expected<std::unique_ptr<Rows>> Tables(const TablePattern& pattern) override {
    KLIP_ASSIGN_OR_RETURN(const std::vector<ListedTable> tables, catalog_.ListAll());
    KLIP_ASSIGN_OR_RETURN(const std::vector<ListedSequence> sequences, sequences_.List());
    return TablesOf(tables, sequences, pattern);
  }
  Expected<std::unique_ptr<Rows>> Columns(const TablePattern& pattern) override {
    KLIP_ASSIGN_OR_RETURN(const std::vector<ListedTable> tables, catalog_.ListAll());
    return ColumnsOf(tables, pattern);
  }
  Expected<std::unique_ptr<Rows>> PrimaryKeys(const TablePattern& pattern) override {
    KLIP_ASSIGN_OR_RETURN(const std::vector<ListedTable> tables, catalog_.ListAll());
    return PrimaryKeysOf(tables, pattern);
  }
  Expected<std::unique_ptr<Rows>> Indexes(const TablePattern& pattern) override {
    KLIP_ASSIGN_OR_RETURN(const std::vector<ListedTable> tables, catalog_.ListAll());
    return IndexesOf(tables, pattern);
  }
  Expected<std::unique_ptr<Rows>> Schemas(const TablePattern& pattern) override {
    KLIP_ASSIGN_OR_RETURN(const std::vector<ListedTable> tables, catalog_.ListAll());
    return SchemasOf(tables, pattern);
  }

  void SetCaller(CancelToken caller) override {
    if (caller_ != nullptr) {
      caller_->Set(std::move(caller));
    }
  }
  int64_t rows_read() const override { return rows_read_.load(std::memory_order_relaxed); }
  void Cancel() override {
    const std::lock_guard lock(cancel_mutex_);
    if (cancel_.armed()) {
      cancel_.Cancel();
    }
  }

  // Runs a prepared statement. Errors: see Statement::Execute.
  Expected<std::unique_ptr<Rows>> Run(std::shared_ptr<Prepared> prepared, std::span<const Value> values) {
    if (const auto* const declared = std::get_if<CursorStatement>(&prepared->parsed.statement);
        declared != nullptr && declared->what == CursorStatement::What::kDeclare) {
      KLIP_RETURN_IF_ERROR(cursors_.CheckNew(declared->name));  // as it may be a cursor of this statement
    }
    ++prepared->execution.number;
    rows_read_.store(0, std::memory_order_relaxed);
    KLIP_ASSIGN_OR_RETURN(prepared, SetParameters(std::move(prepared), values));
    Execution& execution = prepared->execution;
    execution.temporary.Begin();
    execution.functions.now_ms = base::SystemMs();
    execution.functions.execution = execution.number;
    const auto served = caller_ == nullptr ? nullptr
                                           : std::make_shared<ServedStatement>(prepared->text, limits_.timeout_ms,
                                                                               caller_, &rows_read_);
    const CancelToken token = served == nullptr ? CancelToken::New() : served->token();
    {
      const std::lock_guard lock(cancel_mutex_);
      cancel_ = token;
    }
    const ServedCall call(served.get());
    const CancelScope cancel(token);
    const AccountScope account(&execution.memory);
    Expected<std::unique_ptr<Rows>> rows = RunUnder(std::move(prepared), values, token, served);
    return rows.ok() || served == nullptr ? std::move(rows)
                                          : Expected<std::unique_ptr<Rows>>(served->InSql(rows.status()));
  }

 private:
  // REQUIRES: parameters are set, and the thread is under the token.
  Expected<std::unique_ptr<Rows>> RunUnder(std::shared_ptr<Prepared> prepared, std::span<const Value> values,
                                           const CancelToken& token, const std::shared_ptr<ServedStatement>& served) {
    if (prepared->explain) {
      return ExplainRows(*prepared);
    }
    if (const auto* const cursor = std::get_if<CursorStatement>(&prepared->parsed.statement); cursor != nullptr) {
      return RunCursor(*cursor, prepared, token, served);
    }
    const bool single = options_.auto_commit && tables_.transaction() == nullptr && prepared->change != nullptr &&
                        prepared->planner->transactional();
    KLIP_RETURN_IF_ERROR(BeginFor(*prepared, single));
    if (prepared->query.root != nullptr) {
      KLIP_ASSIGN_OR_RETURN(std::unique_ptr<QueryRows> rows, OpenQuery(std::move(prepared), token, served));
      return std::unique_ptr<Rows>(std::move(rows));
    }
    if (prepared->change != nullptr) {
      const Expected<int64_t> changed =
          tables_.transaction() == nullptr ? Change(prepared, values) : ChangeInTransaction(*prepared);
      prepared->execution.temporary.Close();
      if (single) {
        KLIP_RETURN_IF_ERROR(changed.ok() ? InSql(tables_.Commit()) : Rollback());
      }
      return changed.ok() ? MakeUpdated(*changed) : Expected<std::unique_ptr<Rows>>(InSql(changed.status()));
    }
    KLIP_RETURN_IF_ERROR(RunDefinition(*prepared));
    return MakeUpdated(0);
  }

  // Phoenix's error for a conflict.
  static Status InSql(const Status& status) {
    if (status.code() != Code::kTransactionConflict || ErrorOf(status).number != 0) {
      return status;
    }
    return {status.code(),
            "ERROR 523 (42900): Transaction aborted due to conflict with other mutations. " + status.message()};
  }

  // REQUIRES: its parameters are set, and the thread is under the token.
  static Expected<std::unique_ptr<QueryRows>> OpenQuery(std::shared_ptr<Prepared> prepared, CancelToken token,
                                                        std::shared_ptr<ServedStatement> served) {
    if (const Status opened = prepared->query.root->Open(&prepared->execution); !opened.ok()) {
      prepared->execution.temporary.Close();
      return InSql(opened);
    }
    return std::make_unique<QueryRows>(std::move(prepared), std::move(token), std::move(served));
  }

  // The query of a cursor starts with the first FETCH, as in Phoenix.
  Expected<std::unique_ptr<Rows>> RunCursor(const CursorStatement& statement, const std::shared_ptr<Prepared>& prepared,
                                            const CancelToken& token, const std::shared_ptr<ServedStatement>& served) {
    switch (statement.what) {
      case CursorStatement::What::kDeclare:
        cursors_.Declare(statement.name, prepared);
        break;
      case CursorStatement::What::kOpen:
        KLIP_RETURN_IF_ERROR(cursors_.Open(statement.name));
        break;
      case CursorStatement::What::kFetch:
        return cursors_.Fetch(statement, prepared->query.columns, token, served, [&](std::shared_ptr<Prepared> query) {
          const Status begun = BeginFor(*query, /*single=*/false);
          return begun.ok() ? OpenQuery(std::move(query), token, served) : Expected<std::unique_ptr<QueryRows>>(begun);
        });
      case CursorStatement::What::kClose:
        cursors_.Close(statement.name);
        break;
    }
    return MakeUpdated(0);
  }

  void ForgetTransaction() {
    savepoints_.clear();
    transaction_bytes_ = 0;
    transaction_memory_.Free();
  }

  klip::TransactionOptions TransactionOf(IsolationLevel isolation) const {
    klip::TransactionOptions options = {.isolation = isolation};
    if (limits_.memory != nullptr) {
      options.max_bytes = std::min(options.max_bytes, options_.memory_bytes);
    }
    return options;
  }

  // A transaction reads the rows of its beginning, and its cells get the time of its commit.
  Status CheckNow() const {
    return tables_.in_past() ? Status(Code::kUnsupported, "SQL: a transaction in a session as of a time (CurrentSCN)")
                             : Status::Ok();
  }

  // Begins the transaction that a statement on rows needs, if none is open.
  Status BeginFor(const Prepared& prepared, bool single) {
    const bool on_rows = prepared.query.root != nullptr || prepared.change != nullptr;
    const auto* const upsert = std::get_if<Upsert>(&prepared.parsed.statement);
    const bool inserts = upsert != nullptr && upsert->insert;
    const bool wanted =
        single || (!options_.auto_commit && (isolation_.has_value() || prepared.planner->transactional() || inserts));
    const bool open = tables_.transaction() != nullptr;
    KLIP_RETURN_IF_ERROR(prepared.change != nullptr && (wanted || open) ? CheckNow() : Status::Ok());
    if (!on_rows || !wanted || open) {
      return Status::Ok();
    }
    begun_ = false;
    const Status begun = tables_.Begin(TransactionOf(isolation_.value_or(IsolationLevel::kSnapshot)));
    if (inserts && begun.code() == Code::kUnsupported) {
      return Status::Ok();  // on a cluster, it writes at once
    }
    return begun.ok() ? WriteWaiting() : begun;  // what waits comes before what the transaction changes
  }

  Expected<int64_t> Change(const std::shared_ptr<Prepared>& prepared, std::span<const Value> values) {
    if (options_.auto_commit) {
      KLIP_ASSIGN_OR_RETURN(const int64_t changed,
                            prepared->change->Run(&prepared->execution, &changes_, /*write=*/true));
      KLIP_RETURN_IF_ERROR(changes_.Write());
      return changed;
    }
    tables_.ShowWaiting(&changes_.tables());
    const Expected<int64_t> changed = AddWaiting(prepared, values);
    tables_.ShowWaiting(nullptr);
    return changed;
  }

  // Changes that wait for COMMIT. A failed statement leaves none.
  Expected<int64_t> AddWaiting(const std::shared_ptr<Prepared>& prepared, std::span<const Value> values) {
    Changes changes(&tables_, &waiting_memory_);
    KLIP_ASSIGN_OR_RETURN(const int64_t changed,
                          prepared->change->Run(&prepared->execution, &changes, /*write=*/false));
    if (prepared->change->depends_on_stored()) {
      if (steps_.empty() && changes_.rows() > 0) {
        KLIP_RETURN_IF_ERROR(CopyTo(changes_, &steps_.emplace_back(&tables_, &waiting_memory_).changes));
      }
      Step& step = steps_.emplace_back(&tables_, &waiting_memory_);
      step.again = prepared;
      step.values.assign(values.begin(), values.end());
      step.now_ms = prepared->execution.functions.now_ms;
    } else if (!steps_.empty()) {
      Step& last = steps_.back().again == nullptr ? steps_.back() : steps_.emplace_back(&tables_, &waiting_memory_);
      KLIP_RETURN_IF_ERROR(CopyTo(changes, &last.changes));
    }
    KLIP_RETURN_IF_ERROR(changes_.TakeAll(&changes));
    return changed;
  }

  static Status CopyTo(const Changes& from, Changes* to) {
    for (const auto& [table, rows] : from.tables()) {
      for (const auto& [row, change] : rows) {
        KLIP_RETURN_IF_ERROR(to->Add(table, change));
      }
    }
    return Status::Ok();
  }

  // Writes the waiting changes, in the order of their statements where that matters. After an error, the rest is given up.
  Status WriteWaiting() {
    if (steps_.empty()) {
      return changes_.Write();
    }
    changes_.Clear();
    const std::deque<Step> steps = std::exchange(steps_, {});
    for (const Step& step : steps) {
      if (step.again == nullptr) {
        KLIP_RETURN_IF_ERROR(step.changes.Write());
        continue;
      }
      KLIP_ASSIGN_OR_RETURN(const std::shared_ptr<Prepared> again, SetParameters(step.again, step.values));
      Execution& execution = again->execution;
      ++execution.number;
      execution.functions.now_ms = step.now_ms;
      execution.functions.execution = execution.number;
      const AccountScope account(&execution.memory);
      KLIP_RETURN_IF_ERROR(again->change->Run(&execution, &step.changes, /*write=*/true).status());
    }
    return Status::Ok();
  }

  // A failed statement leaves no changes.
  Expected<int64_t> ChangeInTransaction(Prepared& prepared) {
    klip::Transaction* const transaction = tables_.transaction();
    KLIP_ASSIGN_OR_RETURN(const int64_t before, transaction->Savepoint());
    Changes changes(&tables_);
    Expected<int64_t> changed = prepared.change->Run(&prepared.execution, &changes, /*write=*/true);
    Status status = changed.ok() ? changes.Write() : changed.status();
    if (status.ok() && limits_.memory != nullptr) {
      constexpr size_t kCopies = 2;  // of a change: in its log, and as cells
      transaction_bytes_ += kCopies * changes.written_bytes();
      status = transaction_memory_.SetTo(transaction_bytes_);
    }
    if (!status.ok()) {
      (void)transaction->RollbackTo(before);
      return status;
    }
    return changed;
  }

  Status RunTransaction(const Transaction& statement) {
    using What = Transaction::What;
    const bool open = tables_.transaction() != nullptr;
    switch (statement.what) {
      case What::kBegin:
        return Begin(statement);
      case What::kCommit:
        return Commit();
      case What::kRollback:
        return Rollback();
      case What::kSetIsolation:
        if (open) {
          return {Code::kInvalidArgument,
                  "SQL: SET TRANSACTION: the isolation level of an open transaction cannot change"};
        }
        isolation_ = LevelOf(*statement.isolation);
        return Status::Ok();
      case What::kSavepoint:
        if (!open) {
          return {Code::kInvalidArgument, "SQL: SAVEPOINT: no transaction is open; run BEGIN first"};
        }
        return Remember(statement.savepoint);
      case What::kRollbackTo:
        return RollbackTo(statement.savepoint);
    }
    return Status::Ok();
  }

  // REQUIRES: a transaction is open.
  Status Remember(const std::string& savepoint) {
    KLIP_ASSIGN_OR_RETURN(savepoints_[savepoint], tables_.transaction()->Savepoint());
    return Status::Ok();
  }

  Status RollbackTo(const std::string& savepoint) {
    const auto found = savepoints_.find(savepoint);
    if (tables_.transaction() == nullptr || found == savepoints_.end()) {
      return {Code::kInvalidArgument, "SQL: ROLLBACK TO: no savepoint named " + savepoint};
    }
    return tables_.transaction()->RollbackTo(found->second);
  }

  Status Begin(const Transaction& statement) {
    if (tables_.transaction() != nullptr) {
      return {Code::kInvalidArgument, "SQL: BEGIN: a transaction is open; run COMMIT or ROLLBACK first"};
    }
    KLIP_RETURN_IF_ERROR(CheckNow());
    KLIP_RETURN_IF_ERROR(WriteWaiting());  // waiting changes do not belong to it
    const std::optional<IsolationLevel> level =
        statement.isolation.has_value() ? LevelOf(*statement.isolation) : isolation_;
    begun_ = true;
    return tables_.Begin(TransactionOf(level.value_or(IsolationLevel::kSnapshot)));
  }

  static std::optional<IsolationLevel> LevelOf(Transaction::Isolation isolation) {
    switch (isolation) {
      case Transaction::Isolation::kSnapshot:
        return IsolationLevel::kSnapshot;
      case Transaction::Isolation::kSerializable:
        return IsolationLevel::kSerializable;
      case Transaction::Isolation::kReadCommitted:
        break;
    }
    return std::nullopt;
  }

  // What the plan of the statement needs.
  PlanContext PrepareExecution(Prepared* prepared) {
    PlanContext context;
    context.tables = &tables_;
    context.catalog = &catalog_;
    context.sequences = &sequences_;
    context.execution = &prepared->execution;
    context.schema = options_.schema;
    context.threads = options_.threads;
    prepared->execution.rows_read = &rows_read_;
    prepared->execution.memory.Limit(options_.memory_bytes, limits_.memory);
    prepared->execution.temporary = TemporaryFile(options_.temporary_directory, options_.temporary_bytes);
    prepared->execution.functions.now_ms = base::SystemMs();
    return context;
  }

  Expected<std::shared_ptr<Prepared>> PreparePlan(std::string_view sql) {
    auto prepared = std::make_shared<Prepared>();
    const PlanContext context = PrepareExecution(prepared.get());
    KLIP_RETURN_IF_ERROR(ChargePlan(sql, prepared.get()));
    const AccountScope account(&prepared->execution.memory);
    KLIP_ASSIGN_OR_RETURN(prepared->parsed, ParseStatement(sql));
    const auto count = static_cast<size_t>(prepared->parsed.parameters);
    if (count > 0) {
      prepared->text = sql;
    }
    do {  // again if something took parameters that had no type yet: SELECT DISTINCT ?
      prepared->planner = std::make_unique<Planner>(context, Parameters(count, prepared->parameters));
      KLIP_RETURN_IF_ERROR(PlanStatement(&prepared->parsed.statement, prepared.get()));
      prepared->parameters = prepared->planner->parameters().Types();
    } while (prepared->planner->parameters().has_untyped());
    KLIP_RETURN_IF_ERROR(CheckColumns());
    return prepared;
  }

  // Reserves the memory of a served statement's plan.
  Status ChargePlan(std::string_view sql, Prepared* prepared) const {
    prepared->memory.Reset(&prepared->execution.memory);
    if (caller_ == nullptr) {
      return Status::Ok();
    }
    constexpr size_t kMostText = 1000;
    prepared->text = sql.substr(0, kMostText);
    const size_t bytes = sql.size() * kPlanBytesPerByte;
    return prepared->memory.TrySetTo(bytes) ? Status::Ok() : prepared->memory.SetTo(bytes);
  }

  // The statement with literals instead of its parameters, for one execution.
  Expected<std::shared_ptr<Prepared>> PlanWithValues(std::shared_ptr<Prepared> statement,
                                                     std::span<const Value> values) {
    auto prepared = std::make_shared<Prepared>();
    const PlanContext context = PrepareExecution(prepared.get());
    KLIP_RETURN_IF_ERROR(ChargePlan(statement->text, prepared.get()));
    const AccountScope account(&prepared->execution.memory);
    KLIP_ASSIGN_OR_RETURN(prepared->parsed, ParseStatement(statement->text));
    Parameters parameters(statement->parameters.size(), statement->parameters);
    parameters.Fix(values);
    prepared->planner = std::make_unique<Planner>(context, std::move(parameters));
    KLIP_RETURN_IF_ERROR(PlanStatement(&prepared->parsed.statement, prepared.get()));
    PutValues(values, &prepared->parsed.statement);
    prepared->execution.number = statement->execution.number;
    prepared->origin = std::move(statement);
    return prepared;
  }

  Status PlanStatement(ParsedStatement* statement, Prepared* prepared) {
    Planner* const planner = prepared->planner.get();
    if (auto* const select = std::get_if<Select>(statement); select != nullptr) {
      KLIP_ASSIGN_OR_RETURN(prepared->query, planner->Plan(*select));
    } else if (auto* const upsert = std::get_if<Upsert>(statement); upsert != nullptr) {
      KLIP_ASSIGN_OR_RETURN(prepared->change, PlanUpsert(planner, *upsert));
    } else if (auto* const update = std::get_if<Update>(statement); update != nullptr) {
      KLIP_ASSIGN_OR_RETURN(prepared->change, PlanUpdate(planner, *update));
    } else if (auto* const del = std::get_if<sql::Delete>(statement); del != nullptr) {
      KLIP_ASSIGN_OR_RETURN(prepared->change, PlanDelete(planner, *del));
    } else if (auto* const explained = std::get_if<std::unique_ptr<sql::Explain>>(statement); explained != nullptr) {
      prepared->explain = true;
      return PlanStatement(&(*explained)->statement, prepared);
    } else if (auto* const cursor = std::get_if<CursorStatement>(statement); cursor != nullptr) {
      if (cursor->select != nullptr) {
        KLIP_ASSIGN_OR_RETURN(prepared->query, planner->Plan(*cursor->select));
      } else if (prepared->explain) {
        return Status(Code::kUnsupported, "SQL: EXPLAIN of a cursor: EXPLAIN DECLARE shows the plan of its query");
      } else if (cursor->what == CursorStatement::What::kFetch) {
        KLIP_ASSIGN_OR_RETURN(prepared->query.columns, cursors_.Columns(cursor->name));
      }
    } else if (const auto* const show = std::get_if<Show>(statement); show != nullptr) {
      return PlanShow(*show, &prepared->query);
    }
    return Status::Ok();
  }

  // Each execution reads the catalog again.
  Status PlanShow(const Show& show, PlannedQuery* query) {
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Rows> now, ShowRows(show));
    std::vector<DataType> types;
    for (const Column& column : now->columns()) {
      query->columns.push_back(column);
      types.push_back(column.type);
    }
    query->root = MakeMadeRows(
        std::move(types),
        [this, &show]() -> Expected<std::vector<std::vector<Value>>> {
          KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Rows> rows, ShowRows(show));
          std::vector<std::vector<Value>> made;
          while (true) {
            KLIP_ASSIGN_OR_RETURN(const bool more, rows->Next());
            if (!more) {
              return made;
            }
            std::vector<Value>& row = made.emplace_back();
            for (size_t i = 0; i < rows->columns().size(); ++i) {
              row.push_back(rows->value(i));
            }
          }
        },
        "CLIENT SHOW");
    return Status::Ok();
  }

  Expected<std::unique_ptr<Rows>> ShowRows(const Show& show) {
    switch (show.what) {
      case Show::What::kTables:
        return Tables({.schema = show.schema, .table = show.like});
      case Show::What::kSchemas:
        return Schemas({.schema = show.like});
      case Show::What::kCreateTable:
        break;
    }
    TableName name = show.table;
    UseSchema(&name);
    KLIP_ASSIGN_OR_RETURN(const TablePtr table, catalog_.Find(name));
    return MakeListRows({{.label = "CREATE STATEMENT", .type = {.type = Type::kChar}}},
                        {{Value::Text(ToStatement(*table))}});
  }

  // Returns what is to run: the statement's plan, or another one for just these values.
  Expected<std::shared_ptr<Prepared>> SetParameters(std::shared_ptr<Prepared> prepared, std::span<const Value> values) {
    if (values.size() < prepared->parameters.size()) {
      const std::string at = "Parameter at index " + std::to_string(values.size() + 1) + " is unbound";
      return values.empty() ? SqlError(2003, "INT04", "Parameter index out of bound. " + at)  // not prepared
                            : SqlError(2004, "INT05", "Parameter value unbound. " + at);
    }
    Parameters& parameters = prepared->planner->parameters();
    const std::span<const Value> wanted = values.first(prepared->parameters.size());
    const bool definition = prepared->query.root == nullptr && prepared->change == nullptr;
    if (!wanted.empty() && (definition || !parameters.Fit(wanted))) {
      return PlanWithValues(std::move(prepared), wanted);
    }
    parameters.Set(wanted);
    return prepared;
  }

  static Expected<std::unique_ptr<Rows>> ExplainRows(const Prepared& prepared) {
    ExplainLines lines;
    if (prepared.query.root != nullptr) {
      prepared.query.root->Explain(&lines);
    } else if (prepared.change != nullptr) {
      prepared.change->Explain(&lines);
    }
    std::vector<std::vector<Value>> rows;
    const bool reads = lines.has_statistics && lines.rows_read > 0;
    const Value rows_read = reads ? Value::Integer(std::llround(lines.rows_read)) : Value();
    for (const std::string& line : lines.lines) {
      rows.push_back({Value::Text(line), Value(), rows_read,
                      reads ? Value::Integer(prepared.execution.functions.now_ms) : Value()});
    }
    return MakeListRows(ExplainColumns(), std::move(rows));
  }

  static Status DropIndex(Connection* connection, const Expected<TablePtr>& table, const Drop& drop) {
    if (ErrorOf(table.status()).number == 1012) {
      return drop.if_exists ? Status::Ok() : IndexUndefined(drop.on.schema, drop.name.name);
    }
    KLIP_RETURN_IF_ERROR(table.status());
    return DropColumnIndex(connection, **table, drop);
  }

  // Statements that neither read nor change rows.
  Status RunDefinition(Prepared& prepared) {
    ParsedStatement& statement = prepared.parsed.statement;
    if (const auto* const transaction = std::get_if<Transaction>(&statement); transaction != nullptr) {
      return RunTransaction(*transaction);
    }
    if (tables_.transaction() != nullptr && begun_ && !std::holds_alternative<sql::UseSchema>(statement)) {
      return Status(Code::kUnsupported,
                    "SQL: definitions cannot change inside a transaction; run COMMIT or ROLLBACK first");
    }
    if (auto* const create = std::get_if<CreateTable>(&statement); create != nullptr) {
      UseSchema(&create->name);
      if (create->as != nullptr) {
        UseSchema(&create->as->from->table);
        KLIP_RETURN_IF_ERROR(prepared.planner->Plan(*create->as).status());  // its names and types
      }
      KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> splits, prepared.planner->SplitPoints(*create));
      return catalog_.Create(*create, splits);
    }
    auto* const drop = std::get_if<Drop>(&statement);
    if (drop != nullptr && drop->what != Drop::What::kIndex && drop->what != Drop::What::kSchema) {
      UseSchema(&drop->name);
      return drop->what == Drop::What::kSequence ? sequences_.Drop(drop->name, drop->if_exists) : catalog_.Drop(*drop);
    }
    const auto* const alter_index = std::get_if<AlterIndex>(&statement);
    const bool of_index = std::holds_alternative<CreateIndex>(statement) || alter_index != nullptr ||
                          (drop != nullptr && drop->what == Drop::What::kIndex);
    if (of_index && !options_.tenant.empty()) {
      return Status(Code::kUnsupported,
                    "SQL: CREATE, ALTER and DROP INDEX by a tenant: an index has the rows of all tenants");
    }
    if (drop != nullptr && drop->what == Drop::What::kIndex) {
      return DropIndex(connection_, prepared.planner->FindTable(drop->on), *drop);
    }
    if (const auto* const index = std::get_if<CreateIndex>(&statement); index != nullptr) {
      KLIP_ASSIGN_OR_RETURN(const TablePtr table, prepared.planner->FindTable(index->table));
      KLIP_RETURN_IF_ERROR(catalog_.CheckIndex(*table, *index));
      if (tables_.in_past()) {
        return SqlError(534, "42911", "An index cannot be created with a CurrentSCN: its entries are those of today.");
      }
      return CreateColumnIndex(connection_, *table, *index);
    }
    if (auto* const sequence = std::get_if<CreateSequence>(&statement); sequence != nullptr) {
      UseSchema(&sequence->name);
      return sequences_.Create(*sequence);
    }
    if (auto* const alter = std::get_if<AlterTable>(&statement); alter != nullptr) {
      UseSchema(&alter->name);
      KLIP_ASSIGN_OR_RETURN(const std::vector<TableColumn> left, catalog_.Alter(*alter));
      return left.empty() ? Status::Ok() : ClearCells(alter->name, left);
    }
    if (const auto* const use = std::get_if<sql::UseSchema>(&statement); use != nullptr) {
      options_.schema = use->name;
      plans_.Clear();
      return Status::Ok();
    }
    if (alter_index != nullptr) {
      KLIP_ASSIGN_OR_RETURN(const TablePtr table, prepared.planner->FindTable(alter_index->table));
      return AlterColumnIndex(connection_, *table, *alter_index);
    }
    if (const auto* const update = std::get_if<UpdateStatistics>(&statement); update != nullptr) {
      return prepared.planner->FindTable(update->table).status();  // klip gathers statistics as it writes data
    }
    // A schema is a part of table names: it is there while a table has it. What is left to drop does not exist.
    return drop == nullptr || drop->if_exists
               ? Status::Ok()
               : SqlError(722, "43M05", "Schema does not exist. schemaName=" + drop->name.name);
  }

  // In a session of its own: definitions belong to no transaction, and are those of today.
  Status ClearCells(const TableName& view, const std::vector<TableColumn>& cells) const {
    SessionOptions options = options_;
    options.as_of_ms = 0;
    PlanningSession now(connection_, std::move(options), limits_, caller_ != nullptr);
    Prepared prepared;
    const PlanContext context = now.PrepareExecution(&prepared);
    prepared.planner = std::make_unique<Planner>(context, Parameters());
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<ChangePlan> clear, PlanClearCells(prepared.planner.get(), view, cells));
    KLIP_RETURN_IF_ERROR(clear->Run(&prepared.execution, &now.changes_, /*write=*/true).status());
    return now.changes_.Write();
  }

  void UseSchema(TableName* name) const {
    if (name->schema.empty()) {
      name->schema = options_.schema;
    }
  }

  // TUNING: of the plan for each byte of a statement's text, at most: a list of short numbers in IN.
  static constexpr size_t kPlanBytesPerByte = 128;

  Connection* connection_;
  SessionOptions options_;
  const SessionLimits limits_;
  const std::shared_ptr<SessionCaller> caller_;  // null: the session is not served
  Catalog catalog_;
  Sequences sequences_;
  SessionTables tables_;
  // Waiting changes, outside a transaction: what they would make of the rows now; and, if that may differ at COMMIT, its steps.
  struct Step {
    Step(const SessionTables* tables, MemoryAccount* account) : changes(tables, account) {}

    mutable Changes changes;
    std::shared_ptr<Prepared> again;  // in place of `changes`: a statement to run, with these parameters
    std::vector<Value> values;
    int64_t now_ms = 0;
  };
  MemoryAccount waiting_memory_;
  Changes changes_;
  std::deque<Step> steps_;
  size_t transaction_bytes_ = 0;  // of what the open transaction has written
  Reservation transaction_memory_;
  PlanCache plans_;
  Cursors cursors_;
  std::optional<IsolationLevel> isolation_;
  bool begun_ = false;                         // the open transaction, by BEGIN
  std::map<std::string, int64_t> savepoints_;  // of the open transaction
  std::mutex cancel_mutex_;
  CancelToken cancel_;                  // of the running statement
  std::atomic<int64_t> rows_read_ = 0;  // by it
};

Expected<std::unique_ptr<Rows>> PreparedStatement::Execute(std::span<const Value> values) {
  return session_->Run(prepared_, values);
}

}  // namespace

namespace {

Expected<std::unique_ptr<ServedSession>> OpenSession(Connection* connection, SessionOptions options,
                                                     const SessionLimits& limits, bool served) {
  if (options.tenant.find('\0') != std::string::npos) {
    return Status(Code::kInvalidArgument, "SQL: a tenant's name contains a zero byte");
  }
  if (options.as_of_ms < 0) {
    return Status(Code::kInvalidArgument, "SQL: a time of " + std::to_string(options.as_of_ms) + " ms, before 1970");
  }
  return std::unique_ptr<ServedSession>(
      std::make_unique<PlanningSession>(connection, std::move(options), limits, served));
}

}  // namespace

Expected<std::unique_ptr<Session>> Session::Open(Connection* connection, SessionOptions options) {
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<ServedSession> session,
                        OpenSession(connection, std::move(options), {}, /*served=*/false));
  return std::unique_ptr<Session>(std::move(session));
}

Expected<std::unique_ptr<ServedSession>> ServedSession::Open(Connection* connection, SessionOptions options,
                                                             const SessionLimits& limits) {
  return OpenSession(connection, std::move(options), limits, /*served=*/true);
}

void MaintainIndexes() { rowkey::SetIndexExpressionMaker(&MakeIndexExpression); }

}  // namespace klip::sql
