#include "server/registry/cluster_id.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <random>

#include "base/descriptor.h"
#include "base/digest.h"
#include "klip/bytes.h"

namespace klip::server {
namespace {

constexpr size_t kUuidBytes = 36;

std::string RandomUuid() {
  std::random_device random;
  std::string bytes;
  for (int i = 0; i < 4; ++i) {
    AppendBigEndian(static_cast<uint32_t>(random()), &bytes);
  }
  constexpr int kVersionAt = 6;
  constexpr int kVariantAt = 8;
  bytes[kVersionAt] = static_cast<char>((bytes[kVersionAt] & 0x0F) | 0x40);
  bytes[kVariantAt] = static_cast<char>((bytes[kVariantAt] & 0x3F) | 0x80);
  std::string text = base::Hex(bytes);
  for (const size_t at : {8U, 13U, 18U, 23U}) {
    text.insert(at, 1, '-');
  }
  return text;
}

}  // namespace

Expected<std::string> ReadOrMakeClusterId(const std::string& directory) {
  const std::string path = directory + "/CLUSTER_ID";
  if (std::ifstream file(path); file) {
    std::string id;
    std::getline(file, id);
    if (id.size() != kUuidBytes || id.find_first_not_of("0123456789abcdef-") != std::string::npos) {
      return Status(Code::kCorruption, path + " does not hold a UUID");
    }
    return id;
  }
  std::string id = RandomUuid();
  const std::string beside = path + ".new";
  std::ofstream file(beside, std::ios::trunc);
  file << id << "\n";
  file.close();
  if (!file || std::rename(beside.c_str(), path.c_str()) != 0) {
    return Status(Code::kIoError, "cannot write " + path + ": " + base::ErrorText(errno));
  }
  return id;
}

}  // namespace klip::server
