#include "engine/store/cluster_id_file.h"

#include <algorithm>
#include <random>

#include "rocksdb/env.h"

#include "base/digest.h"
#include "engine/layout/file_lookup.h"
#include "engine/store/small_file.h"
#include "klip/bytes.h"

namespace klip::engine {
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

Expected<std::string> ReadClusterId(rocksdb::Env* env, const std::string& store) {
  const std::string path = store + "/" + kClusterIdName;
  KLIP_ASSIGN_OR_RETURN(std::string id, ReadSmallFile(env, path));
  if (id.size() > kUuidBytes + 1) {  // earlier versions did not seal it
    KLIP_ASSIGN_OR_RETURN(const std::string_view line, Unseal(id, path));
    id = std::string(line);
  }
  id.resize(std::min(id.size(), id.find('\n')));
  if (id.size() != kUuidBytes || id.find_first_not_of("0123456789abcdef-") != std::string::npos) {
    return Status(Code::kCorruption, path + " does not contain a UUID. Restore it, or remove it to get a new one");
  }
  return id;
}

}  // namespace

Expected<std::string> ReadOrMakeClusterId(const StoreOptions& store) {
  KLIP_ASSIGN_OR_RETURN(const bool made, FileIsThere(store.env, store.path + "/" + kClusterIdName));
  if (made) {
    return ReadClusterId(store.env, store.path);
  }
  std::string id = RandomUuid();
  KLIP_RETURN_IF_ERROR(ReplaceFile(store.env, store.path, kClusterIdName, Seal(id + "\n")));
  return id;
}

Status CheckClusterId(const std::string& store) {
  rocksdb::Env* const env = rocksdb::Env::Default();
  KLIP_ASSIGN_OR_RETURN(const bool made, FileIsThere(env, store + "/" + kClusterIdName));
  return made ? ReadClusterId(env, store).status() : Status::Ok();
}

}  // namespace klip::engine
