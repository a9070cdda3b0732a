// The program's commands and their arguments as data, read from CLI11. Completion and manual pages are generated from it, so that they
// match the program.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace klip::cli {

struct ArgumentNode {
  std::string name;        // "--limit", or "TABLE" when it is positional
  std::string short_name;  // "-n"; empty: none
  std::string help;
  std::string value;                 // what it takes: "INT", "TEXT"; empty for a flag
  std::vector<std::string> choices;  // of values, when only these are allowed
  bool positional = false;
  bool required = false;
  bool many = false;  // takes any number
};

struct CommandNode {
  std::string name;
  std::string summary;
  std::vector<ArgumentNode> arguments;  // positional ones in their order
};

// All commands of the program; `command` is any of them.
std::vector<CommandNode> CommandTree(const CLI::App& command);

}  // namespace klip::cli
