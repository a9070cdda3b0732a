// klip_fuzz_seeds DIRECTORY: writes a file per seed, as libFuzzer expects them.
#include <fstream>

#include "fuzz/seeds.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    return 2;
  }
  int number = 0;
  for (const std::string& seed : klip::fuzz::Seeds()) {
    std::ofstream file(std::string(argv[1]) + "/" + std::to_string(number++), std::ios::binary);
    file << seed;
    if (!file.flush()) {
      return 1;
    }
  }
}
