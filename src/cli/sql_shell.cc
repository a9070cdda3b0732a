#include "cli/sql_shell.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <set>
#include <thread>

#include <sys/eventfd.h>
#include <unistd.h>

#include "cli/line_editor.h"
#include "cli/sql_printer.h"
#include "sql/syntax/ast.h"
#include "sql/syntax/lexer.h"
#include "sql/syntax/parser.h"

namespace klip::cli {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view Trimmed(std::string_view text) {
  size_t start = std::min(text.find_first_not_of(kBlanks), text.size());
  text.remove_prefix(start);
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// A pattern of LIKE that only matches this name.
std::string PatternOf(std::string_view name) {
  std::string pattern;
  for (char c : name) {
    pattern.append(c == '_' || c == '%' || c == '\\' ? 1 : 0, '\\');
    pattern += c;
  }
  return pattern;
}

// While one of these exists, ctrl-C cancels the session's statement. At most one exists at a time.
class Interrupts {
 public:
  explicit Interrupts(sql::Session* session) : session_(session) {
    event_ = eventfd(0, EFD_CLOEXEC);
    struct sigaction action = {};
    action.sa_handler = [](int) {
      uint64_t one = 1;
      [[maybe_unused]] ssize_t written = write(event_, &one, sizeof(one));
    };
    sigaction(SIGINT, &action, &before_);
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_UNBLOCK, &interrupt, &mask_before_);
    watcher_ = std::thread([this] { Watch(); });
  }
  ~Interrupts() {
    pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
    sigaction(SIGINT, &before_, nullptr);
    ended_ = true;
    eventfd_write(event_, 1);
    watcher_.join();
    close(event_);
  }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // A signal cancels only work between these calls.
  void Begin() { running_ = true; }
  void End() { running_ = false; }

 private:
  void Watch() {
    uint64_t count = 0;
    while (read(event_, &count, sizeof(count)) > 0 && !ended_) {
      if (running_) {
        session_->Cancel();
      }
    }
  }

  static inline int event_ = -1;
  sql::Session* session_;
  std::atomic<bool> running_ = false;
  std::atomic<bool> ended_ = false;
  struct sigaction before_ = {};
  sigset_t mask_before_ = {};
  std::thread watcher_;
};

// Shows on a terminal how many rows a long statement has read so far.
class StatementProgress {
 public:
  StatementProgress(const Console& console, const sql::Session& session) {
    if (console.progress) {
      drawer_ = std::thread([this, &console, &session] { Draw(console, session); });
    }
  }
  ~StatementProgress() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_one();
    if (drawer_.joinable()) {
      drawer_.join();
    }
  }
  StatementProgress(const StatementProgress&) = delete;
  StatementProgress& operator=(const StatementProgress&) = delete;

 private:
  void Draw(const Console& console, const sql::Session& session) {
    constexpr auto kEvery = std::chrono::milliseconds(500);
    ProgressBar bar(console, "rows read:", 0);
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kEvery, [&] { return ended_; })) {
      bar.Set(session.rows_read());
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::thread drawer_;
};

// Selects the columns with these labels from JDBC's metadata.
class SelectedRows : public sql::Rows {
 public:
  SelectedRows(std::unique_ptr<sql::Rows> rows, std::initializer_list<std::string_view> labels)
      : rows_(std::move(rows)) {
    for (std::string_view label : labels) {
      for (size_t i = 0; i < rows_->columns().size(); ++i) {
        if (rows_->columns()[i].label == label) {
          columns_.push_back(rows_->columns()[i]);
          positions_.push_back(i);
        }
      }
    }
  }

  const std::vector<sql::Column>& columns() const override { return columns_; }
  int64_t updated() const override { return -1; }
  Expected<bool> Next() override { return rows_->Next(); }
  const sql::Value& value(size_t column) const override { return rows_->value(positions_[column]); }

 private:
  std::unique_ptr<sql::Rows> rows_;
  std::vector<sql::Column> columns_;
  std::vector<size_t> positions_;
};

constexpr std::string_view kShellHelp =
    "SQL statements end with a semicolon. Commands:\n"
    "  \\d, !tables              tables and views\n"
    "  \\d T, !describe T        a table's columns\n"
    "  \\format table|csv|json   how rows are printed\n"
    "  \\timing                  turn the display of times on or off\n"
    "  !autocommit on|off       off: changes wait for !commit or !rollback\n"
    "  \\?, !help                this list\n"
    "  \\q, !quit                end\n";

}  // namespace

