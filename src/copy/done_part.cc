#include "copy/done_part.h"

#include <charconv>
#include <iterator>

#include "klip/bytes.h"

namespace klip::copy {
namespace {

bool ParseCount(std::string_view text, int64_t* count) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *count);
  return error == std::errc() && end == text.data() + text.size() && *count >= 0;
}

}  // namespace

std::vector<std::string_view> SplitAtTabs(std::string_view line) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t tab = line.find('\t');
    parts.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) {
      return parts;
    }
    line.remove_prefix(tab + 1);
  }
}

bool ParsePart(const std::vector<std::string_view>& fields, DonePart* part) {
  if (fields.size() != 9 || fields[0] != "done") {
    return false;
  }
  part->range = {FromStringBinary(fields[1]), FromStringBinary(fields[2])};
  part->file = FromStringBinary(fields[8]);
  CopyCounts* counts = &part->counts;
  int64_t* const numbers[] = {&counts->rows, &counts->cells, &counts->delete_markers, &counts->bytes,
                              &counts->tags_left_out};
  for (size_t i = 0; i < std::size(numbers); ++i) {
    if (!ParseCount(fields[3 + i], numbers[i])) {
      return false;
    }
  }
  return true;
}

std::string LineOf(const DonePart& part) {
  std::string line = "done\t" + ToStringBinary(part.range.start) + "\t" + ToStringBinary(part.range.stop);
  const CopyCounts& counts = part.counts;
  for (const int64_t number : {counts.rows, counts.cells, counts.delete_markers, counts.bytes, counts.tags_left_out}) {
    line += "\t" + std::to_string(number);
  }
  return line + "\t" + ToStringBinary(part.file) + "\n";
}

}  // namespace klip::copy
