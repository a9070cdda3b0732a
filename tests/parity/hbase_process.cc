#include "parity/hbase_process.h"

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace klip::ops {
namespace {

std::optional<std::string> ReadLine(FILE* file) {
  std::string line;
  for (int c = getc_unlocked(file); c != EOF; c = getc_unlocked(file)) {
    if (c == '\n') {
      return line;
    }
    line.push_back(static_cast<char>(c));
  }
  return std::nullopt;
}

}  // namespace

std::unique_ptr<HBaseProcess> HBaseProcess::Start(const std::vector<std::string>& command) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) {
    perror("pipe");
    return nullptr;
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    // It must not outlive us, however we end.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
      _exit(1);
    }
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    std::vector<char*> arguments;
    for (const std::string& word : command) {
      arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    perror(command[0].c_str());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  std::unique_ptr<HBaseProcess> process(new HBaseProcess(pid, fdopen(in[1], "w"), fdopen(out[0], "r")));
  if (ReadLine(process->from_child_) != "ready") {
    fprintf(stderr, "HBase did not start\n");
    return nullptr;
  }
  process->reader_ = std::thread([p = process.get()] { p->ReadAnswers(); });
  return process;
}

HBaseProcess::~HBaseProcess() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  fclose(to_child_);
  kill(pid_, SIGKILL);  // nothing it has is worth saving
  waitpid(pid_, nullptr, 0);
  if (reader_.joinable()) {
    reader_.join();
  }
  fclose(from_child_);
}

std::future<std::vector<std::string>> HBaseProcess::Run(const std::vector<std::string>& ops, Tables tables) {
  std::lock_guard lock(mutex_);
  const uint64_t id = ++last_id_;
  std::string text = "case " + std::to_string(id) + (tables == Tables::kPooled ? " pooled\n" : " alone\n");
  for (const std::string& op : ops) {
    text += op + "\n";
  }
  text += "end\n";
  fwrite(text.data(), 1, text.size(), to_child_);
  fflush(to_child_);
  return waiting_[id].get_future();
}

void HBaseProcess::ReadAnswers() {
  while (std::optional<std::string> head = ReadLine(from_child_)) {
    const uint64_t id = strtoull(head->c_str() + 5, nullptr, 10);
    std::vector<std::string> answers;
    std::optional<std::string> count = ReadLine(from_child_);
    for (; count.has_value() && *count != "end"; count = ReadLine(from_child_)) {
      std::string& answer = answers.emplace_back();
      for (int64_t lines = strtoll(count->c_str() + 1, nullptr, 10); lines > 0; --lines) {
        answer += ReadLine(from_child_).value_or("") + "\n";
      }
    }
    if (!count.has_value()) {
      break;
    }
    std::lock_guard lock(mutex_);
    waiting_.at(id).set_value(std::move(answers));
    waiting_.erase(id);
  }
  std::lock_guard lock(mutex_);
  if (!closing_) {
    fprintf(stderr, "HBase ended by itself; see its log\n");
    _exit(1);
  }
}

}  // namespace klip::ops
