#include "cli/line_editor.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <histedit.h>
#include <sys/stat.h>

namespace klip::cli {
namespace {

constexpr int kHistoryLines = 1000;
constexpr size_t kMostShown = 100;  // words that a TAB lists

// The longest common prefix.
std::string CommonPrefix(const std::vector<std::string>& words) {
  std::string prefix = words.front();
  for (const std::string& word : words) {
    auto [end, other] = std::mismatch(prefix.begin(), prefix.end(), word.begin(), word.end());
    prefix.erase(end, prefix.end());
  }
  return prefix;
}

bool IsWordByte(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '"'; }

}  // namespace

struct LineEditor::State {
  const Console& console;
  std::string history_file;
  Complete complete;
  std::string prompt;
  EditLine* editor = nullptr;
  History* history = nullptr;

  static State* Of(EditLine* editor) {
    void* state = nullptr;
    el_get(editor, EL_CLIENTDATA, &state);
    return static_cast<State*>(state);
  }
  static char* Prompt(EditLine* editor) { return Of(editor)->prompt.data(); }
  static unsigned char CompleteWord(EditLine* editor, int /*key*/) { return Of(editor)->CompleteHere(); }

  unsigned char CompleteHere() {
    const LineInfo* info = el_line(editor);
    std::string before(info->buffer, info->cursor);
    size_t start = before.size();
    while (start > 0 && IsWordByte(before[start - 1])) {
      --start;
    }
    std::string word = before.substr(start);
    std::vector<std::string> words = complete(before.substr(0, start), word);
    if (words.empty()) {
      return CC_REFRESH_BEEP;
    }
    std::string common = words.size() == 1 ? words.front() + " " : CommonPrefix(words);
    if (common.size() > word.size()) {
      el_deletestr(editor, static_cast<int>(word.size()));
      el_insertstr(editor, common.c_str());
      return CC_REFRESH;
    }
    std::string list = "\n";
    for (size_t i = 0; i < std::min(words.size(), kMostShown); ++i) {
      list += words[i] + "  ";
    }
    console.Write(list + (words.size() > kMostShown ? "...\n" : "\n"));
    std::fflush(console.out);
    return CC_REDISPLAY;
  }
};

LineEditor::LineEditor(const Console& console, std::string history, Complete complete)
    : state_(std::make_unique<State>(console, std::move(history), std::move(complete))) {
  state_->history = history_init();
  HistEvent event = {};
  ::history(state_->history, &event, H_SETSIZE, kHistoryLines);
  ::history(state_->history, &event, H_SETUNIQUE, 1);
  if (!state_->history_file.empty()) {
    ::history(state_->history, &event, H_LOAD, state_->history_file.c_str());
  }
  EditLine* editor = el_init("klip", console.in, console.out, console.err);
  state_->editor = editor;
  el_set(editor, EL_CLIENTDATA, state_.get());
  el_set(editor, EL_PROMPT, &State::Prompt);
  el_set(editor, EL_EDITOR, "emacs");
  el_set(editor, EL_HIST, ::history, state_->history);
  el_set(editor, EL_ADDFN, "klip-complete", "complete a word", &State::CompleteWord);
  el_set(editor, EL_BIND, "^I", "klip-complete", nullptr);
  el_set(editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
}

LineEditor::~LineEditor() {
  HistEvent event = {};
  if (!state_->history_file.empty()) {
    mode_t mask = umask(0077);
    ::history(state_->history, &event, H_SAVE, state_->history_file.c_str());
    umask(mask);
  }
  el_end(state_->editor);
  history_end(state_->history);
}

LineEditor::Outcome LineEditor::Read(const std::string& prompt, std::string* line) {
  state_->prompt = prompt;
  int length = 0;
  errno = 0;
  const char* text = el_gets(state_->editor, &length);
  if (text == nullptr || length <= 0) {
    bool interrupted = errno == EINTR;
    state_->console.Write("\n");
    el_reset(state_->editor);
    return interrupted ? Outcome::kInterrupted : Outcome::kEnd;
  }
  line->assign(text, static_cast<size_t>(length));
  while (line->ends_with('\n') || line->ends_with('\r')) {
    line->pop_back();
  }
  return Outcome::kLine;
}

void LineEditor::Remember(const std::string& text) {
  HistEvent event = {};
  ::history(state_->history, &event, H_ENTER, text.c_str());
}

}  // namespace klip::cli
