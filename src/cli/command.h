// The commands of the `klip` program. Each has its own file (cmd_<name>.cc) that defines a function AddXxxCommand; cli.cc
// has the table of all commands.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/console.h"
#include "klip/connection.h"
#include "klip/status.h"

namespace klip::cli {

// Exit codes of the program.
inline constexpr int kExitOk = 0;
inline constexpr int kExitNotFound = 1;  // no such row, or a condition not met
inline constexpr int kExitUsage = 2;     // invalid command line
inline constexpr int kExitError = 3;     // the store returned an error

// The work of a command, after the command line was parsed. Returns the exit code, or the error to print.
using Run = std::function<Expected<int>(const Console&)>;

// Defines the command's options on `args` and returns its work. The returned function owns the options.
using AddCommand = Run (*)(Arguments* args);

Run AddAdviseCommand(Arguments* args);
Run AddAlterCommand(Arguments* args);
Run AddBackupCommand(Arguments* args);
Run AddCompactCommand(Arguments* args);
Run AddCompareCommand(Arguments* args);
Run AddCompleteCommand(Arguments* args);
Run AddCompletionCommand(Arguments* args);
Run AddConsoleCommand(Arguments* args);
Run AddCopyCommand(Arguments* args);
Run AddCountCommand(Arguments* args);
Run AddCreateCommand(Arguments* args);
Run AddDeleteCommand(Arguments* args);
Run AddDemoCommand(Arguments* args);
Run AddDescribeCommand(Arguments* args);
Run AddDoctorCommand(Arguments* args);
Run AddRepairCommand(Arguments* args);
Run AddDropCommand(Arguments* args);
Run AddExplainCommand(Arguments* args);
Run AddExportCommand(Arguments* args);
Run AddFirstCommand(Arguments* args);
Run AddGetCommand(Arguments* args);
Run AddHelpCommand(Arguments* args);
Run AddLastCommand(Arguments* args);
Run AddImportCommand(Arguments* args);
Run AddIndexCommand(Arguments* args);
Run AddListCommand(Arguments* args);
Run AddManCommand(Arguments* args);
Run AddNamespacesCommand(Arguments* args);
Run AddPrependCommand(Arguments* args);
Run AddPutCommand(Arguments* args);
Run AddRestCommand(Arguments* args);
Run AddRestoreCommand(Arguments* args);
Run AddScanCommand(Arguments* args);
Run AddServeCommand(Arguments* args);
Run AddShellCommand(Arguments* args);
Run AddSnapshotCommand(Arguments* args);
Run AddSnapshotsCommand(Arguments* args);
Run AddSqlCommand(Arguments* args);
Run AddStatsCommand(Arguments* args);
Run AddStatusCommand(Arguments* args);
Run AddThriftCommand(Arguments* args);
Run AddTruncateCommand(Arguments* args);

// The whole program. `args` without the program's name.
int RunCli(const std::vector<std::string>& args, const Console& console);

// --- Shared by the commands ---

// "klip:dir" or a bare directory.
Expected<std::unique_ptr<Connection>> OpenStore(const std::string& store, bool create_if_missing = false);
Expected<std::unique_ptr<Connection>> OpenStore(const std::string& store, const ConnectionOptions& options);
// --no-coprocessors
void AddIgnoreCoprocessors(Arguments* args, bool* ignore);
// True if `store` names a directory without a store.
bool IsMissing(const std::string& store);
// Adds to an error of opening a store what to do about it: the process that has it open, or how to create it.
Status WithRemedy(const Status& status, const std::string& directory);

// The positional arguments STORE and TABLE.
struct TableArguments {
  std::string store;
  std::string table;
  bool ignore_coprocessors = false;

  void AddTo(Arguments* args);
  // For commands that write: also adds --no-coprocessors.
  void AddWritingTo(Arguments* args);
};

// Table and connection together; the connection outlives the table.
struct OpenTable {
  std::unique_ptr<Connection> connection;
  std::unique_ptr<Table> table;
};
Expected<OpenTable> Open(const TableArguments& arguments);

// Usage errors found after parsing have the same code as errors in texts for the store.
inline Status UsageError(std::string message) { return Status(Code::kInvalidArgument, std::move(message)); }

}  // namespace klip::cli
