// Health: the requirements of the Java coprocessors of a store's tables.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.h"
#include "cli/health.h"
#include "table/info/java_classes.h"

namespace klip::cli {
namespace {

constexpr const char* kHostJar = "klip-coprocessor-host.jar";
constexpr int kLeastJava = 17;

// The feature version of a Java: 17, or 8 for "1.8.0". 0: it does not run.
int JavaVersion(const std::string& java) {
  if (java.find('\'') != std::string::npos) {
    return 0;
  }
  std::FILE* const output = ::popen(("'" + java + "' -version 2>&1").c_str(), "re");
  if (output == nullptr) {
    return 0;
  }
  std::string text;
  std::array<char, 256> line = {};
  while (std::fgets(line.data(), line.size(), output) != nullptr) {
    text += line.data();
  }
  ::pclose(output);
  constexpr std::string_view kBefore = " version \"";
  const size_t at = text.find(kBefore);
  if (at == std::string::npos) {
    return 0;
  }
  const char* const version = text.c_str() + at + kBefore.size();
  const int first = std::atoi(version);
  return first == 1 ? std::atoi(version + 2) : first;
}

void CheckJava(const std::string& java, Findings* findings) {
  const int version = JavaVersion(java);
  const bool fits = version >= kLeastJava;
  findings->push_back({"java", fits ? Health::kOk : Health::kFail,
                       version == 0 ? java + " cannot be run" : fmt::format("{} is Java {}", java, version),
                       fits ? "" : "install Java 17 or newer (Debian: openjdk-17-jre-headless), or set JAVA_HOME"});
}

// Whether a class path such as "a.jar:lib/*" has the host.
bool HasHost(std::string_view class_path) {
  std::error_code error;
  while (!class_path.empty()) {
    std::string one(class_path.substr(0, class_path.find(':')));
    class_path.remove_prefix(std::min(class_path.size(), one.size() + 1));
    if (one.ends_with("/*")) {
      one.replace(one.size() - 1, 1, kHostJar);
    }
    const bool named = one.ends_with(kHostJar) && std::filesystem::exists(one, error);
    if (named || std::filesystem::exists(one + "/klip/coprocessor/Host.class", error)) {
      return true;
    }
  }
  return false;
}

void CheckClassPath(const std::string& class_path, Findings* findings) {
  const char* const advice =
      "mvn -f java/pom.xml package creates java/target/klip-coprocessor-host: give klip serve and klip doctor "
      "--coprocessor-class-path with that directory and /*";
  if (class_path.empty()) {
    findings->push_back({"class path", Health::kWarn, "missing", advice});
    return;
  }
  const bool whole = HasHost(class_path);
  findings->push_back({"class path", whole ? Health::kOk : Health::kFail,
                       whole ? class_path : std::string("no ") + kHostJar + " in " + class_path, whole ? "" : advice});
}

// Checks files on this machine's disk. The host checks other files, and patterns.
void CheckJar(const std::string& table, const table::JavaClass& spec, Findings* findings) {
  std::string path = spec.path.starts_with("file:") ? spec.path.substr(5) : spec.path;
  path.erase(0, std::min(path.find_first_not_of('/'), path.size()));
  const bool local = spec.path.starts_with("file:") || spec.path.starts_with("/");
  std::error_code error;
  if (path.empty() || !local || path.find_first_of("*?[{") != std::string::npos ||
      std::filesystem::exists("/" + path, error)) {
    return;
  }
  findings->push_back({"coprocessor jar", Health::kFail,
                       fmt::format("{} of table {} is not at {}", spec.name, table, spec.path),
                       fmt::format("put it back, or in klip shell: alter '{}', METHOD => 'table_att_unset', NAME => "
                                   "'{}'",
                                   table, spec.attribute)});
}

}  // namespace

void CheckCoprocessors(const std::vector<TableDescriptor>& tables, const coprocessor::HostOptions& host,
                       Findings* findings) {
  size_t classes = 0;
  std::string named;
  for (const TableDescriptor& table : tables) {
    const std::vector<table::JavaClass> specs = table::JavaClassesOf(table);
    classes += specs.size();
    named += specs.empty() ? "" : (named.empty() ? "" : ", ") + table.name;
  }
  if (classes == 0 && host.class_path.empty()) {
    return;
  }
  findings->push_back({"coprocessors", Health::kOk,
                       classes == 0 ? "no table names a Java class"
                                    : fmt::format("{} Java class{} of {}", classes, classes == 1 ? "" : "es", named)});
  CheckJava(host.java, findings);
  CheckClassPath(host.class_path, findings);
  for (const TableDescriptor& table : tables) {
    for (const table::JavaClass& spec : table::JavaClassesOf(table)) {
      CheckJar(table.name, spec, findings);
    }
  }
}

}  // namespace klip::cli
