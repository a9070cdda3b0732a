// Runs commands of the program in this process.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "cli/command.h"
#include "cli/texts.h"

namespace klip::cli {

class CliFixture : public testing::Test {
 protected:
  // Exit code; out_ and err_ have what was printed. STORE stands for the test's store.
  int Klip(std::vector<std::string> args, const std::string& input = "") {
    for (std::string& arg : args) {
      arg = arg == "STORE" ? store_ : arg;
    }
    char* out = nullptr;
    char* err = nullptr;
    size_t out_bytes = 0;
    size_t err_bytes = 0;
    Console console;
    console.in =
        fmemopen(const_cast<char*>(input.empty() ? "\n" : input.data()), std::max<size_t>(input.size(), 1), "r");
    console.out = open_memstream(&out, &out_bytes);
    console.err = open_memstream(&err, &err_bytes);
    int code = RunCli(args, console);
    std::fclose(console.in);
    std::fclose(console.out);
    std::fclose(console.err);
    out_.assign(out, out_bytes);
    err_.assign(err, err_bytes);
    free(out);
    free(err);
    return code;
  }

  const TempDirectory directory_;
  const std::string store_ = directory_.Sub("store");
  std::string out_;
  std::string err_;
};

}  // namespace klip::cli
