#include "filter/filters/fuzzy_row_filter.h"

#include <algorithm>
#include <utility>

#include "filter/common/filter_text.h"
#include "filter/common/visitors.h"
#include "filter/filters/row_set_state.h"
#include "klip/bytes.h"

namespace klip {
namespace {

using filter::RowBox;
using filter::RowSegment;
using filter::RowSet;

// Mask bytes in the format that clients send and servers compare with.
constexpr char kProcessedFixed = '\xff';
constexpr char kProcessedAnyV2 = '\x02';
constexpr char kProcessedAnyV1 = '\x00';

constexpr char kFixed = '\x00';
constexpr char kAny = '\x01';

class Fuzzy final : public Filter {
 public:
  explicit Fuzzy(std::vector<FuzzyKey> keys);

  std::string_view name() const override { return "FuzzyRowFilter"; }
  std::string ToString() const override;
  bool RemembersRows() const override { return false; }
  FilterNeeds Needs() const override { return FilterNeeds::kNothing; }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->FuzzyRow(keys_); }

  std::unique_ptr<filter::FilterState> NewState(bool reversed) const override {
    return std::make_unique<filter::RowSetState>(rows_, reversed, /*drops_row=*/true);
  }

  std::shared_ptr<const RowSet> Rows(bool /*reversed*/, bool* exact) const override {
    *exact = true;
    return rows_;
  }

 private:
  std::vector<FuzzyKey> keys_;
  std::shared_ptr<const RowSet> rows_;
};

// Alternating runs of fixed bytes and of any bytes.
RowBox BoxOf(const FuzzyKey& fuzzy) {
  RowBox box;
  for (size_t i = 0; i < fuzzy.key.size();) {
    size_t end = i;
    while (end < fuzzy.key.size() && fuzzy.mask[end] == fuzzy.mask[i]) {
      ++end;
    }
    RowSegment segment;
    segment.width_bytes = static_cast<int>(end - i);
    if (fuzzy.mask[i] == kFixed) {
      std::string bytes = fuzzy.key.substr(i, end - i);
      segment.intervals = {{.low = bytes, .high = bytes}};
    }
    box.segments.push_back(std::move(segment));
    i = end;
  }
  return box;
}

Fuzzy::Fuzzy(std::vector<FuzzyKey> keys) : keys_(std::move(keys)) {
  std::vector<RowBox> boxes;
  boxes.reserve(keys_.size());
  for (const FuzzyKey& key : keys_) {
    boxes.push_back(BoxOf(key));
  }
  rows_ = RowSet::FromBoxes(std::move(boxes));
}

// As patterns with '?' for any byte, if no key contains a '?'; else as keys and masks.
std::string Fuzzy::ToString() const {
  bool as_patterns = true;
  for (const FuzzyKey& fuzzy : keys_) {
    for (size_t i = 0; i < fuzzy.key.size(); ++i) {
      as_patterns = as_patterns && (fuzzy.key[i] != '?' || fuzzy.mask[i] == kAny);
    }
  }
  std::vector<std::string> arguments;
  for (const FuzzyKey& fuzzy : keys_) {
    std::string pattern = fuzzy.key;
    std::string mask;
    for (size_t i = 0; i < pattern.size(); ++i) {
      const bool any = fuzzy.mask[i] == kAny;
      pattern[i] = any && as_patterns ? '?' : pattern[i];
      mask.push_back(any ? '1' : '0');
    }
    arguments.push_back(std::move(pattern));
    if (!as_patterns) {
      arguments.push_back(std::move(mask));
    }
  }
  return filter::QuotedCallText(as_patterns ? "FuzzyRowFilter" : "FuzzyMask", arguments);
}

Status CheckLengths(const std::vector<FuzzyKey>& keys) {
  if (keys.empty()) {
    return Status(Code::kInvalidArgument, "No fuzzy keys found.");
  }
  for (const FuzzyKey& fuzzy : keys) {
    if (fuzzy.key.size() != fuzzy.mask.size()) {
      return Status(Code::kInvalidArgument, "Fuzzy pair lengths do not match: {" + ToStringBinary(fuzzy.key) + "," +
                                                ToStringBinary(fuzzy.mask) + "}");
    }
  }
  return Status::Ok();
}

bool IsProcessed(const std::string& mask, char processed_any) {
  return std::all_of(mask.begin(), mask.end(),
                     [processed_any](char byte) { return byte == kProcessedFixed || byte == processed_any; });
}

// Normalizes a mask of either form to 0 and 1, and the wildcard bytes of the key to 0. A mask in HBase's processed form
// is used as it is. In the others, 0 means a fixed byte, and so does the wildcard of the other mask version, since HBase
// shifts both to 0 before it compares.
Status Normalize(char processed_any, FuzzyKey* fuzzy) {
  bool processed = IsProcessed(fuzzy->mask, processed_any);
  for (size_t i = 0; i < fuzzy->mask.size(); ++i) {
    char& byte = fuzzy->mask[i];
    if (byte == kProcessedFixed || (byte == '\0' && !processed)) {
      byte = kFixed;
    } else if (byte == '\0' || byte == '\x01' || byte == '\x02') {
      byte = kAny;
      fuzzy->key[i] = '\0';
    } else {
      return Status(Code::kInvalidArgument, "Fuzzy mask byte " + ToStringBinary(std::string_view(&byte, 1)) +
                                                " is neither 0 (fixed) nor 1 (any byte)");
    }
  }
  return Status::Ok();
}

}  // namespace

FuzzyKey FuzzyKeyFromPattern(std::string_view pattern, char any) {
  FuzzyKey fuzzy;
  for (char byte : pattern) {
    fuzzy.key.push_back(byte == any ? '\0' : byte);
    fuzzy.mask.push_back(byte == any ? kAny : kFixed);
  }
  return fuzzy;
}

Expected<FilterPtr> FuzzyRowFilter(std::vector<FuzzyKey> keys) {
  return filter::FuzzyRowFilterFromWire(std::move(keys), /*mask_v2=*/true);
}

namespace filter {

Expected<FilterPtr> FuzzyRowFilterFromWire(std::vector<FuzzyKey> keys, bool mask_v2) {
  KLIP_RETURN_IF_ERROR(CheckLengths(keys));
  for (FuzzyKey& fuzzy : keys) {
    KLIP_RETURN_IF_ERROR(Normalize(mask_v2 ? kProcessedAnyV2 : kProcessedAnyV1, &fuzzy));
  }
  return FilterPtr(std::make_shared<Fuzzy>(std::move(keys)));
}

}  // namespace filter
}  // namespace klip
