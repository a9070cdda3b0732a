// The program: reads the command line, runs the command, turns its Status into a text and an exit code.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <utility>

#include <CLI/CLI.hpp>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "cli/command.h"

namespace klip::cli {
namespace {

struct CommandRow {
  const char* name;
  const char* summary;
  AddCommand add;
};

// In the order of the help text. A command is its file and its row here.
constexpr CommandRow kCommands[] = {
    {"create", "create a table", AddCreateCommand},
    {"list", "list the tables of a store", AddListCommand},
    {"describe", "show a table's families, attributes and regions", AddDescribeCommand},
    {"alter", "change a table's families, attributes and row-key schema", AddAlterCommand},
    {"truncate", "delete all rows of a table", AddTruncateCommand},
    {"drop", "delete a table with its data", AddDropCommand},
    {"put", "write columns of a row", AddPutCommand},
    {"get", "read a row", AddGetCommand},
    {"delete", "delete a row, or families or columns of it", AddDeleteCommand},
    {"scan", "read rows: a range, a prefix, or by conditions on key fields", AddScanCommand},
    {"explain", "show the plan of a scan; with --run, run it and show actual figures", AddExplainCommand},
    {"advise", "check row keys, and find keys that serve your queries better", AddAdviseCommand},
    {"count", "count rows, in total or by leading key fields", AddCountCommand},
    {"first", "read the first row of a table", AddFirstCommand},
    {"last", "read the last row of a table", AddLastCommand},
    {"prepend", "insert a row before the first, for keys that count down", AddPrependCommand},
    {"sql", "run SQL, with the syntax of Apache Phoenix, from a prompt or a script", AddSqlCommand},
    {"import", "load rows from CSV, TSV or JSON lines, or a whole export", AddImportCommand},
    {"load", "the same as import", AddImportCommand},
    {"export", "export a table into a directory, or rows as JSON lines or CSV", AddExportCommand},
    {"copy", "copy a table to another store or cluster", AddCopyCommand},
    {"compare", "compare two tables cell by cell, and list the rows that differ", AddCompareCommand},
    {"index", "create, list, verify, rebuild or drop secondary indexes", AddIndexCommand},
    {"stats", "show statistics of tables, files and caches", AddStatsCommand},
    {"status", "show the servers of a cluster, and their load", AddStatusCommand},
    {"snapshot", "take a snapshot of a table", AddSnapshotCommand},
    {"snapshots", "list or drop snapshots", AddSnapshotsCommand},
    {"restore", "restore a table from a snapshot", AddRestoreCommand},
    {"backup", "create, list, verify, restore, test or drop backups of a store", AddBackupCommand},
    {"namespaces", "list, create or drop namespaces", AddNamespacesCommand},
    {"compact", "flush and rewrite a table's files", AddCompactCommand},
    {"serve", "serve HBase's clients over HBase's own protocol", AddServeCommand},
    {"shell", "run HBase's shell, in Ruby (see `klip shell --help`)", AddShellCommand},
    {"rest", "serve HBase's REST clients over HTTP", AddRestCommand},
    {"thrift", "serve HBase's Thrift clients, such as happybase", AddThriftCommand},
    {"console", "show tables, queries, load and SQL in a browser", AddConsoleCommand},
    {"help", "explain a topic: `klip help keys` for row-key schemas and queries", AddHelpCommand},
    {"doctor", "check this machine and a store, and suggest changes", AddDoctorCommand},
    {"repair", "copy the readable data of a store whose log or MANIFEST is damaged", AddRepairCommand},
    {"completion", "print the script that completes klip's command line in a shell", AddCompletionCommand},
    {"man", "write klip's manual pages", AddManCommand},
    {"complete", "", AddCompleteCommand},
    {"demo", "run the fuzzy date query on 13 rows, then on one year of data", AddDemoCommand},
};

int Report(const Console& console, const std::string& message, int code) {
  std::fflush(console.out);
  console.PrintError(message);
  return code;
}

// Fails if the output could not be written.
int Finish(const Console& console, int code) {
  const bool written = std::fflush(console.out) == 0 && !console.failed();
  return written ? code : Report(console, "cannot write the output; is the disk full?", kExitError);
}

// " scan" once the command line named it, else nothing.
std::string Chosen(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? "" : " " + commands.front()->get_name();
}

// The edit distance: how many letters to change, insert or delete.
size_t Distance(std::string_view from, std::string_view to) {
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < to.size(); ++j) {
      const size_t changed = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

// How to do what the program has no command for, by the command names that users try.
struct Elsewhere {
  std::string_view name;
  const char* hint;
};
constexpr Elsewhere kElsewhere[] = {
    {"enable", "enable 'TABLE'"},
    {"disable", "disable 'TABLE'"},
    {"split", "split 'TABLE', 'KEY'"},
    {"append", "append 'TABLE', 'ROW', 'FAMILY:QUALIFIER', 'VALUE'"},
    {"incr", "incr 'TABLE', 'ROW', 'FAMILY:QUALIFIER', 1"},
    {"exists", "exists 'TABLE'"},
};

// The error message for an unknown command name; empty if the name is known.
std::string CommandMistake(const std::vector<std::string>& args) {
  if (args.empty()) {
    return "no command given";
  }
  const std::string& name = args.front();
  for (const Elsewhere& elsewhere : kElsewhere) {
    if (name == elsewhere.name) {
      return fmt::format("'{}' is a command of the shell: echo \"{}\" | klip shell STORE", name, elsewhere.hint);
    }
  }
  const CommandRow* nearest = nullptr;
  size_t distance = 3;  // more changes than a typo
  for (const CommandRow& row : kCommands) {
    if (name.starts_with('-') || name == row.name) {
      return {};
    }
    if (const size_t away = Distance(name, row.name); away < std::min(distance, name.size())) {
      nearest = &row;
      distance = away;
    }
  }
  return "unknown command '" + name + "'" +
         (nearest != nullptr ? fmt::format("; did you mean {}?", nearest->name) : "");
}

// Of klip:DIRECTORY[?options].
std::string DirectoryOf(const std::string& uri) {
  constexpr size_t kScheme = sizeof("klip:") - 1;
  return uri.substr(kScheme, uri.rfind('?') - kScheme);
}

// "; did you mean --reverse?": the option of the command that is nearest to `name`, or nothing.
std::string NearestOption(const CLI::App& command, std::string_view name) {
  std::string nearest;
  size_t distance = 3;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& known : option->get_lnames()) {
      if (const size_t away = Distance(name, "--" + known); away < distance) {
        nearest = known;
        distance = away;
      }
    }
  }
  return nearest.empty() ? "" : "; did you mean --" + nearest + "?";
}

// The error message for arguments that the command does not have.
std::string ExtraArguments(const CLI::App& command) {
  const std::vector<std::string> extra = command.remaining();
  for (const std::string& argument : extra) {
    if (argument.starts_with("--")) {
      const std::string name = argument.substr(0, argument.find('='));
      return "unknown option " + name + NearestOption(command, name);
    }
  }
  return fmt::format("unexpected argument{} {}", extra.size() > 1 ? "s" : "", fmt::join(extra, " "));
}

// CLI11 2.4 ignores variables with faulty values, older versions reject them. Throws the error that an option would get.
void RejectFaultyVariables(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    const char* const value = option->get_envname().empty() ? nullptr : std::getenv(option->get_envname().c_str());
    if (value != nullptr && *value != '\0' && option->count() == 0) {
      option->add_result(std::string(value));
      option->run_callback();
    }
  }
}

