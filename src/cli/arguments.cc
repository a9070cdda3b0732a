#include "cli/arguments.h"

#include <cctype>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

#include <CLI/CLI.hpp>

#include "cli/texts.h"

namespace klip::cli {
namespace {

// Sets the option to the value of a file's line, as if it were on the command line. Throws CLI11's error for the value.
void SetOption(CLI::Option* option, const CLI::ConfigItem& item) {
  if (option->count() > 0) {
    return;
  }
  if (option->get_expected_min() == 0) {
    option->add_result(option->get_flag_value(item.name, CLI::ConfigTOML().to_flag(item)));
  } else {
    option->add_result(item.inputs);
  }
  option->run_callback();
}

}  // namespace

Argument& Argument::Required() {
  option_->required();
  return *this;
}
Argument& Argument::Between(int64_t low, int64_t high) {
  // CLI11 says that a text such as 'abc' exceeds the range.
  option_->check([low, high](const std::string& text) {
    const std::optional<int64_t> number = ParseInt(text);
    if (number && *number >= low && *number <= high) {
      return std::string();
    }
    const std::string wanted =
        high >= INT32_MAX ? std::to_string(low) + " or more" : std::to_string(low) + " to " + std::to_string(high);
    return "'" + text + "' is not a whole number, " + wanted;
  });
  return *this;
}
Argument& Argument::OneOf(std::vector<std::string> choices) {
  option_->check(CLI::IsMember(std::move(choices)));
  return *this;
}
Argument& Argument::NotEmpty() {
  option_->check(
      [](const std::string& text) { return text.empty() ? std::string("must not be empty") : std::string(); });
  return *this;
}
Argument& Argument::Bytes() {
  option_->transform(CLI::AsSizeValue(false));
  return *this;
}
Argument& Argument::Commas() {
  option_->delimiter(',');
  return *this;
}

Argument Arguments::Add(const std::string& name, std::string* value, const std::string& help) {
  return Argument(app_->add_option(name, *value, help));
}
Argument Arguments::Add(const std::string& name, std::vector<std::string>* values, const std::string& help) {
  CLI::Option* option = app_->add_option(name, *values, help);
  if (name.starts_with("--")) {
    option->allow_extra_args(false);  // one value each time it is given
  }
  return Argument(option);
}
Argument Arguments::Add(const std::string& name, int32_t* value, const std::string& help) {
  return Argument(app_->add_option(name, *value, help));
}
Argument Arguments::Add(const std::string& name, int64_t* value, const std::string& help) {
  return Argument(app_->add_option(name, *value, help));
}
Argument Arguments::Add(const std::string& name, uint64_t* value, const std::string& help) {
  return Argument(app_->add_option(name, *value, help));
}
Argument Arguments::AddFlag(const std::string& name, bool* value, const std::string& help) {
  return Argument(app_->add_flag(name, *value, help));
}

void Arguments::AddForm(OutputForm* form, const std::string& json_help, const std::string& csv_help) {
  CLI::Option* const json = app_->add_flag_callback("--json", [form] { *form = OutputForm::kJson; }, json_help);
  app_->add_flag_callback("--csv", [form] { *form = OutputForm::kCsv; }, csv_help)->excludes(json);
}

void Arguments::PassOn(std::vector<std::string>* arguments) {
  app_->set_help_flag();
  app_->prefix_command();
  app_->callback([app = app_, arguments] { *arguments = app->remaining(); });
}

void Arguments::ReadEnvironment(const std::string& prefix) {
  for (CLI::Option* option : app_->get_options()) {
    const std::string name = option->get_lnames().empty() ? "" : option->get_lnames().front();
    std::string variable = prefix + "_";
    for (const char c : name) {
      variable += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    if (!name.empty() && name != "help") {
      option->envname(variable);
    }
  }
}

Status Arguments::ReadFile(const std::string& path) const {
  std::ifstream file(path);
  if (!file) {
    return {Code::kInvalidArgument, "cannot read " + path};
  }
  std::set<std::string> seen;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string where = path + ":" + std::to_string(number) + ": ";
    const size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') {
      continue;
    }
    if (line[first] == '[' || line.find('=') == std::string::npos) {
      return {Code::kInvalidArgument, where + "expected option = value, found '" + CLI::detail::trim_copy(line) + "'"};
    }
    const std::string key = CLI::detail::trim_copy(line.substr(0, line.find('=')));
    CLI::Option* option = app_->get_option_no_throw("--" + key);
    if (option == nullptr || key == "help" || key == "config") {
      return {Code::kInvalidArgument, where + "unknown option '" + key + "'"};
    }
    if (!seen.insert(key).second) {
      return {Code::kInvalidArgument, where + "'" + key + "' is given twice"};
    }
    std::istringstream text(line);
    try {
      for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(text)) {
        SetOption(option, item);
      }
    } catch (const CLI::Error& error) {
      return {Code::kInvalidArgument, where + error.what()};
    }
  }
  return Status::Ok();
}

}  // namespace klip::cli
