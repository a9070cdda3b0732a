// What klip doctor says of the Java that a store's tables need.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "cli/health.h"

namespace klip::cli {
namespace {

class CoprocessorHealthTest : public testing::Test {
 protected:
  // A program that says it is this Java.
  std::string Java(const std::string& version) {
    const std::string path = root_ + "/java-" + version;
    std::ofstream(path) << "#!/bin/sh\necho 'openjdk version \"" << version << "\" 2026-01-01' >&2\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  std::string File(const std::string& name) {
    std::filesystem::create_directories(std::filesystem::path(root_ + "/" + name).parent_path());
    std::ofstream(root_ + "/" + name) << "x";
    return root_ + "/" + name;
  }
  static TableDescriptor Table(const std::string& spec) {
    return {.name = "t", .attributes = {{"coprocessor$1", spec}}};
  }
  // "OK java: ...; FAIL class path: ...", the directory of the test as "~".
  std::string Check(const std::vector<TableDescriptor>& tables, const coprocessor::HostOptions& host) {
    Findings findings;
    CheckCoprocessors(tables, host, &findings);
    std::string out;
    for (const Finding& finding : findings) {
      EXPECT_EQ(finding.advice.empty(), finding.health == Health::kOk) << finding.check;
      constexpr const char* kWords[] = {"OK", "warn", "FAIL"};
      out += (out.empty() ? "" : "; ") + std::string(kWords[static_cast<int>(finding.health)]) + " " + finding.check +
             ": " + finding.seen;
    }
    for (size_t at = 0; (at = out.find(root_)) != std::string::npos;) {
      out.replace(at, root_.size(), "~");
    }
    return out;
  }

  const TempDirectory temp_;
  const std::string& root_ = temp_.path();
};

TEST_F(CoprocessorHealthTest, WithoutJavaClassesNothingIsLookedAt) {
  EXPECT_EQ(Check({{.name = "t"}}, {.java = "/nowhere"}), "");
  EXPECT_EQ(Check({Table("|org.apache.hadoop.hbase.coprocessor.AggregateImplementation|1|")}, {.java = "/nowhere"}),
            "");
}

TEST_F(CoprocessorHealthTest, AWholeSetUpIsWell) {
  File("lib/klip-coprocessor-host.jar");
  const std::string ok = "OK coprocessors: 1 Java class of t; OK java: ~/java-17.0.1 is Java 17; OK class path: ";
  const TableDescriptor table = Table("file://" + File("x.jar") + "|a.B|1001|k=v");
  EXPECT_EQ(Check({table}, {.class_path = root_ + "/lib/*", .java = Java("17.0.1")}), ok + "~/lib/*");
  const std::string two = root_ + "/other.jar:" + root_ + "/lib/klip-coprocessor-host.jar";
  EXPECT_EQ(Check({table}, {.class_path = two, .java = Java("17.0.1")}),
            ok + "~/other.jar:~/lib/klip-coprocessor-host.jar");
}

TEST_F(CoprocessorHealthTest, EachThingThatIsMissingIsSaid) {
  EXPECT_EQ(Check({Table("/gone/x.jar|a.B|1|")}, {.java = root_ + "/nowhere"}),
            "OK coprocessors: 1 Java class of t; FAIL java: ~/nowhere cannot be run; warn class path: missing; "
            "FAIL coprocessor jar: a.B of table t is not at /gone/x.jar");
  EXPECT_EQ(Check({}, {.class_path = root_ + "/empty/*", .java = Java("1.8.0_292")}),
            "OK coprocessors: no table names a Java class; FAIL java: ~/java-1.8.0_292 is Java 8; "
            "FAIL class path: no klip-coprocessor-host.jar in ~/empty/*");
}

TEST_F(CoprocessorHealthTest, JarsElsewhereAreLeftToTheHost) {
  for (const std::string path : {"hdfs://nn/x.jar", "/gone/*.jar", ""}) {
    EXPECT_EQ(Check({Table(path + "|a.B|1|")}, {.java = "/nowhere"}).find("coprocessor jar"), std::string::npos)
        << path;
  }
}

TEST_F(CoprocessorHealthTest, ModulesNeedTheirRunTime) {
  const auto check = [](const TableDescriptor& table) {
    Findings findings;
    CheckModules({table}, "/nowhere/libwasmtime.so", &findings);
    return findings;
  };
  EXPECT_TRUE(check(Table("file:///x.jar|a.B|1|")).empty());
  const Findings findings = check(Table("file:///x.wasm|m|1|"));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].health, Health::kFail);
  EXPECT_EQ(findings[0].seen.substr(0, 76),
            "the WebAssembly runtime /nowhere/libwasmtime.so cannot be used: no such file");
  EXPECT_EQ(Check({Table("file:///x.wasm|m|1|")}, {.java = "/nowhere"}), "");  // it is no Java class
}

}  // namespace
}  // namespace klip::cli
