#include "sweep/child.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace klip::sweep {
namespace {

constexpr std::string_view kMark = "\n\x01said\n";

void WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = write(fd, bytes.data(), bytes.size());
    if (wrote <= 0) {
      _exit(3);
    }
    bytes.remove_prefix(static_cast<size_t>(wrote));
  }
}

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

std::string Ended::What() const {
  const std::string why = noise.empty() ? "" : ": " + noise.substr(0, 500);
  return hung ? "hangs" + why : signal != 0 ? std::string(strsignal(signal)) + why : "";
}

Child::Child(const std::function<std::string()>& work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    abort();
  }
  fflush(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    const std::string said = work();
    fflush(nullptr);
    WriteAll(1, std::string(kMark) + said);
    _exit(0);
  }
  close(ends[1]);
  output_ = ends[0];
}

Ended Child::Wait(int64_t limit_ms) {
  Ended ended;
  std::string all;
  const int64_t deadline_ms = NowMs() + limit_ms;
  while (true) {
    pollfd waiting = {output_, POLLIN, 0};
    const int64_t left_ms = deadline_ms - NowMs();
    const int ready = left_ms <= 0 ? 0 : poll(&waiting, 1, static_cast<int>(left_ms));
    if (ready == 0) {
      ended.hung = true;
      kill(pid_, SIGKILL);
      break;
    }
    char buffer[1 << 16];
    const ssize_t size = read(output_, buffer, sizeof(buffer));
    if (size <= 0) {
      break;
    }
    all.append(buffer, static_cast<size_t>(size));
  }
  close(output_);
  int status = 0;
  waitpid(pid_, &status, 0);
  ended.signal = WIFSIGNALED(status) && !ended.hung ? WTERMSIG(status) : 0;
  const size_t mark = all.rfind(kMark);
  ended.noise = all.substr(0, mark);
  ended.said = mark == std::string::npos ? "" : all.substr(mark + kMark.size());
  return ended;
}

}  // namespace klip::sweep
