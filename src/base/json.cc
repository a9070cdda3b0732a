#include "base/json.h"

#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/errors.h"

namespace klip::base {
namespace {

// The parser is not recursive, but code that copies or prints a value is, and for a text of brackets or commas it would
// first allocate many times its size. As far as the text is JSON, this sees the same values as the parser. Returns which
// limit the text exceeds; "" if it may be parsed.
std::string Excess(std::string_view text) {
  int depth = 0;
  size_t values = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"':
        for (++i; i < text.size() && text[i] != '"'; ++i) {
          i += text[i] == '\\' ? 1 : 0;
        }
        break;
      case '[':
      case '{':
        ++values;  // the first in it
        if (++depth > kMaxJsonDepth) {
          return "is nested deeper than " + std::to_string(kMaxJsonDepth) + " levels";
        }
        break;
      case ']':
      case '}':
        --depth;
        break;
      case ',':
        ++values;
        break;
    }
  }
  return values > kMaxJsonValues ? "has more than " + std::to_string(kMaxJsonValues) + " values" : "";
}

// Builds the value.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  Json Take() { return std::move(root_); }
  // Of a parse that failed.
  const std::string& problem() const { return problem_; }

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(int64_t value) override { return value == 0 ? AddLiteral("-0") : Add(value); }
  bool number_unsigned(uint64_t value) override { return Add(value); }
  bool number_float(double /*value*/, const std::string& literal) override { return AddLiteral(literal); }
  bool string(std::string& value) override { return Add(std::move(value)); }
  bool binary(Json::binary_t& /*value*/) override { return false; }  // of other formats

  bool start_object(size_t /*elements*/) override { return Open(Json::object()); }
  bool start_array(size_t /*elements*/) override { return Open(Json::array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(std::string& name) override {
    const auto [member, is_new] = open_.back()->get_ref<Json::object_t&>().try_emplace(name);
    if (!is_new) {
      problem_ = "has two members \"" + name.substr(0, 80) + "\" in an object";
    }
    member_ = &member->second;
    return is_new;
  }

  bool parse_error(size_t position, const std::string& /*token*/, const nlohmann::detail::exception& error) override {
    constexpr int kNumberOutOfRange = 406;
    problem_ = error.id == kNumberOutOfRange
                   ? "has a number beyond those of 64 bits: write it as a text"
                   : "is not JSON: byte " + std::to_string(position) + " cannot follow those before it";
    return false;
  }

 private:
  bool Add(Json value) {
    Place() = std::move(value);
    return true;
  }
  bool AddLiteral(std::string_view literal) {
    return Add(Json::binary(Json::binary_t::container_type(literal.begin(), literal.end())));
  }
  bool Open(Json value) {
    Json& place = Place();
    place = std::move(value);
    open_.push_back(&place);
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }
  // Of the next value. A list or object grows only after those in it are complete, so pointers to them stay valid.
  Json& Place() {
    if (open_.empty()) {
      return root_;
    }
    return open_.back()->is_array() ? open_.back()->get_ref<Json::array_t&>().emplace_back() : *member_;
  }

  Json root_;
  std::vector<Json*> open_;  // lists and objects
  Json* member_ = nullptr;   // of the last one, if it is an object: whose value is next
  std::string problem_;
};

}  // namespace

Expected<Json> ParseJson(std::string_view text, std::string_view what) {
  if (const std::string excess = Excess(text); !excess.empty()) {
    return Invalid(std::string(what) + " " + excess);
  }
  Builder builder;
  if (!Json::sax_parse(text, &builder)) {
    return Invalid(std::string(what) + " " + builder.problem());
  }
  return builder.Take();
}

bool IsNumber(const Json& value) { return value.is_number() || value.is_binary(); }

Expected<std::string> ScalarText(const Json& value, std::string_view name) {
  if (value.is_structured()) {
    return Invalid(std::string(name.substr(0, 80)) + " is a list or an object");
  }
  if (value.is_binary()) {
    return std::string(value.get_binary().begin(), value.get_binary().end());
  }
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace klip::base
