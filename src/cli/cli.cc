// The program: reads the command line, runs the command, turns its Status into a text and an exit code.
#include <algorithm>
#include <numeric>
#include <utility>

#include <CLI/CLI.hpp>

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
    {"create", "make a table", AddCreateCommand},
    {"list", "the tables of a store", AddListCommand},
    {"describe", "a table's families, attributes and regions", AddDescribeCommand},
    {"drop", "delete a table with its data", AddDropCommand},
    {"put", "write columns of a row", AddPutCommand},
    {"get", "read a row", AddGetCommand},
    {"delete", "delete a row, a family or columns of it", AddDeleteCommand},
    {"scan", "read rows: a range, a prefix, or by conditions on key fields", AddScanCommand},
    {"explain", "how a scan would find its rows, and with --run what it did", AddExplainCommand},
    {"count", "count rows, in all or by leading key fields", AddCountCommand},
    {"first", "the first row of a table", AddFirstCommand},
    {"last", "the last row of a table", AddLastCommand},
    {"prepend", "insert a row before the first, for keys that count down", AddPrependCommand},
    {"import", "load rows from CSV, TSV or JSON lines, or all of an export", AddImportCommand},
    {"load", "the same as import", AddImportCommand},
    {"export", "write all of a table into a directory, or rows as JSON lines or CSV", AddExportCommand},
    {"copy", "copy a table to another store or cluster", AddCopyCommand},
    {"compare", "compare two tables cell by cell, and name the rows that differ", AddCompareCommand},
    {"stats", "what the store knows of its tables, files and caches", AddStatsCommand},
    {"status", "the servers of a cluster, and their load", AddStatusCommand},
    {"compact", "flush and rewrite a table's files", AddCompactCommand},
    {"serve", "answer HBase's clients over HBase's own protocol", AddServeCommand},
    {"shell", "HBase's shell, in Ruby; `klip shell --help` tells its arguments", AddShellCommand},
    {"rest", "answer HBase's REST clients, over HTTP", AddRestCommand},
    {"thrift", "answer HBase's Thrift clients, happybase and others", AddThriftCommand},
    {"doctor", "look at what klip needs on this machine, and say what to do", AddDoctorCommand},
    {"completion", "the script that completes klip's command line in a shell", AddCompletionCommand},
    {"man", "write klip's manual pages", AddManCommand},
    {"complete", "", AddCompleteCommand},
    {"demo", "the fuzzy date query: 13 rows, then one year of data", AddDemoCommand},
};

int Report(const Console& console, const std::string& message, int code) {
  std::fflush(console.out);
  fmt::print(console.err, "klip: {}\n", message);
  return code;
}

// " scan" once the command line named it, else nothing.
std::string Chosen(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? "" : " " + commands.front()->get_name();
}

// Letters to change, add or leave out to make one of the other.
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

// What is wrong with the name of the command; empty: nothing.
std::string CommandMistake(const std::vector<std::string>& args) {
  if (args.empty()) {
    return "which command?";
  }
  const std::string& name = args.front();
  const CommandRow* nearest = nullptr;
  size_t distance = 3;  // more is no slip of the fingers
  for (const CommandRow& row : kCommands) {
    if (name.starts_with('-') || name == row.name) {
      return {};
    }
    if (const size_t away = Distance(name, row.name); away < std::min(distance, name.size())) {
      nearest = &row;
      distance = away;
    }
  }
  return "there is no command '" + name + "'" + (nearest != nullptr ? fmt::format("; {}?", nearest->name) : "");
}

int ExitCode(const Status& status) { return status.code() == Code::kInvalidArgument ? kExitUsage : kExitError; }

}  // namespace

int RunCli(const std::vector<std::string>& args, const Console& console) {
  if (const std::string mistake = CommandMistake(args); !mistake.empty()) {
    return Report(console, mistake + " (see klip --help)", kExitUsage);
  }
  CLI::App app("HBase's data model in one directory, with row-key schemas and jumping scans.", "klip");
  app.set_version_flag("--version", "klip " KLIP_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 not found or not met, 2 usage, 3 error of the store.\n"
      "`klip COMMAND --help` tells a command's arguments. Bytes that are not printable are written \\xNN.");
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
  } catch (const CLI::Success& success) {                             // --help, --version
    std::string text = success.get_name() == "CallForVersion" ? app.version() + "\n" : app.help();
    console.Write(text);
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    return Report(console, fmt::format("{} (see klip{} --help)", error.what(), Chosen(app)), kExitUsage);
  }
  for (auto& [command, run] : commands) {
    if (!command->parsed()) {
      continue;
    }
    Expected<int> code = run(console);
    if (std::fflush(console.out) != 0 && code.ok()) {
      return Report(console, "cannot write the output", kExitError);
    }
    return code.ok() ? *code : Report(console, code.status().ToString(), ExitCode(code.status()));
  }
  return kExitUsage;
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
                      "' is no directory, klip:DIRECTORY, hbase+rpc://HOST:PORT or hbase+zk://HOST:PORT[/ZNODE]");
  }
  return Connection::Open(is_uri ? store : "klip:" + store, options);
}

void TableArguments::AddTo(Arguments* args) {
  args->Add("STORE", &store, "a directory, klip:DIRECTORY, or a cluster: hbase+rpc://HOST:PORT, hbase+zk://HOST:PORT")
      .Required();
  args->Add("TABLE", &table, "the table's name, [namespace:]name").Required();
}

Expected<OpenTable> Open(const TableArguments& arguments) {
  OpenTable open;
  KLIP_ASSIGN_OR_RETURN(open.connection, OpenStore(arguments.store));
  KLIP_ASSIGN_OR_RETURN(open.table, open.connection->GetTable(arguments.table));
  return open;
}

}  // namespace klip::cli
