// Reads lines from a terminal, with editing, history and completion: libedit behind klip's own interface.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"

namespace klip::cli {

class LineEditor {
 public:
  // The completions of `word`. `line`: the text before it.
  using Complete = std::function<std::vector<std::string>(const std::string& line, const std::string& word)>;

  // Keeps the history in the file `history`, readable by its owner only; empty: in memory.
  LineEditor(const Console& console, std::string history, Complete complete);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  enum class Outcome : uint8_t { kLine, kInterrupted, kEnd };
  // Without the line's end. Ctrl-C returns kInterrupted, ctrl-D on an empty line kEnd.
  Outcome Read(const std::string& prompt, std::string* line);

  // Adds to the history.
  void Remember(const std::string& text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace klip::cli
