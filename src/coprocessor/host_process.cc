#include "coprocessor/host_process.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coprocessor/session.h"

namespace klip::coprocessor {
namespace {

constexpr int kReadyMs = 30'000;
constexpr int kStepMs = 5;
constexpr int kEndMs = 3'000;  // its own limit is 2 s

struct Pipe {
  base::Descriptor read;
  base::Descriptor write;
};

Expected<Pipe> NewPipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return Status(Code::kIoError, "cannot start the coprocessor host: " + base::ErrorText(errno));
  }
  return Pipe{base::Descriptor(ends[0]), base::Descriptor(ends[1])};
}

// In the child process: only async-signal-safe calls, as the parent has threads.
[[noreturn]] void Become(char* const* arguments, int input, int failed) {
  ::dup2(input, STDIN_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  ::setpgid(0, 0);  // Ctrl-C is for klip, which then ends it
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execvp(arguments[0], arguments);
  const int error = errno;
  [[maybe_unused]] const ssize_t told = ::write(failed, &error, sizeof(error));
  std::_Exit(127);
}

}  // namespace

Expected<std::unique_ptr<HostProcess>> HostProcess::Start(std::vector<std::string> command) {
  const char* const temporary = std::getenv("TMPDIR");
  std::string directory = std::string(temporary == nullptr ? "/tmp" : temporary) + "/klip-coprocessors-XXXXXX";
  if (::mkdtemp(directory.data()) == nullptr) {  // only for this user
    return Status(Code::kIoError, "cannot make the directory " + directory + ": " + base::ErrorText(errno));
  }
  std::unique_ptr<HostProcess> host(new HostProcess(directory, directory + "/socket"));
  command.emplace_back("--socket");
  command.push_back(host->socket_);
  std::vector<char*> arguments;
  for (std::string& one : command) {
    arguments.push_back(one.data());
  }
  arguments.push_back(nullptr);
  KLIP_ASSIGN_OR_RETURN(Pipe input, NewPipe());
  KLIP_ASSIGN_OR_RETURN(Pipe failed, NewPipe());
  host->pid_ = ::fork();
  if (host->pid_ < 0) {
    return Status(Code::kIoError, "cannot start the coprocessor host: " + base::ErrorText(errno));
  }
  if (host->pid_ == 0) {
    Become(arguments.data(), input.read.get(), failed.write.get());
  }
  host->input_ = std::move(input.write);
  failed.write = base::Descriptor();
  int error = 0;
  if (::read(failed.read.get(), &error, sizeof(error)) == sizeof(error)) {  // nothing to read: the program runs
    return Status(Code::kIoError, "cannot run " + command.front() + ": " + base::ErrorText(error) +
                                      "; Java coprocessors need Java 17 or newer");
  }
  KLIP_RETURN_IF_ERROR(host->AwaitSocket());
  return host;
}

Status HostProcess::AwaitSocket() {
  for (int waited_ms = 0; waited_ms < kReadyMs; waited_ms += kStepMs) {
    if (Session::Connect(socket_, nullptr).ok()) {
      return Status::Ok();
    }
    if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = -1;
      return {Code::kIoError, "the coprocessor host exited at its start; its output shows the reason"};
    }
    ::poll(nullptr, 0, kStepMs);
  }
  return {Code::kIoError, "the coprocessor host was not ready within " + std::to_string(kReadyMs) + " ms"};
}

void HostProcess::Kill() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
  }
}

HostProcess::~HostProcess() {
  input_ = base::Descriptor();
  for (int waited_ms = 0; pid_ > 0; waited_ms += kStepMs) {
    if (::waitpid(pid_, nullptr, WNOHANG) != 0) {
      break;
    }
    if (waited_ms == kEndMs) {
      Kill();
    }
    ::poll(nullptr, 0, kStepMs);
  }
  ::unlink(socket_.c_str());
  ::rmdir(directory_.c_str());
}

}  // namespace klip::coprocessor
