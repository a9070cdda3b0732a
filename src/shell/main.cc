// The program `klip-shell`, which `klip shell` executes: Ruby with klip's native classes, running
// share/klip/shell/main.rb. It is a separate program so that no other command loads libruby.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/process.h"
#include "klip/caller.h"
#include "klip/sql.h"
#include "shell/blocking.h"
#include "shell/objects.h"
#include "shell/ruby_api.h"

namespace klip::shell {
namespace {

// Beside the program, as installed (bin/, share/klip/shell) or as built.
std::string LibraryDirectory() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place : {"../share/klip/shell", "klip-shell-lib"}) {
    if (std::filesystem::exists(program / place / "main.rb", error)) {
      return std::filesystem::weakly_canonical(program / place, error).string();
    }
  }
  return {};
}

int Run(int argc, char** argv) {
  std::string library = LibraryDirectory();
  if (library.empty()) {
    std::fputs("klip-shell: share/klip/shell is missing: the installation is incomplete\n", stderr);
    return EXIT_FAILURE;
  }
  base::RaiseDescriptorLimit();
  Caller::SetDoorOfProcess(Door::kShell);
  ruby_sysinit(&argc, &argv);
  RUBY_INIT_STACK;
  ruby_init();
  // Does not search for gems, which would double the start time. Ruby's own library has everything needed.
  std::string options[] = {argv[0],    "--disable=gems",    "--disable=did_you_mean", "--disable=error_highlight",
                           "-EUTF-8:", library + "/main.rb"};
  std::vector<char*> arguments;
  for (std::string& option : options) {
    arguments.push_back(option.data());
  }
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  void* node = ruby_options(static_cast<int>(arguments.size()), arguments.data());
  int state = 0;
  if (ruby_executable_node(node, &state) == 0) {
    return ruby_cleanup(state);
  }
  DefineKlip();
  state = ruby_exec_node(node);
  if (AbandonedWorkIsRunning()) {
    // After ctrl-C, an abandoned call still uses the store. Written data is in the log.
    rb_protect([](VALUE) { return rb_io_flush(rb_stdout); }, Qnil, &state);
    std::_Exit(state == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  return ruby_cleanup(state);
}

}  // namespace
}  // namespace klip::shell

int main(int argc, char** argv) {
  klip::sql::MaintainIndexes();
  return klip::shell::Run(argc, argv);
}
