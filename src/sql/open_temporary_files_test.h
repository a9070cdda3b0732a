// The temporary files of SQL statements that this process has open.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace klip::sql {

// Their descriptors. The files are unlinked, but /proc shows the names that they had.
inline std::vector<int> OpenTemporaryFiles(const std::string& directory) {
  std::vector<int> found;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code closed;
    const std::string path = std::filesystem::read_symlink(entry.path(), closed).string();
    if (!closed && path.starts_with(directory + "/klip-sql-")) {
      found.push_back(std::stoi(entry.path().filename().string()));
    }
  }
  return found;
}

}  // namespace klip::sql
