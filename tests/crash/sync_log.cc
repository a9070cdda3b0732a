#include <fstream>

#include "crash/crash_points.h"

namespace klip::crash {

std::vector<SyncRecord> ReadSyncLog(const std::string& path) {
  std::vector<SyncRecord> records;
  std::ifstream file(path, std::ios::binary);
  SyncRecord record;
  while (file.read(reinterpret_cast<char*>(&record), sizeof(record))) {
    records.push_back(record);
  }
  return records;
}

}  // namespace klip::crash
