#include "base/coprocessor_spec.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>

namespace klip::base {
namespace {

std::string_view TrimSpec(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.remove_suffix(1);
  }
  return text;
}

// "coprocessor$1", in any case, as in HBase.
bool IsCoprocessorKey(std::string_view key) {
  constexpr std::string_view kPrefix = "coprocessor$";
  const auto same = [](char want, char is) { return std::tolower(static_cast<unsigned char>(is)) == want; };
  return key.size() > kPrefix.size() && std::equal(kPrefix.begin(), kPrefix.end(), key.begin(), same) &&
         std::all_of(key.begin() + kPrefix.size(), key.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Removes and returns the part before the next bar; `rest` is empty after the last one.
std::string TakePart(std::string_view* rest) {
  const std::string_view part = rest->substr(0, rest->find('|'));
  rest->remove_prefix(std::min(rest->size(), part.size() + 1));
  return std::string(TrimSpec(part));
}

// As HBase's pattern (^[^\|]*)\|([^\|]+)\|[\s]*([\d]*)[\s]*(\|.*)?$, with a class name that is not blank.
bool IsWellFormed(std::string_view text) {
  const size_t name = text.find('|');
  const size_t priority = name == std::string_view::npos ? name : text.find('|', name + 1);
  if (priority == std::string_view::npos) {
    return false;
  }
  const size_t arguments = std::min(text.find('|', priority + 1), text.size());
  const std::string_view number = TrimSpec(text.substr(priority + 1, arguments - priority - 1));
  return !TrimSpec(text.substr(name + 1, priority - name - 1)).empty() &&
         std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Status CheckCoprocessorSpecs(const TableDescriptor& table) {
  for (const auto& [key, text] : table.attributes) {
    if (IsCoprocessorKey(key) && !IsWellFormed(text)) {
      return {Code::kInvalidArgument,
              R"(Format does not match (^[^\|]*)\|([^\|]+)\|[\s]*([\d]*)[\s]*(\|.*)?$: )" + text};
    }
  }
  for (const CoprocessorSpec& spec : CoprocessorSpecsOf(table)) {
    int32_t priority = 0;  // Java's int
    const char* const end = spec.priority.data() + spec.priority.size();
    if (!spec.priority.empty() && std::from_chars(spec.priority.data(), end, priority).ec != std::errc()) {
      return {Code::kInvalidArgument, "For input string: \"" + spec.priority + "\""};
    }
  }
  return Status::Ok();
}

std::vector<CoprocessorSpec> CoprocessorSpecsOf(const TableDescriptor& table) {
  std::vector<CoprocessorSpec> specs;
  for (const auto& [key, text] : table.attributes) {
    if (!IsCoprocessorKey(key)) {
      continue;
    }
    std::string_view rest = text;
    CoprocessorSpec spec = {.attribute = key, .path = {}, .name = {}, .priority = {}, .arguments = {}};
    spec.path = TakePart(&rest);
    spec.name = TakePart(&rest);
    spec.priority = TakePart(&rest);
    spec.arguments = TrimSpec(rest);
    specs.push_back(std::move(spec));
  }
  return specs;
}

}  // namespace klip::base
