#include "cli/arguments.h"

#include <CLI/CLI.hpp>

namespace klip::cli {

Argument& Argument::Required() {
  option_->required();
  return *this;
}
Argument& Argument::Between(int64_t low, int64_t high) {
  option_->check(CLI::Range(low, high));
  return *this;
}
Argument& Argument::OneOf(std::vector<std::string> choices) {
  option_->check(CLI::IsMember(std::move(choices)));
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

void Arguments::PassOn(std::vector<std::string>* arguments) {
  app_->set_help_flag();
  app_->prefix_command();
  app_->callback([app = app_, arguments] { *arguments = app->remaining(); });
}

}  // namespace klip::cli
