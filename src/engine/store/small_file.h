// The store's small files (CATALOG, PEERS, CLUSTER_ID, SEQUENCE, SNAPSHOT, ...): read and replaced as a whole, here only.
#pragma once

#include <string>
#include <string_view>

#include "klip/status.h"

namespace rocksdb {
class Env;
}

namespace klip::engine {

// Adds a last line with a checksum, and checks it and takes it off. Error: kCorruption naming `file`.
std::string Seal(std::string bytes);
Expected<std::string_view> Unseal(std::string_view sealed, std::string_view file);

// Whether there is a file or directory of that name. Errors: kIoError: it cannot be told. Nothing is made anew or removed then, since it
// may well be there.
Expected<bool> FileIsThere(rocksdb::Env* env, const std::string& path);

// Whole small files, replaced atomically and durably. After an error of ReplaceFile the old file is there as before,
// unless `*unknown` says that the file may have been replaced already: then a power cut decides which of the two is
// found.
Expected<std::string> ReadSmallFile(rocksdb::Env* env, const std::string& path);
Status ReplaceFile(rocksdb::Env* env, const std::string& directory, const std::string& name, std::string_view bytes,
                   bool* unknown = nullptr);
// Makes names that were made or removed in a directory durable.
Status SyncDirectory(rocksdb::Env* env, const std::string& directory);
// Makes all of the directory's file system durable, which is simpler and hardly slower than many files one by one.
Status SyncFileSystem(const std::string& directory);

}  // namespace klip::engine
