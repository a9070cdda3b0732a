// klip shell: replaces this process by the program klip-shell, installed next to this one. It is a separate program so
// that only the shell loads Ruby.
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <unistd.h>

#include "cli/command.h"

namespace klip::cli {

Run AddShellCommand(Arguments* args) {
  auto rest = std::make_shared<std::vector<std::string>>();
  args->PassOn(rest.get());
  return [rest](const Console&) -> Expected<int> {
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    std::string program = (self.parent_path() / "klip-shell").string();
    std::vector<char*> argv = {program.data()};
    for (std::string& argument : *rest) {
      argv.push_back(argument.data());
    }
    argv.push_back(nullptr);
    execv(program.c_str(), argv.data());
    const int failure = errno;
    std::string message = "cannot run " + program + ": " + std::strerror(failure);
    if (failure == ENOENT) {
      message += "; the shell is a separate program (build target klip_shell_program), in the same directory as klip";
    }
    return Status(Code::kIoError, std::move(message));
  };
}

}  // namespace klip::cli