bool SqlShell::RunScript(std::string_view text, const std::string& name) {
  // Each command has its own line; the text between commands is statements.
  size_t begin = 0;
  int line = 1;
  auto report = [&](int at, const Status& status) {
    std::fflush(console_.out);
    console_.PrintError(name + ":" + std::to_string(at) + ": " + status.message());
    return false;
  };
  while (begin < text.size()) {
    size_t end = begin;
    std::string_view command;
    while (end < text.size()) {
      size_t line_end = std::min(text.find('\n', end), text.size());
      std::string_view one = Trimmed(text.substr(end, line_end - end));
      if (IsCommand(one)) {  // unless it is inside of a statement
        std::vector<sql::ScriptStatement> before = sql::SplitScript(text.substr(begin, end - begin));
        if (before.empty() || before.back().ended) {
          command = one;
          break;
        }
      }
      end = std::min(line_end + 1, text.size());
    }
    std::string_view statements = text.substr(begin, end - begin);
    for (const sql::ScriptStatement& statement : sql::SplitScript(statements)) {
      if (Status run = RunStatement(statement.text); !run.ok()) {
        return report(line + statement.line - 1, run);
      }
    }
    const int command_line = line + static_cast<int>(std::count(statements.begin(), statements.end(), '\n'));
    if (command.empty()) {
      return true;
    }
    Expected<Outcome> outcome = RunCommand(command);
    if (!outcome.ok()) {
      return report(command_line, outcome.status());
    }
    if (*outcome == Outcome::kQuit) {
      return true;
    }
    begin = std::min(text.find('\n', end), text.size() - 1) + 1;
    line = command_line + 1;
  }
  return true;
}

Status SqlShell::RunStatement(const std::string& sql) {
  int64_t start_us = MonotonicUs();
  const auto run = [&] {
    const StatementProgress progress(console_, *session_);
    return session_->Execute(sql);
  };
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<sql::Rows> rows, run());
  int64_t count = rows->updated();
  bool gives_rows = !rows->columns().empty();
  if (gives_rows) {
    KLIP_ASSIGN_OR_RETURN(count, PrintSqlRows(console_, form_, rows.get()));
  }
  if ((terminal_ && form_ == OutputForm::kText) || timing_) {
    const int64_t spilled = rows->temporary_bytes();
    console_.Print("{} row{}{}{}{}\n", FormatCount(count), count == 1 ? "" : "s", gives_rows ? "" : " changed",
                   timing_ ? " in " + FormatDuration(MonotonicUs() - start_us) : "",
                   timing_ && spilled > 0 ? ", " + FormatBytes(spilled) + " written to a temporary file" : "");
  }
  names_loaded_ = names_loaded_ && gives_rows;
  return Status::Ok();
}

Expected<SqlShell::Outcome> SqlShell::RunCommand(std::string_view line) {
  line = Trimmed(line.substr(0, line.find_last_not_of(" \t;") + 1));
  size_t space = std::min(line.find_first_of(kBlanks), line.size());
  std::string_view name = line.substr(0, space);
  std::string_view argument = Trimmed(line.substr(space));
  if (name == "\\q" || name == "!quit" || name == "!exit") {
    return Outcome::kQuit;
  }
  if (name == "\\?" || name == "!help") {
    console_.Write(kShellHelp);
  } else if (name == "\\timing") {
    timing_ = !timing_;
  } else if (name == "\\format" || name == "!outputformat") {
    return SetForm(argument);
  } else if (name == "!autocommit") {
    return SetAutoCommit(argument);
  } else if (name == "!commit") {
    KLIP_RETURN_IF_ERROR(session_->Commit());
  } else if (name == "!rollback") {
    KLIP_RETURN_IF_ERROR(session_->Rollback());
  } else if (name == "!tables" || (name == "\\d" && argument.empty())) {
    KLIP_RETURN_IF_ERROR(PrintTables());
  } else if ((name == "\\d" || name == "!describe" || name == "!columns") && !argument.empty()) {
    KLIP_RETURN_IF_ERROR(PrintColumns(argument));
  } else {
    return Status(Code::kInvalidArgument, "no command '" + std::string(line) + "'; \\? lists them");
  }
  return Outcome::kDone;
}

Expected<SqlShell::Outcome> SqlShell::SetForm(std::string_view name) {
  if (name != "table" && name != "csv" && name != "json") {
    return Status(Code::kInvalidArgument, "\\format table, csv or json");
  }
  form_ = name == "csv" ? OutputForm::kCsv : name == "json" ? OutputForm::kJson : OutputForm::kText;
  return Outcome::kDone;
}

Expected<SqlShell::Outcome> SqlShell::SetAutoCommit(std::string_view value) {
  if (value != "on" && value != "off") {
    return Status(Code::kInvalidArgument, "!autocommit on or off");
  }
  KLIP_RETURN_IF_ERROR(session_->SetAutoCommit(value == "on"));
  return Outcome::kDone;
}

Status SqlShell::PrintTables() {
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<sql::Rows> rows, session_->Tables({.types = {"TABLE", "VIEW"}}));
  SelectedRows selected(std::move(rows), {"TABLE_SCHEM", "TABLE_NAME", "TABLE_TYPE"});
  return PrintSqlRows(console_, form_, &selected).status();
}

