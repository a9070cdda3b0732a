// The program `klip`.
#include <string>
#include <vector>

#include "base/process.h"
#include "cli/command.h"
#include "klip/caller.h"

int main(int argc, char** argv) {
  klip::base::RaiseDescriptorLimit();
  klip::Caller::SetDoorOfProcess(klip::Door::kCommandLine);
  std::vector<std::string> args(argv + 1, argv + argc);
  return klip::cli::RunCli(args, klip::cli::Console::OfProcess());
}
