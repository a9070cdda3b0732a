#include "parity/left_out.h"

#include <regex>

#include "ops/op_language.h"

namespace klip::ops {
namespace {

struct GoldenDifference {
  std::string_view file;
  std::string_view op;
  std::string_view reason;
};
constexpr std::string_view kClearerCode = "klip's error says more exactly what is wrong";
constexpr std::string_view kEnforced = "klip refuses rows that do not fit the table's schema";
constexpr std::string_view kOpenRange =
    "reversed, HBase takes a MultiRowRangeFilter's range without a stop row for the lowest one, and ends early";
constexpr GoldenDifference kGoldenDifferences[] = {
    {"admin/namespaces.txt", "namespace create bad-name", kClearerCode},
    {"admin/regions.txt", "split e", kClearerCode},
    {"admin/regions.txt", "split-keys hex 1", "HBase makes no keys of one region; klip says that it cannot"},
    {"admin/snapshots.txt", "restore nosuch", kClearerCode},
    {"admin/snapshots.txt", "snapshot y nosuch", kClearerCode},
    {"filter/rows.txt", "rows filter=MultiRowRangeFilter('[b,c)','[d,]') reversed", kOpenRange},
    {"model/check_and_mutate.txt", "check r f:q no-op 7 then put r f:miss=5", kClearerCode},
    {"model/errors.txt", "get r versions=0", kClearerCode},
    {"scenarios/a6_hospital.txt", "put 1001-GLU?_first d:n=1", kEnforced},
    {"scenarios/a6_hospital.txt", "put 1001 d:n=1", kEnforced},
    {"scenarios/a6_hospital.txt", "increment 1001 d:n=1", kEnforced},
    {"scenarios/a6_hospital.txt", "check x d:n absent then put x d:n=1", kEnforced},
    {"scenarios/a6_hospital.txt", "count", kEnforced},
};

bool Contains(const std::string& op, std::string_view text) { return op.find(text) != std::string::npos; }

// In a FuzzyRowFilter('a?c') or FuzzyMask('abc','010') of the op.
bool HasFixedByteAfterWildcard(const std::string& op) {
  static const std::regex kFuzzy("FuzzyRowFilter\\([^)]*\\?[^?',)]|FuzzyMask\\([^)]*',\\s*'[01]*10");
  return std::regex_search(op, kFuzzy);
}

}  // namespace

std::string_view LeftOut(const CaseTraits& traits, const std::string& op) {
  if (Contains(op, " reversed") && HasFixedByteAfterWildcard(op)) {
    return "fuzzy-reversed";
  }
  const bool sees_surplus = Contains(op, " time") || Contains(op, " raw") || Contains(op, "delete-version") ||
                            Contains(op, "delete-family-version");
  if (traits.few_versions && traits.flushes && sees_surplus) {
    return "surplus-versions";
  }
  return "";
}

bool IsGoldenDifference(std::string_view file, std::string_view op) {
  for (const GoldenDifference& difference : kGoldenDifferences) {
    if (difference.file == file && difference.op == op) {
      return true;
    }
  }
  return false;
}

const std::map<std::string_view, std::string_view>& LeftOutReasons() {
  static const std::map<std::string_view, std::string_view> kReasons = {
      {"fuzzy-reversed",
       "a reversed scan with a FuzzyRowFilter that has a fixed byte after a wildcard makes HBase's handlers loop for "
       "ever (HBASE-30226)"},
      {"surplus-versions",
       "whether a version above VERSIONS can be brought to light depends on when files are written, which is not the "
       "same"},
  };
  return kReasons;
}

}  // namespace klip::ops
