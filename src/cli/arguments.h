// The arguments of a command: names and help texts, tied to variables. Based on CLI11, whose large header is only
// included in arguments.cc, command_tree.cc and cli.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command_tree.h"
#include "klip/status.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace klip::cli {

// The output form of a command.
enum class OutputForm : uint8_t { kText, kJson, kCsv };

// Properties to set on an argument after adding it.
class Argument {
 public:
  explicit Argument(CLI::Option* option) : option_(option) {}

  Argument& Required();
  Argument& Between(int64_t low, int64_t high);
  Argument& OneOf(std::vector<std::string> choices);
  Argument& NotEmpty();
  Argument& Bytes();   // also written 512MB or 2GB, of 1024 each
  Argument& Commas();  // a list may also be written a,b,c

 private:
  CLI::Option* option_;
};

// `name`: "STORE" (positional) or "--start"; a list takes any number of them. The variables must outlive the parsing.
class Arguments {
 public:
  explicit Arguments(CLI::App* app) : app_(app) {}

  Argument Add(const std::string& name, std::string* value, const std::string& help);
  Argument Add(const std::string& name, std::vector<std::string>* values, const std::string& help);
  Argument Add(const std::string& name, int32_t* value, const std::string& help);
  Argument Add(const std::string& name, int64_t* value, const std::string& help);
  Argument Add(const std::string& name, uint64_t* value, const std::string& help);
  Argument AddFlag(const std::string& name, bool* value, const std::string& help);

  // --json, and --csv for commands that print rows or a list; not both. A CSV starts with a line of names.
  void AddForm(OutputForm* form, const std::string& json_help, const std::string& csv_help);

  // The rest of the command line goes to `arguments` unchanged, even --help.
  void PassOn(std::vector<std::string>* arguments);

  // All commands of the program, including this one. REQUIRES: all of them have been added.
  std::vector<CommandNode> Tree() const { return CommandTree(*app_); }

  // All options added so far are also read from the environment: --rpc-port from PREFIX_RPC_PORT.
  void ReadEnvironment(const std::string& prefix);
  // Sets options that are neither on the command line nor in the environment from the file's lines, "rpc-port = 16020";
  // "#" starts a comment. Call it while the command runs. Errors: kInvalidArgument naming file, line and key.
  Status ReadFile(const std::string& path) const;

 private:
  CLI::App* app_;
};

}  // namespace klip::cli
