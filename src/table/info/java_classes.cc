#include "table/info/java_classes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/coprocessor_spec.h"

namespace klip::table {
namespace {

std::string_view Trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.remove_suffix(1);
  }
  return text;
}

// In the format "class[|priority[|path]], ...".
bool NamesOthersThanNative(const std::map<std::string, std::string>& configuration, const std::string& key) {
  const auto found = configuration.find(key);
  if (found == configuration.end()) {
    return false;
  }
  std::string_view rest = found->second;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const std::string_view name = Trim(one.substr(0, one.find('|')));
    if (!name.empty() && !IsNative(name)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool IsNative(std::string_view java_class) {
  static constexpr std::array<std::string_view, 4> kNative = {
      "org.apache.hadoop.hbase.coprocessor.AggregateImplementation",
      "org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint",
      "org.apache.hadoop.hbase.coprocessor.example.RowCountEndpoint",
      "org.apache.hadoop.hbase.coprocessor.example.BulkDeleteEndpoint"};
  return std::find(kNative.begin(), kNative.end(), java_class) != kNative.end();
}

std::vector<JavaClass> JavaClassesOf(const TableDescriptor& table) {
  std::vector<JavaClass> specs;
  for (base::CoprocessorSpec& spec : base::CoprocessorSpecsOf(table)) {
    if (!spec.is_module() && !IsNative(spec.name)) {
      specs.push_back({std::move(spec.attribute), std::move(spec.path), std::move(spec.name)});
    }
  }
  return specs;
}

bool NamesRegionClasses(const std::map<std::string, std::string>& configuration) {
  return NamesOthersThanNative(configuration, "hbase.coprocessor.region.classes") ||
         NamesOthersThanNative(configuration, "hbase.coprocessor.user.region.classes");
}

bool NamesServerClasses(const std::map<std::string, std::string>& configuration) {
  return NamesOthersThanNative(configuration, "hbase.coprocessor.master.classes") ||
         NamesOthersThanNative(configuration, "hbase.coprocessor.regionserver.classes") ||
         NamesLogClasses(configuration);
}

bool NamesLogClasses(const std::map<std::string, std::string>& configuration) {
  return NamesOthersThanNative(configuration, "hbase.coprocessor.wal.classes");
}

}  // namespace klip::table
