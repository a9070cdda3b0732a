// The store's small files (CATALOG, PEERS, CLUSTER_ID, SEQUENCE, SNAPSHOT, ...). Only this file reads and replaces them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "klip/status.h"

namespace rocksdb {
class Env;
}

namespace klip::engine {

// Seal adds a last line with a checksum; Unseal checks and removes it. Error: kCorruption naming `file`.
std::string Seal(std::string bytes);
Expected<std::string_view> Unseal(std::string_view sealed, std::string_view file);
// The sealed bytes before one bit of them changed; nullopt: more changed, or there are too many to try all bits.
std::optional<std::string> WithBitRestored(std::string sealed);

// An error's text about `file`, without its name at the beginning.
std::string WithoutName(const Status& error, const std::string& file);

// Whole small files, replaced atomically and durably. After an error of ReplaceFile the old file is unchanged, unless
// `*unknown` says that it may have been replaced already: then a power cut decides which of the two is found.
Expected<std::string> ReadSmallFile(rocksdb::Env* env, const std::string& path);
Status ReplaceFile(rocksdb::Env* env, const std::string& directory, const std::string& name, std::string_view bytes,
                   bool* unknown = nullptr);
// Makes creations and removals of names in a directory durable.
Status SyncDirectory(rocksdb::Env* env, const std::string& directory);
// Syncs the directory's whole file system, which is simpler than syncing many files one by one, and hardly slower.
Status SyncFileSystem(const std::string& directory);

}  // namespace klip::engine