Status SqlShell::PrintColumns(std::string_view table) {
  sql::TablePattern pattern;
  std::vector<sql::Token> tokens = sql::Tokenize(table.substr(0, sql::kMaxStatementBytes));
  std::vector<std::string> names;
  for (const sql::Token& token : tokens) {
    if (token.kind != sql::TokenKind::kDot && token.kind != sql::TokenKind::kEnd) {
      names.push_back(sql::NormalizedName(table.substr(token.offset, token.length)));
    }
  }
  if (names.empty() || names.size() > 2) {
    return {Code::kInvalidArgument, "'" + std::string(table) + "' is not a table's name"};
  }
  pattern.table = PatternOf(names.back());
  pattern.schema = names.size() == 2 ? std::optional(PatternOf(names.front())) : std::nullopt;
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<sql::Rows> rows, session_->Columns(pattern));
  SelectedRows selected(std::move(rows), {"TABLE_SCHEM", "COLUMN_NAME", "TYPE_NAME", "COLUMN_SIZE", "IS_NULLABLE"});
  KLIP_ASSIGN_OR_RETURN(int64_t columns, PrintSqlRows(console_, form_, &selected));
  return columns > 0 ? Status::Ok() : Status(Code::kTableNotFound, "no table '" + std::string(table) + "'");
}

void SqlShell::LoadNames() {
  std::set<std::string> names;
  for (bool columns : {false, true}) {
    Expected<std::unique_ptr<sql::Rows>> rows = columns ? session_->Columns({}) : session_->Tables({});
    if (!rows.ok()) {
      continue;
    }
    SelectedRows selected(*std::move(rows), {columns ? "COLUMN_NAME" : "TABLE_NAME", "TABLE_SCHEM"});
    Expected<bool> more = selected.Next();
    while (more.ok() && *more) {
      const bool named = !selected.columns().empty() && !selected.value(0).is_null();
      const bool system = named && !selected.value(1).is_null() && selected.value(1).text() == "SYSTEM";
      if (named && (!columns || !system)) {
        names.insert(sql::QuotedName(selected.value(0).text()));
      }
      more = selected.Next();
    }
  }
  names_.assign(names.begin(), names.end());
  names_loaded_ = true;
}

// Words of klip's SQL that can be names, since Phoenix does not reserve them.
constexpr std::string_view kOtherWords[] = {
    "BEGIN", "COMMIT", "CROSS",     "EXCEPT",    "FOLLOWING", "INSERT",   "INTERSECT", "ISOLATION",   "LEVEL",
    "MINUS", "OVER",   "PARTITION", "PRECEDING", "RANGE",     "ROLLBACK", "SAVEPOINT", "TRANSACTION", "UNBOUNDED"};

std::vector<std::string> SqlShell::Complete(const std::string& word) {
  if (!names_loaded_) {
    LoadNames();
  }
  std::string upper = word.starts_with('"') ? word : sql::NormalizedName(word);
  std::set<std::string> found;
  for (const std::string& name : names_) {
    if (name.starts_with(upper)) {
      found.insert(name);
    }
  }
  const auto add = [&](std::string_view known) {
    if (!word.empty() && known.starts_with(upper)) {
      found.emplace(known);
    }
  };
  std::ranges::for_each(sql::ReservedWords(), add);
  std::ranges::for_each(kOtherWords, add);
  return {found.begin(), found.end()};
}

void SqlShell::RunTerminal(const std::string& history) {
  terminal_ = true;
  Interrupts interrupts(session_);
  LineEditor editor(console_, history, [this](const std::string&, const std::string& word) { return Complete(word); });
  std::string text;  // of the statement that is typed
  auto report = [&](const Status& status) {
    if (!status.ok()) {
      std::fflush(console_.out);
      console_.PrintError(status.message());
    }
  };
  while (true) {
    std::string line;
    LineEditor::Outcome read = editor.Read(text.empty() ? "klip> " : "   -> ", &line);
    if (read == LineEditor::Outcome::kEnd) {
      return;
    }
    if (read == LineEditor::Outcome::kInterrupted) {
      text.clear();
      continue;
    }
    interrupts.Begin();
    if (text.empty() && IsCommand(Trimmed(line))) {
      editor.Remember(line);
      Expected<Outcome> outcome = RunCommand(Trimmed(line));
      report(outcome.status());
      if (outcome.ok() && *outcome == Outcome::kQuit) {
        return;
      }
    } else {
      text += (text.empty() ? "" : "\n") + line;
      std::vector<sql::ScriptStatement> statements = sql::SplitScript(text);
      bool ended = statements.empty() || statements.back().ended;
      if (ended) {
        if (!statements.empty()) {
          editor.Remember(text);
        }
        text.clear();
        for (size_t i = 0; i < statements.size(); ++i) {
          Status run = RunStatement(statements[i].text);
          report(run);
          i = run.ok() ? i : statements.size();
        }
      }
    }
    interrupts.End();
    std::fflush(console_.out);
  }
}

}  // namespace klip::cli
