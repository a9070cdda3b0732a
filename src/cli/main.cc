// The program `klip`.
#include <string>
#include <vector>

#include "cli/command.h"

int main(int argc, char** argv) {
  std::vector<std::string> args(argv + 1, argv + argc);
  return klip::cli::RunCli(args, klip::cli::Console::OfProcess());
}
