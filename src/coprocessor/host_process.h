// HostProcess: the JVM that runs Java coprocessors, as a child of this process. It ends with this process, since its
// standard input ends then.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/descriptor.h"
#include "klip/status.h"

namespace klip::coprocessor {

class HostProcess {
 public:
  // `command`: the program and its arguments; `--socket` and the path of a socket in a private directory are appended.
  // Its output goes to this process's standard error. Returns when the socket accepts connections. Errors: kIoError
  // naming the program, if it does not start within 30 s.
  static Expected<std::unique_ptr<HostProcess>> Start(std::vector<std::string> command);

  // Ends it: waits briefly, then kills it.
  ~HostProcess();

  const std::string& socket() const { return socket_; }
  pid_t pid() const { return pid_; }
  void Kill();

 private:
  HostProcess(std::string directory, std::string socket)
      : directory_(std::move(directory)), socket_(std::move(socket)) {}

  Status AwaitSocket();

  const std::string directory_;
  const std::string socket_;
  base::Descriptor input_;  // its standard input
  pid_t pid_ = -1;
};

}  // namespace klip::coprocessor
