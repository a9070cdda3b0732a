// For tests of tables with WebAssembly modules, which the tests compile.
#pragma once

#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "table/table_test_util.h"
#include "wasm/runtime.h"

namespace klip::table {

// The first of these compilers that is installed; empty: none.
inline std::string WasmCompiler() {
  for (const char* const name : {"clang++-19", "clang++-14", "clang++"}) {
    const std::string command = "printf 'int f;' | " + std::string(name) +
                                " --target=wasm32 -nostdlib -Wl,--no-entry -x c++ - -o /dev/null > /dev/null 2>&1";
    if (std::system(command.c_str()) == 0) {  // NOLINT(cert-env33-c): a test
      return name;
    }
  }
  return "";
}

class ModulesTest : public TableTest {
 protected:
  void SetUp() override {
    static const std::string compiler = WasmCompiler();
    static const Expected<std::string> runtime = wasm::FindRuntime("");
    if (compiler.empty() || !runtime.ok()) {
      GTEST_SKIP() << (compiler.empty() ? "no clang with wasm-ld" : runtime.status().ToString());
    }
    compiler_ = compiler;
    options_.wasm_runtime = *runtime;
    Open();
  }

  // Compiles the hooks to root_/name.wasm, and returns the file's path.
  std::string Compile(const std::string& name, const std::string& hooks) {
    const std::string path = root_ + "/" + name;
    std::ofstream(path + ".cc") << "#include <klip/wasm/coprocessor.h>\nusing namespace klip::wasm;\n" << hooks;
    const std::string command =
        compiler_ +
        " --target=wasm32 -std=c++20 -O1 -ffreestanding -fno-exceptions -fno-rtti -nostdlib -Wl,--no-entry -I " +
        KLIP_INCLUDE_DIRECTORY + " " + path + ".cc -o " + path + ".wasm";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;  // NOLINT(cert-env33-c): a test
    return path + ".wasm";
  }
  // Creates table t with a module, and INDEX_TBL.
  void CreateWith(const std::string& path, const std::string& settings = "") {
    ASSERT_EQ(CreateIndex().ToString(), "ok");
    Create("t", {Family("f")}, {{"coprocessor$1", "file://" + path + "|m|1001|" + settings}});
  }
  Status CreateIndex() {
    TableDescriptor index;
    index.name = "INDEX_TBL";
    index.families = {Family("f")};
    return admin().CreateTable(index, {});
  }
  Status CreateOnly(const std::string& spec) {
    TableDescriptor table;
    table.name = "t";
    table.families = {Family("f")};
    table.attributes["coprocessor$1"] = spec;
    return admin().CreateTable(table, {});
  }
  std::string RowOf(const std::string& table, const std::string& row) {
    const Expected<Result> result = Handle(table)->Get({.row = row});
    return result.ok() ? Show(*result) : result.status().ToString();
  }

  std::string compiler_;
};

}  // namespace klip::table
