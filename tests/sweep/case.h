// One case of the sweep: runs an operation under a plan on a copy of its store, and checks the outcome.
#pragma once

#include <string>

#include "sweep/operation.h"
#include "sweep/victim.h"

namespace klip::sweep {

enum class Verdict {
  kNotReached,  // the operation makes fewer calls
  kDone,        // despite the fault, and the store has all of it
  kRefused,     // with an error, and the store has all that was acknowledged
  kWrong,
};

struct Outcome {
  Verdict verdict = Verdict::kNotReached;
  std::string text;  // why it is wrong; else the error
};

class Case {
 public:
  // `directory` is used by one case at a time; the store as it is before the operation is made in it.
  Case(const Operation& operation, std::string directory);

  // Runs the operation without faults, once for each number of lines. Returns what is wrong with it.
  std::string FindBaseline();
  const Baseline& baseline() const { return baseline_; }

  Outcome Run(const Plan& plan) const;

 private:
  struct Found {
    State all;
    bool has_probe = false;
    std::string wrong;
    std::vector<std::string> proved;
  };
  void CopyStore() const;
  Found Look(bool prove) const;
  std::string JudgeState(size_t acknowledged, const std::vector<State>& allowed, const State& found) const;
  std::string Judge(const Report& report, const Plan& plan) const;

  const Operation& operation_;
  const std::string directory_;
  Baseline baseline_;
};

}  // namespace klip::sweep
