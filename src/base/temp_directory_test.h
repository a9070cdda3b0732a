// A temporary directory for each test, removed at the end.
//
// Tests that need no disk use kMemory: with a large /dev/shm, thousands of small stores are created many times faster.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <unistd.h>

namespace klip {

class TempDirectory {
 public:
  enum class Where { kDisk, kMemory };

  explicit TempDirectory(Where where = Where::kDisk) {
    std::error_code none;
    const bool memory = where == Where::kMemory && std::filesystem::space("/dev/shm", none).available > (1 << 30) &&
                        !none && access("/dev/shm", W_OK) == 0;
    const std::filesystem::path parent = memory ? "/dev/shm" : std::filesystem::temp_directory_path();
    std::string pattern = (parent / "klip_test_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      abort();
    }
    path_ = pattern;
  }
  ~TempDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string Sub(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace klip
