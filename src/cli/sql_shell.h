// `klip sql`: scripts, and statements typed one after the other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/console.h"
#include "klip/sql.h"

namespace klip::cli {

class SqlShell {
 public:
  SqlShell(const Console& console, sql::Session* session, OutputForm form)
      : console_(console), session_(session), form_(form) {}

  // Runs all statements and commands of `text`. Returns false after the first error, which it prints with `name` and
  // line.
  bool RunScript(std::string_view text, const std::string& name);

  // Statements and commands from the terminal until \q or its end. `history`: the file; empty: none.
  void RunTerminal(const std::string& history);

 private:
  // The outcome of a command (\d, !tables).
  enum class Outcome : uint8_t { kDone, kQuit };

  static bool IsCommand(std::string_view line) { return line.starts_with('\\') || line.starts_with('!'); }
  Expected<Outcome> RunCommand(std::string_view line);
  Status RunStatement(const std::string& sql);
  Status PrintTables();
  Status PrintColumns(std::string_view table);
  Expected<Outcome> SetForm(std::string_view name);
  Expected<Outcome> SetAutoCommit(std::string_view value);
  // The completions of `word`.
  std::vector<std::string> Complete(const std::string& word);
  void LoadNames();

  const Console& console_;
  sql::Session* session_;
  OutputForm form_;
  bool terminal_ = false;
  bool timing_ = false;
  bool names_loaded_ = false;
  std::vector<std::string> names_;  // of tables and columns
};

}  // namespace klip::cli