// CLI11's error message, with the environment variable instead of the option if the value came from there.
std::string WithVariable(const CLI::App& command, const std::vector<std::string>& args, std::string message) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name() + ":";
    const auto given = [&](const std::string& argument) { return argument.starts_with(option->get_name()); };
    if (!option->get_envname().empty() && message.starts_with(name) && std::ranges::none_of(args, given)) {
      return option->get_envname() + message.substr(name.size() - 1);
    }
  }
  return message;
}

// The process that holds the lock of a store.
struct Holder {
  int process = 0;  // 0: unknown
  std::vector<std::string> words;

  bool is_server() const { return words.size() > 1 && words[1] == "serve"; }
  // Of klip serve. Empty if it chose the port itself, or its configuration says more than its command line.
  std::string RpcPort() const {
    for (size_t i = 2; i < words.size(); ++i) {
      if (words[i].starts_with("--config")) {
        return {};
      }
      if (words[i].starts_with("--rpc-port")) {
        const size_t equals = words[i].find('=');
        const std::string port = equals != std::string::npos ? words[i].substr(equals + 1)
                                 : i + 1 < words.size()      ? words[i + 1]
                                                             : std::string();
        return port == "0" ? std::string() : port;
      }
    }
    return "16020";
  }
};

// Read from /proc/locks, since opening and closing the lock file would release the lock if this process holds it.
Holder HolderOf(const std::string& directory) {
  struct stat file = {};
  if (::stat((directory + "/STORE.LOCK").c_str(), &file) != 0) {
    return {};
  }
  const std::string wanted = fmt::format("{:02x}:{:02x}:{}", major(file.st_dev), minor(file.st_dev), file.st_ino);
  std::ifstream locks("/proc/locks");
  std::string number;
  std::string kind;
  std::string advisory;
  std::string mode;
  int process = 0;
  std::string inode;
  std::string rest;
  while (locks >> number >> kind >> advisory >> mode >> process >> inode && std::getline(locks, rest)) {
    if (inode != wanted || process <= 0) {
      continue;
    }
    Holder holder = {.process = process, .words = {}};
    std::ifstream command_line(fmt::format("/proc/{}/cmdline", process));
    for (std::string word; std::getline(command_line, word, '\0');) {
      holder.words.push_back(word);
    }
    return holder;
  }
  return {};
}

