// klip sql: SQL on a store or cluster.
#include <fstream>
#include <iterator>
#include <optional>

#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/command.h"
#include "cli/sql_shell.h"
#include "klip/sql.h"
#include "rowkey/time_text.h"

namespace klip::cli {
namespace {

struct SqlCommand {
  std::string store;
  std::vector<std::string> statements;
  std::vector<std::string> files;
  bool ignore_coprocessors = false;
  std::string schema;
  std::string tenant;
  std::string as_of;
  int32_t threads = 1;
  int64_t memory_limit = sql::SessionOptions().memory_bytes;
  OutputForm form = OutputForm::kText;

  // ~/.klip_history, unless there is no home.
  static std::string HistoryFile() {
    const char* home = std::getenv("HOME");
    return home == nullptr || *home == '\0' ? "" : std::string(home) + "/.klip_history";
  }

  static Expected<std::string> ReadAll(const Console& console, const std::string& path) {
    if (path == "-") {
      return Contents(console.in, path);
    }
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    return file == nullptr ? Expected<std::string>(UsageError("cannot read " + path)) : Contents(file.get(), path);
  }

  static Expected<std::string> Contents(std::FILE* file, const std::string& path) {
    std::string text;
    char buffer[1 << 16];
    size_t read = 0;
    do {
      read = std::fread(buffer, 1, sizeof(buffer), file);
      text.append(buffer, read);
    } while (read == sizeof(buffer));
    if (text.starts_with("\xef\xbb\xbf")) {  // a byte order mark
      text.erase(0, 3);
    }
    return std::ferror(file) != 0 ? Expected<std::string>(UsageError("cannot read " + path))
                                  : Expected(std::move(text));
  }

  // Announces a new store, since a mistyped path would otherwise look like a store whose tables are gone.
  Expected<std::unique_ptr<Connection>> OpenOrCreate(const Console& console) const {
    const bool is_new = IsMissing(store);
    Expected<std::unique_ptr<Connection>> connection =
        OpenStore(store, {.create_if_missing = true, .ignore_coprocessors = ignore_coprocessors});
    if (connection.ok() && is_new) {
      console.PrintError("created the store '" + store + "'");
    }
    return connection;
  }

  Expected<int64_t> AsOfMs() const {
    if (as_of.empty()) {
      return 0;
    }
    if (const std::optional<rowkey::TimeSpan> time = rowkey::IsRelativeTime(as_of)
                                                         ? rowkey::ParseRelativeTime(as_of, base::SystemMs())
                                                         : rowkey::ParseTime(as_of);
        time.has_value()) {
      return time->first_ms == 0 ? 1 : time->first_ms;  // 0: now
    }
    return UsageError("--as-of: '" + as_of + "' is not a time, such as 2026-11-26T03:15:00Z or now-1h");
  }

  Expected<int> operator()(const Console& console) const {
    KLIP_ASSIGN_OR_RETURN(const int64_t as_of_ms, AsOfMs());
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Connection> connection, OpenOrCreate(console));
    sql::SessionOptions session_options{
        .schema = schema, .tenant = tenant, .as_of_ms = as_of_ms, .threads = threads, .memory_bytes = memory_limit};
    KLIP_ASSIGN_OR_RETURN(std::unique_ptr<sql::Session> session,
                          sql::Session::Open(connection.get(), std::move(session_options)));
    SqlShell shell(console, session.get(), form);
    std::vector<std::string> scripts = files;
    if (statements.empty() && files.empty()) {
      if (isatty(fileno(console.in)) != 0) {
        shell.RunTerminal(HistoryFile());
        return kExitOk;
      }
      scripts.emplace_back("-");
    }
    for (const std::string& statement : statements) {
      if (!shell.RunScript(statement, "-e")) {
        return kExitError;
      }
    }
    for (const std::string& path : scripts) {
      KLIP_ASSIGN_OR_RETURN(std::string text, ReadAll(console, path));
      if (!shell.RunScript(text, path)) {
        return kExitError;
      }
    }
    return kExitOk;
  }
};

}  // namespace

Run AddSqlCommand(Arguments* args) {
  auto command = std::make_shared<SqlCommand>();
  args->Add("STORE", &command->store,
            "a directory, created if it has no store, klip:DIRECTORY, or a cluster: hbase+rpc://HOST:PORT, "
            "hbase+zk://HOST:PORT")
      .Required();
  args->Add("--execute,-e", &command->statements, "run these statements and exit; repeatable");
  args->Add("--file,-f", &command->files, "run the statements of this file and exit; - is the standard input");
  AddIgnoreCoprocessors(args, &command->ignore_coprocessors);
  args->Add("--schema", &command->schema, "schema of tables that are named without one");
  args->Add("--tenant", &command->tenant, "tenant whose rows, views and sequences the session sees");
  args->Add("--as-of", &command->as_of,
            "read what was written before this time, e.g. 2026-11-26T03:15:00Z or now-1h; and write with this time");
  args->Add("--threads", &command->threads, "threads of a scan; 0: one per core").Between(0, 1024);
  args->Add("--memory-limit", &command->memory_limit,
            "memory for groups, sorted rows and joins of a statement; more goes to a file in TMPDIR (default 256MB)")
      .Bytes();
  args->AddForm(&command->form, "rows as JSON, one object per line", "rows as CSV");
  return [command](const Console& console) { return (*command)(console); };
}

}  // namespace klip::cli
