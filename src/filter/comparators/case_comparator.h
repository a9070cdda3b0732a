// Compares text in upper or lower case: the condition upper(f:name)=BERLIN. HBase has no such comparator, so it works in this process
// only.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/letter_case.h"
#include "klip/comparator.h"

namespace klip::filter {

class CaseComparator final : public Comparator {
 public:
  // `of`: compares with the text in that case.
  CaseComparator(base::LetterCase letter_case, ComparatorPtr of) : case_(letter_case), of_(std::move(of)) {}

  base::LetterCase letter_case() const { return case_; }
  const Comparator& of() const { return *of_; }

  int CompareTo(std::string_view bytes) const override { return of_->CompareTo(base::InCase(bytes, case_)); }
  Status Failure(std::string_view bytes) const override { return of_->Failure(base::InCase(bytes, case_)); }
  std::string ToString() const override {
    return (case_ == base::LetterCase::kUpper ? "upper:" : "lower:") + of_->ToString();
  }

 private:
  const base::LetterCase case_;
  const ComparatorPtr of_;
};

}  // namespace klip::filter
