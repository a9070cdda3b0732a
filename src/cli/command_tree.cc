#include "cli/command_tree.h"

#include <CLI/CLI.hpp>

namespace klip::cli {
namespace {

// "TEXT:{csv,json}", as CLI11 writes the type of an option with choices.
void ReadType(const std::string& type, ArgumentNode* argument) {
  argument->value = type.substr(0, type.find(':'));
  const size_t open = type.find(":{");
  const size_t close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos) {
    return;
  }
  std::string_view choices = std::string_view(type).substr(open + 2, close - open - 2);
  while (!choices.empty()) {
    const size_t comma = choices.find(',');
    argument->choices.emplace_back(choices.substr(0, comma));
    choices = comma == std::string_view::npos ? std::string_view() : choices.substr(comma + 1);
  }
}

ArgumentNode NodeOf(const CLI::Option& option) {
  ArgumentNode argument{.help = option.get_description(),
                        .positional = option.get_positional(),
                        .required = option.get_required(),
                        .many = option.get_expected_max() > 1};
  argument.name = argument.positional            ? option.get_name(/*positional=*/true)
                             : !option.get_lnames().empty() ? "--" + option.get_lnames().front()
                  : option.get_snames().empty()  ? option.get_name()
                                                 : "-" + option.get_snames().front();
  if (!option.get_lnames().empty() && !option.get_snames().empty()) {
    argument.short_name = "-" + option.get_snames().front();
  }
  if (option.get_expected_max() > 0) {
    ReadType(option.get_type_name(), &argument);
  }
  return argument;
}

}  // namespace

std::vector<CommandNode> CommandTree(const CLI::App& command) {
  std::vector<CommandNode> tree;
  for (const CLI::App* one : command.get_parent()->get_subcommands([](const CLI::App*) { return true; })) {
    if (one->get_group().empty()) {
      continue;
    }
    CommandNode& node = tree.emplace_back(CommandNode{.name = one->get_name(), .summary = one->get_description()});
    for (const CLI::Option* option : one->get_options()) {
      node.arguments.push_back(NodeOf(*option));
    }
  }
  return tree;
}

}  // namespace klip::cli
