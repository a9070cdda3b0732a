// Runs work in a separate process, which may abort, hang or exit without output.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <sys/types.h>

namespace klip::sweep {

struct Ended {
  bool hung = false;
  int signal = 0;     // that ended it; 0: none did
  std::string said;   // what the work returned; empty: it did not
  std::string noise;  // what it wrote to its standard output and error before

  bool ok() const { return !hung && signal == 0; }
  // "hangs", "Segmentation fault", ...; empty when ok.
  std::string What() const;
};

// A process that runs `work` and ends with what it returns, without destructors of globals.
class Child {
 public:
  // REQUIRES: this process has one thread.
  explicit Child(const std::function<std::string()>& work);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Waits for its end; a process that lives longer than `limit_ms` hangs, and is killed.
  Ended Wait(int64_t limit_ms);

 private:
  pid_t pid_ = 0;
  int output_ = -1;
};

inline Ended RunInChild(int64_t limit_ms, const std::function<std::string()>& work) {
  return Child(work).Wait(limit_ms);
}

}  // namespace klip::sweep