// ", klip serve (process 42); use its address: hbase+rpc://127.0.0.1:16020"
std::string InUseText(const std::string& directory) {
  const Holder holder = HolderOf(directory);
  if (holder.process == 0) {
    return "; stop it, or use its address (hbase+rpc://HOST:PORT) if it is klip serve";
  }
  if (holder.process == ::getpid()) {
    return {};
  }
  const std::string program =
      holder.words.empty() ? "" : std::filesystem::path(holder.words[0]).filename().string() + " ";
  const std::string argument = holder.words.size() > 1 ? holder.words[1] + " " : "";
  const std::string who = fmt::format(", {}{}(process {})", program, argument, holder.process);
  if (!holder.is_server()) {
    return who + "; stop it, or wait until it ends";
  }
  const std::string port = holder.RpcPort();
  return who + "; use its address: hbase+rpc://127.0.0.1:" + (port.empty() ? "PORT, with the port of its RPC" : port);
}

// What to do about an error, if the program knows; with "; " before it.
std::string_view Remedy(const Status& status) {
  switch (status.code()) {
    case Code::kTableNotFound:
      return "; klip list STORE shows the tables";
    case Code::kTableExists:
      return "; klip alter changes a table, klip drop removes it";
    case Code::kNoSuchColumnFamily:
      return "; klip describe STORE TABLE shows the families, klip alter adds one";
    case Code::kNamespaceNotFound:
      return "; klip namespaces STORE shows and creates them";
    default:
      return {};
  }
}

int ExitCode(const Status& status) { return status.code() == Code::kInvalidArgument ? kExitUsage : kExitError; }

}  // namespace

