// A real HBase: the Java program of compat/java as a child process, which starts HBase and runs op lines on it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace klip::ops {

class HBaseProcess {
 public:
  enum class Tables {
    kPooled,  // the session's names stand for tables that are used again; many sessions run at a time
    kAlone,   // the cluster's own names, in a cluster that is empty but for them
  };

  // Waits about ten seconds until HBase is ready. nullptr, after a message on standard error, if it fails.
  static std::unique_ptr<HBaseProcess> Start(const std::vector<std::string>& command);
  ~HBaseProcess();

  // Runs the ops in a session of their own and returns what each printed. Ends this process if HBase ends.
  std::future<std::vector<std::string>> Run(const std::vector<std::string>& ops, Tables tables = Tables::kPooled);

 private:
  HBaseProcess(pid_t pid, FILE* to_child, FILE* from_child) : pid_(pid), to_child_(to_child), from_child_(from_child) {}

  void ReadAnswers();

  pid_t pid_;
  FILE* to_child_;
  FILE* from_child_;
  std::mutex mutex_;
  std::map<uint64_t, std::promise<std::vector<std::string>>> waiting_;
  uint64_t last_id_ = 0;
  std::thread reader_;
  bool closing_ = false;
};

}  // namespace klip::ops
