// ParseFilter: HBase's filter language.
//
//   expression := filters joined by AND and OR, each with SKIP and WHILE before it; AND binds tighter; ( ) group
//   filter     := NAME(argument, ...)    argument := 'bytes' with '' for a quote | number, boolean, operator
//
// Blanks, commas and quotes follow HBase's parser: commas between arguments may be missing, a group may stay open, AND
// and OR need a blank or parenthesis on each side, a line break is not a blank.
#include <algorithm>
#include <utility>
#include <vector>

#include "filter/text/filter_functions.h"
#include "klip/filter.h"

namespace klip {
namespace {

using filter::Argument;

enum class Operator : uint8_t { kGroup, kSkip, kWhile, kAnd, kOr };

int PrecedenceOf(Operator op) { return op == Operator::kAnd ? 2 : op == Operator::kOr ? 3 : 1; }

struct Word {
  std::string_view text;
  Operator op;
};
constexpr Word kWords[] = {
    {"OR", Operator::kOr}, {"AND", Operator::kAnd}, {"SKIP", Operator::kSkip}, {"WHILE", Operator::kWhile}};

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

class Parser {
 public:
  Parser(std::string_view text, FilterNames names) : text_(text), names_(names) {}

  Expected<FilterPtr> Parse() {
    while (at_ < text_.size()) {
      KLIP_RETURN_IF_ERROR(Next());
    }
    while (!operators_.empty()) {
      KLIP_RETURN_IF_ERROR(Reduce());
    }
    if (filters_.size() != 1) {
      return Wrong(filters_.empty() ? "Incorrect Filter String: no filter"
                                    : "Incorrect Filter String: filters without AND or OR between them");
    }
    return std::move(filters_.back().filter);
  }

 private:
  struct Built {
    FilterPtr filter;
    int depth;
  };

  Status Wrong(std::string_view what) const {
    return {Code::kInvalidArgument, std::string(what) + " (at byte " + std::to_string(at_) + ")"};
  }

  Status Next() {
    const char c = text_[at_];
    if (c == '(') {
      operators_.push_back(Operator::kGroup);
      ++at_;
      return Status::Ok();
    }
    if (IsBlank(c)) {
      ++at_;
      return Status::Ok();
    }
    if (c == ')') {
      return CloseGroup();
    }
    for (const Word& word : kWords) {
      if (StandsHere(word)) {
        return Push(word);
      }
    }
    return ReadFilter();
  }

  // AND and OR follow a blank or ')'; SKIP and WHILE also the start or '('. A blank or '(' follows each.
  bool StandsHere(const Word& word) const {
    const size_t end = at_ + word.text.size();
    if (!text_.substr(at_).starts_with(word.text) || end >= text_.size() || (text_[end] != ' ' && text_[end] != '(')) {
      return false;
    }
    if (PrecedenceOf(word.op) == 1) {
      return at_ == 0 || text_[at_ - 1] == ' ' || text_[at_ - 1] == ')' || text_[at_ - 1] == '(';
    }
    return at_ > 0 && (text_[at_ - 1] == ' ' || text_[at_ - 1] == ')');
  }

  Status Push(const Word& word) {
    while (!operators_.empty() && operators_.back() != Operator::kGroup &&
           PrecedenceOf(operators_.back()) < PrecedenceOf(word.op)) {
      KLIP_RETURN_IF_ERROR(Reduce());
    }
    operators_.push_back(word.op);
    at_ += word.text.size();
    return Status::Ok();
  }

  Status CloseGroup() {
    while (!operators_.empty() && operators_.back() != Operator::kGroup) {
      KLIP_RETURN_IF_ERROR(Reduce());
    }
    if (operators_.empty()) {
      return Wrong("Mismatched parenthesis");
    }
    operators_.pop_back();
    ++at_;
    return Status::Ok();
  }

  // Applies the last operator; a sequence of the same AND or OR at once.
  Status Reduce() {
    const Operator op = operators_.back();
    size_t wanted = 1;
    if (op == Operator::kAnd || op == Operator::kOr) {
      while (!operators_.empty() && operators_.back() == op) {
        operators_.pop_back();
        ++wanted;
      }
    } else {
      operators_.pop_back();
    }
    if (filters_.size() < wanted) {
      return Wrong(MissingOperand(op));
    }
    if (op == Operator::kGroup) {
      return Status::Ok();
    }
    std::vector<FilterPtr> operands;
    int depth = 0;
    for (auto built = filters_.end() - static_cast<std::ptrdiff_t>(wanted); built != filters_.end(); ++built) {
      depth = std::max(depth, built->depth);
      operands.push_back(std::move(built->filter));
    }
    filters_.resize(filters_.size() - wanted);
    if (++depth > kMaxFilterDepth) {
      return Wrong("Incorrect Filter String: filters nested deeper than " + std::to_string(kMaxFilterDepth));
    }
    filters_.push_back({Apply(op, std::move(operands)), depth});
    return Status::Ok();
  }