int RunCli(const std::vector<std::string>& args, const Console& console) {
  if (const std::string mistake = CommandMistake(args); !mistake.empty()) {
    return Report(console, mistake + " (see klip --help)", kExitUsage);
  }
  CLI::App app("HBase's data model in one directory, with row-key schemas and scans that jump.", "klip");
  app.set_version_flag("--version", "klip " KLIP_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 success, 1 not found or condition not met, 2 invalid command line, 3 any other error.\n"
      "`klip COMMAND --help` lists a command's arguments, `klip help keys` explains row keys and queries.\n"
      "Bytes that are not text are written \\xNN.");
  std::vector<std::pair<CLI::App*, Run>> commands;
  for (const CommandRow& row : kCommands) {
    CLI::App* command = app.add_subcommand(row.name, row.summary);
    if (*row.summary == '\0') {
      command->group("");  // for scripts: not in the help
    }
    Arguments arguments(command);
    commands.emplace_back(command, row.add(&arguments));
  }
  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));  // CLI11 takes them last first
    RejectFaultyVariables(*app.get_subcommands().front());
  } catch (const CLI::Success& success) {  // --help, --version
    std::string text = success.get_name() == "CallForVersion" ? app.version() + "\n" : app.help();
    console.Write(text);
    return Finish(console, kExitOk);
  } catch (const CLI::ParseError& error) {
    const CLI::App& command = app.get_subcommands().empty() ? app : *app.get_subcommands().front();
    const bool extra = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
    const std::string mistake = extra ? ExtraArguments(command) : WithVariable(command, args, error.what());
    return Report(console, fmt::format("{} (see klip{} --help)", mistake, Chosen(app)), kExitUsage);
  }
  for (auto& [command, run] : commands) {
    if (!command->parsed()) {
      continue;
    }
    const Expected<int> code = run(console);
    if (!code.ok()) {
      const Status& error = code.status();
      return Report(console, error.ToString().append(Remedy(error)), ExitCode(error));
    }
    return Finish(console, *code);
  }
  return kExitUsage;
}

bool IsMissing(const std::string& store) {
  if (store.starts_with("hbase+")) {
    return false;
  }
  const std::string path = store.starts_with("klip:") ? DirectoryOf(store) : store;
  std::error_code error;
  return !std::filesystem::exists(std::filesystem::path(path) / "FORMAT", error) && !error;
}

Expected<std::unique_ptr<Connection>> OpenStore(const std::string& store, bool create_if_missing) {
  ConnectionOptions options;
  options.create_if_missing = create_if_missing;
  return OpenStore(store, options);
}

Expected<std::unique_ptr<Connection>> OpenStore(const std::string& store, const ConnectionOptions& options) {
  bool is_uri = store.starts_with("klip:") || store.starts_with("hbase+");
  if (!is_uri && store.find("://") != std::string::npos) {
    return UsageError("'" + store +
                      "' is not a directory, klip:DIRECTORY, hbase+rpc://HOST:PORT or hbase+zk://HOST:PORT[/ZNODE]");
  }
  const std::string uri = is_uri ? store : "klip:" + store;
  Expected<std::unique_ptr<Connection>> connection = Connection::Open(uri, options);
  if (!connection.ok() && uri.starts_with("klip:")) {
    return WithRemedy(connection.status(), DirectoryOf(uri));
  }
  return connection;
}

Status WithRemedy(const Status& status, const std::string& directory) {
  std::error_code error;
  if (std::filesystem::is_regular_file(directory, error)) {
    return UsageError("'" + directory + "' is a file; a store is a directory");
  }
  if (status.code() == Code::kIoError && status.message().starts_with("no store at ")) {
    return {status.code(), status.message() + "; klip create, sql, shell and serve create one"};
  }
  if (status.code() != Code::kStoreInUse) {
    return status;
  }
  return {Code::kStoreInUse, status.message() + InUseText(directory)};
}

void TableArguments::AddTo(Arguments* args) {
  args->Add("STORE", &store, "a directory, klip:DIRECTORY, or a cluster: hbase+rpc://HOST:PORT, hbase+zk://HOST:PORT")
      .Required();
  args->Add("TABLE", &table, "the table's name, [namespace:]name").Required();
}

void TableArguments::AddWritingTo(Arguments* args) {
  AddTo(args);
  AddIgnoreCoprocessors(args, &ignore_coprocessors);
}

void AddIgnoreCoprocessors(Arguments* args, bool* ignore) {
  args->AddFlag("--no-coprocessors", ignore, "for a directory: open tables without their coprocessors");
}

Expected<OpenTable> Open(const TableArguments& arguments) {
  OpenTable open;
  KLIP_ASSIGN_OR_RETURN(
      open.connection,
      OpenStore(arguments.store, {.create_if_missing = false, .ignore_coprocessors = arguments.ignore_coprocessors}));
  KLIP_ASSIGN_OR_RETURN(open.table, open.connection->GetTable(arguments.table));
  return open;
}

}  // namespace klip::cli
