#include "parity/filter_generator.h"

#include <utility>
#include <vector>

namespace klip::ops {
namespace {

const std::vector<std::string> kShapes = {
    "f(VERSIONS=5) g(VERSIONS=5)",
    "f(VERSIONS=5) g(VERSIONS=5) splits=b",
    "f g(VERSIONS=3) splits=aab,b",
    "f(VERSIONS=1000,KEEP_DELETED_CELLS=TRUE) g(VERSIONS=1000,BLOCKSIZE=1024)",
    "f(VERSIONS=5,NEW_VERSION_BEHAVIOR=true) g(VERSIONS=5,NEW_VERSION_BEHAVIOR=true)",
};

const std::vector<std::string> kValues = {
    "",
    "a",
    "b",
    "ab",
    "Ab",
    "abc",
    "b1",
    "12",
    "\\x00",
    "\\xFF\\x00",
    "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x07",  // 7
    "\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF\\xFE",  // -2
    "\\x00\\x00\\x00\\x01}",                     // 12.5
    "\\x00\\x00\\x00\\x00\\xF8",                 // -8
};
// Of 8 bytes, so that every comparator can take them: HBase's LongComparator fails for others.
const std::vector<std::string> kNumbers = {
    "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x07",  // as a long 7
    "\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF\\xFE",  // -2
    "\\x00\\x00\\x00\\x01\\x00\\x00\\x00}",      // as a decimal 12.5
    "\\x00\\x00\\x00\\x00\\xFF\\xFF\\xFF\\xF8",  // -8
    "numbers!",
};
const std::vector<std::string> kQualifiers = {"a", "ab", "b", "ba", "c", "\\xFF"};

// All of one length: HBase's FuzzyRowFilter is only defined for rows that are at least as long as its keys.
const std::vector<std::string> kEqualRows = {"aaa", "aab",         "aac",     "aba",        "abb", "abc",
                                             "baa", "bab",         "bba",     "bbb",        "bca", "caa",
                                             "ccc", "c\\x00\\xFF", "\\x00aa", "\\xFF\\xFFa"};
const std::vector<std::string> kMixedRows = {"\\x00", "a",  "a\\x00", "a\\xFF", "aa", "aab",   "ab",        "abc",
                                             "b",     "ba", "bab",    "bb",     "c",  "\\xFF", "\\xFF\\xFF"};
const std::vector<std::string> kPrefixes = {"a", "ab", "b", "ccc", "\\xFF", ""};

const std::vector<Alphabet> kAlphabets = {
    {.rows = kEqualRows, .qualifiers = kQualifiers, .values = kValues, .row_prefixes = kPrefixes},
    {.rows = kEqualRows, .qualifiers = kQualifiers, .values = kNumbers, .row_prefixes = kPrefixes},
    {.rows = kMixedRows, .qualifiers = kQualifiers, .values = kValues, .row_prefixes = kPrefixes},
    {.rows = kMixedRows, .qualifiers = {"", "a", "ab", "b"}, .values = kValues, .row_prefixes = kPrefixes},
};

}  // namespace

std::string FilterGenerator::Tree(int depth) {
  if (depth > 0 && random_.OneIn(10)) {
    return (random_.OneIn(2) ? "SKIP " : "WHILE ") + (random_.OneIn(2) ? Leaf() : "(" + Joined(depth - 1) + ")");
  }
  return depth > 0 && random_.OneIn(3) ? Joined(depth - 1) : Leaf();
}

std::string FilterGenerator::Joined(int depth) {
  const std::string word = random_.OneIn(2) ? " AND " : " OR ";
  std::string out;
  for (size_t count = 2 + random_.Below(2); count > 0; --count) {
    const std::string part = Tree(depth);
    out += (out.empty() ? "" : word) +
           (part.ends_with(")") && part.find(' ') == std::string::npos ? part : "(" + part + ")");
  }
  return out;
}

std::string FilterGenerator::Leaf() {
  switch (random_.Below(8)) {
    case 0:
    case 1:
      return RowLeaf();
    case 2:
    case 3:
      return ColumnLeaf();
    case 4:
    case 5:
      return CellLeaf();
    default:
      return ValueLeaf();
  }
}

std::string FilterGenerator::RowLeaf() {
  switch (random_.Below(9)) {
    case 0:
      return "PrefixFilter('" + random_.Pick(alphabet_.row_prefixes) + "')";
    case 1:
      return "InclusiveStopFilter(" + Row() + ")";
    case 2:
      return "PageFilter(" + Number(5) + ")";
    case 3:
      return "RandomRowFilter(" + random_.Pick<std::string>({"-1", "0", "1", "2"}) + ")";
    case 4:
    case 5:
      return Fuzzy();
    case 6:
      return Ranges();
    default:
      return Compared("RowFilter", Comparator(alphabet_.rows));
  }
}

std::string FilterGenerator::ColumnLeaf() {
  switch (random_.Below(9)) {
    case 0:
      return Compared("FamilyFilter", Comparator({"f", "g", "", "h"}));
    case 1:
    case 2:
      return Compared("QualifierFilter", Comparator(alphabet_.qualifiers));
    case 3:
      return "ColumnPrefixFilter(" + Qualifier() + ")";
    case 4: {
      std::map<std::string, bool> prefixes;
      std::string out;
      for (size_t count = random_.Below(4); count > 0; --count) {
        const std::string prefix = Qualifier();
        if (!std::exchange(prefixes[prefix], true)) {
          out += (out.empty() ? "" : ",") + prefix;
        }
      }
      return "MultipleColumnPrefixFilter(" + out + ")";
    }
    case 5:
      return "ColumnRangeFilter(" + Qualifier() + "," + Flag() + "," + Qualifier() + "," + Flag() + ")";
    case 6:
      return "ColumnCountGetFilter(" + Number(5) + ")";
    default:
      return "ColumnPaginationFilter(" + Number(4) + "," + (random_.OneIn(2) ? Number(4) : Qualifier()) + ")";
  }
}

std::string FilterGenerator::CellLeaf() {
  switch (random_.Below(7)) {
    case 0:
      return "FirstKeyOnlyFilter()";
    case 1:
      return random_.OneIn(2) ? "KeyOnlyFilter()" : "KeyOnlyFilter(true)";
    case 2:
      return "FirstKeyValueMatchingQualifiersFilter(" + Qualifier() + (random_.OneIn(2) ? "," + Qualifier() : "") + ")";
    case 3:
      return Timestamps();
    case 4:
      return random_.OneIn(2) ? "FilterList(MUST_PASS_ALL)" : "FilterList(MUST_PASS_ONE)";
    default:
      return Compared("ValueFilter", Comparator(alphabet_.values));
  }
}

std::string FilterGenerator::ValueLeaf() {
  const std::string column = Family() + "," + Qualifier();
  const std::string comparison = Op() + ",'" + Comparator(alphabet_.values) + "'";
  switch (random_.Below(5)) {
    case 0:
    case 1:
      return std::string("SingleColumnValue") + (random_.OneIn(2) ? "Exclude" : "") + "Filter(" + column + "," +
             comparison + (random_.OneIn(3) ? "" : "," + Flag() + "," + Flag()) + ")";
    case 2:
      return "ColumnValueFilter(" + column + "," + comparison + ")";
    default:
      switch (random_.Below(3)) {
        case 0:
          return "DependentColumnFilter(" + column + ")";
        case 1:
          return "DependentColumnFilter(" + column + "," + Flag() + ")";
        default:
          return "DependentColumnFilter(" + column + "," + Flag() + "," + comparison + ")";
      }
  }
}

// Keys no longer than any row.
std::string FilterGenerator::Fuzzy() {
  const size_t longest = alphabet_.rows == kEqualRows ? 3 : 1;
  const bool masked = random_.OneIn(3);
  std::string out;
  for (size_t count = 1 + random_.Below(3); count > 0; --count) {
    std::string key;
    std::string mask;
    for (size_t i = 1 + random_.Below(longest); i > 0; --i) {
      const bool any = random_.OneIn(2);
      key += any && !masked ? "?" : random_.Pick<std::string>({"a", "b", "c"});
      mask += any ? "1" : "0";
    }
    out += (out.empty() ? "'" : ",'") + key + (masked ? "','" + mask + "'" : "'");
  }
  return (masked ? "FuzzyMask(" : "FuzzyRowFilter(") + out + ")";
}

// Two at most (left_out.h: nested-ranges).
std::string FilterGenerator::Ranges() {
  std::string out;
  for (size_t count = 1 + random_.Below(2); count > 0; --count) {
    out += (out.empty() ? "" : ",") + (random_.OneIn(8) ? "''" : Row()) + "," + Flag() + "," +
           (random_.OneIn(8) ? "''" : Row()) + "," + Flag();
  }
  return "MultiRowRangeFilter(" + out + ")";
}

std::string FilterGenerator::Timestamps() {
  std::string out;
  for (size_t count = random_.Below(4); count > 0; --count) {
    out += (out.empty() ? "" : ",") + std::to_string(999998 + random_.Below(6));
  }
  if (!out.empty() && random_.OneIn(3)) {
    out += ",true";
  }
  return "TimestampsFilter(" + out + ")";
}

std::string FilterGenerator::Compared(const std::string& name, const std::string& comparator) {
  return name + "(" + Op() + ",'" + comparator + "')";
}

std::string FilterGenerator::Op() {
  return random_.OneIn(30) ? "NO_OP" : random_.Pick<std::string>({"<", "<=", "=", "=", "!=", ">=", ">"});
}

std::string FilterGenerator::Comparator(const std::vector<std::string>& bytes) {
  const std::string& operand = random_.Pick(bytes);
  switch (random_.Below(16)) {
    case 0:
    case 1:
    case 2:
      return "binaryprefix:" + operand;
    case 3:
      return "substring:" + random_.Pick<std::string>({"a", "B", "ab", "1", ""});
    case 4:
      return "regexstring:" +
             random_.Pick<std::string>({"a", "^a.$", "[ab]+$", "b|c", "\\d", "a.*b", "(a|b)c?$", "^$", "."});
    case 5:
      return "regexstringnocase:" + random_.Pick<std::string>({"A", "^a.$", "[AB]+$", "b|C"});
    case 6:
      return "regex:" + random_.Pick<std::string>({"0", "2", "16", "34"}) +
             ":UTF-8:JAVA:" + random_.Pick<std::string>({"A", "^a.", "a|b", "b.?"});
    case 7:
      return "null:";
    case 8:
      return "bit:" + random_.Pick<std::string>({"AND", "OR", "XOR"}) + ":" + operand;
    case 9:  // behind the end of a cell HBase reads on
      return bytes == kEqualRows || bytes == kNumbers
                 ? "component:" + Number(3) + ":" + random_.Pick<std::string>({"a", "b", "c"})
                 : "component:0:";
    case 10:
      return bytes == kNumbers ? "long:" + random_.Pick<std::string>({"7", "-2", "0"}) : "binary:" + operand;
    case 11:
      return bytes == kNumbers ? "bigdecimal:" + random_.Pick<std::string>({"12.5", "12.50", "-8", "0"})
                               : "binary:" + operand;
    default:
      return "binary:" + operand;
  }
}

ParityCase MakeFilterCase(uint64_t seed, size_t scan_count, std::map<std::string_view, size_t>* left_out) {
  Random random(seed);
  ParityCase out{.seed = seed};
  out.options = RandomOptions(random);
  out.ops.push_back("create t " + random.Pick(kShapes));
  CaseTraits traits = TraitsOf(out.ops[0]);
  traits.regions = out.ops[0].find("splits=") != std::string::npos;
  traits.flushes = random.OneIn(2);
  const Alphabet& alphabet = random.Pick(kAlphabets);
  traits.empty_qualifier = alphabet.qualifiers[0].empty();
  OpGenerator ops(random, traits, alphabet);
  FilterGenerator filters(random, alphabet);
  for (size_t writes = 10 + random.Below(60); writes > 0; --writes) {
    out.ops.push_back(random.OneIn(8) ? ops.Delete(ops.Row()) : ops.Put(ops.Row()));
    if (traits.flushes && random.OneIn(20)) {
      out.ops.push_back("flush");
    }
  }
  for (size_t scans = 0; scans < scan_count;) {
    const std::string filter = " \"filter=" + filters.Filter() + "\"";
    std::string op;
    switch (random.Below(10)) {
      case 0:
        op = random.Pick<std::string>({"get ", "exists "}) + ops.Row() + ops.ReadOptions() + filter;
        break;
      case 1:
        op = ops.Row();
        op = "check " + op + filter + " then put " + op + " f:z=" + alphabet.values.back();
        break;
      case 2:
        op = "scan raw versions=all" + ops.ScanOptions() + filter;
        break;
      default:
        op = random.Pick<std::string>({"scan", "scan", "scan", "rows", "count"}) + ops.ReadOptions() +
             ops.ScanOptions() + filter;
    }
    if (const std::string_view reason = LeftOut(traits, op); !reason.empty()) {
      ++(*left_out)[reason];
      continue;
    }
    out.ops.push_back(std::move(op));
    ++scans;
  }
  return out;
}

}  // namespace klip::ops