  static FilterPtr Apply(Operator op, std::vector<FilterPtr> operands) {
    switch (op) {
      case Operator::kSkip:
        return SkipFilter(std::move(operands.front()));
      case Operator::kWhile:
        return WhileMatchFilter(std::move(operands.front()));
      default:
        return FilterList(op == Operator::kAnd ? ListOperator::kMustPassAll : ListOperator::kMustPassOne,
                          std::move(operands));
    }
  }

  static std::string_view MissingOperand(Operator op) {
    switch (op) {
      case Operator::kAnd:
        return "Incorrect input string - an AND needs two filters";
      case Operator::kOr:
        return "Incorrect input string - an OR needs two filters";
      case Operator::kSkip:
        return "Incorrect input string - a SKIP wraps a filter";
      case Operator::kWhile:
        return "Incorrect input string - a WHILE wraps a filter";
      case Operator::kGroup:
        break;
    }
    return "Incorrect Filter String: nothing in parentheses";
  }

  Status ReadFilter() {
    const std::string_view call = CallAt(at_);
    if (call.empty()) {
      return Wrong("Incorrect Filter String: no NAME(...), or no ) that closes it");
    }
    const size_t name_end = std::min(call.find('('), call.find(' '));
    const size_t open = call.find('(');
    if (name_end == std::string_view::npos || name_end == 0) {
      return Wrong("Incorrect Filter Name");
    }
    std::vector<Argument> arguments;
    if (open == std::string_view::npos || !ReadArguments(call.substr(open + 1), &arguments)) {
      return Wrong("Incorrect argument list");
    }
    const std::string name(call.substr(0, name_end));
    const filter::Function* function = filter::FindFunction(name, names_);
    if (function == nullptr) {
      return Wrong("Filter Name " + name + " not supported");
    }
    Expected<FilterPtr> made = function->make(arguments, names_);
    if (!made.ok()) {
      return Wrong("Incorrect filter string " + std::string(call) + ": " + made.status().message());
    }
    filters_.push_back({*std::move(made), 0});
    at_ += call.size();
    return Status::Ok();
  }

  bool IsQuote(size_t at) const { return at < text_.size() && text_[at] == '\''; }

  // Up to the first ')' that is not in quotes; empty: none.
  std::string_view CallAt(size_t start) const {
    bool quoted = false;
    for (size_t i = start; i < text_.size(); ++i) {
      if (IsQuote(i)) {
        if (IsQuote(i + 1)) {
          ++i;
        } else {
          quoted = !quoted;
        }
      } else if (text_[i] == ')' && !quoted) {
        return text_.substr(start, i + 1 - start);
      }
    }
    return {};
  }

  static bool ReadArguments(std::string_view text, std::vector<Argument>* arguments) {
    constexpr std::string_view kEnds = " ,)";
    for (size_t i = 0; i < text.size(); ++i) {
      if (kEnds.find(text[i]) != std::string_view::npos) {
        continue;
      }
      Argument argument;
      argument.quoted = text[i] == '\'';
      if (argument.quoted) {
        // HBase ignores the byte after the closing quote, and so does this loop.
        if (!ReadQuoted(text, &i, &argument.text)) {
          return false;
        }
      } else {
        const size_t end = text.find_first_of(kEnds, i);
        if (end == std::string_view::npos) {
          return false;
        }
        argument.text = text.substr(i, end - i);
        i = end;
      }
      arguments->push_back(std::move(argument));
    }
    return true;
  }

  // From the opening quote to after the closing one.
  static bool ReadQuoted(std::string_view text, size_t* at, std::string* out) {
    for (size_t i = *at + 1; i < text.size(); ++i) {
      if (text[i] != '\'') {
        out->push_back(text[i]);
      } else if (i + 1 < text.size() && text[i + 1] == '\'') {
        out->push_back('\'');
        ++i;
      } else {
        *at = i + 1;
        return true;
      }
    }
    return false;
  }

  std::string_view text_;
  FilterNames names_;
  size_t at_ = 0;
  std::vector<Operator> operators_;
  std::vector<Built> filters_;
};

}  // namespace

Expected<FilterPtr> ParseFilter(std::string_view text, FilterNames names) { return Parser(text, names).Parse(); }

}  // namespace klip
