// UPPER and LOWER.
#include "base/letter_case.h"
#include "sql/types/codec.h"
#include "sql/types/function_table.h"

namespace klip::sql {
namespace {

using base::Language;

// For "tr", "tr_TR", "az-Latn".
Expected<Language> ParseLanguage(std::string_view locale) {
  std::string_view code = locale.substr(0, locale.find_first_of("_-"));
  return code == "tr" || code == "az" ? Language::kTurkish : Language::kOther;
}

template <base::LetterCase kCase>
Expected<std::unique_ptr<BoundFunction>> BindCase(ArgumentTypes arguments) {
  DataType type = arguments[0].type;
  if (type.type == Type::kNull) {
    type.type = Type::kVarchar;
  }
  CompiledArgument<Language> language;
  if (arguments.size() > 1) {
    KLIP_ASSIGN_OR_RETURN(language, CompiledArgument<Language>::Of(arguments, 1, ParseLanguage));
  }
  std::unique_ptr<BoundFunction> function = MakeBoundFunction(
      type,
      [type = type.type, language](std::span<const Value> values, const FunctionContext&) -> Expected<Value> {
        Language of = Language::kOther;
        if (values[0].is_null()) {
          return Value();
        }
        if (values.size() > 1 && !values[1].is_null()) {
          KLIP_ASSIGN_OR_RETURN(std::shared_ptr<const Language> known, language.For(values[1]));
          of = *known;
        }
        return Value(type, base::InCase(values[0].text(), kCase, of));
      },
      Nulls::kPassed);
  if (arguments.size() == 1) {
    function->SetLetterCase(kCase);
  }
  return function;
}

}  // namespace

std::span<const FunctionEntry> CaseFunctions() {
  static const std::vector<Type> kText = {Type::kVarchar};
  static const std::vector<FunctionEntry> kTable = {
      {"UPPER", 1, {kText, kText}, nullptr, nullptr, BindCase<base::LetterCase::kUpper>},
      {"LOWER", 1, {kText, kText}, nullptr, nullptr, BindCase<base::LetterCase::kLower>},
  };
  return kTable;
}

}  // namespace klip::sql
