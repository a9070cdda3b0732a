// Formats and parses numbers by a pattern, like Java's DecimalFormat: "#,##0.00", "0.0%", "$#;($#)", "0.##E0".
#pragma once

#include <string>
#include <string_view>

#include "klip/sql_value.h"
#include "klip/status.h"

namespace klip::sql {

class NumberFormat {
 public:
  // Errors: 201 (22000): a pattern that Java rejects, or with a currency.
  static Expected<NumberFormat> Of(std::string_view pattern);

  // Rounds half to even. REQUIRES: a number.
  std::string Format(const Value& number) const;
  // The number at the start of the text; NULL: none. Errors: more digits than a DECIMAL has.
  Expected<Value> Parse(std::string_view text) const;

 private:
  struct Affixes {
    std::string prefix;
    std::string suffix;
  };

  Status ParseDigits(std::string_view digits);
  std::string Digits(std::string text) const;
  std::string Scientific(std::string_view number) const;
  std::string Affixed(std::string_view number) const;

  Affixes positive_;
  Affixes negative_;
  int shift_ = 0;  // the decimal point's, to the right: 2 for %, 3 for per mille
  size_t group_ = 0;
  size_t least_whole_ = 0;
  size_t most_whole_ = 0;       // of a number with an exponent
  size_t exponent_digits_ = 0;  // at least; 0: no exponent
  size_t least_fraction_ = 0;
  size_t most_fraction_ = 0;
  bool point_ = false;  // shown without a fraction too
};

}  // namespace klip::sql
