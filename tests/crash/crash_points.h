// Named points at which a process dies or its disk fails. An executable that links this file has its own write, fsync,
// rename, ..., which librocksdb calls instead of libc's. klip's code is unchanged.
//
// KLIP_CRASH_POINT=<call>:<n>:<what> acts on the n-th such call:
//   <call>  write | fdatasync | fsync | rename | unlink | ftruncate
//   <what>  before | after (kill -9 self)    eio | enospc (this and every later call fails)    half (write: half of it, then die)
// KLIP_SYNC_LOG=<file> records which bytes of which file have reached the disk, for the power loss of crash_test.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace klip::crash {

// One line of the sync log: the file (inode) is durable up to `size_bytes`; 0: it was removed.
struct SyncRecord {
  uint64_t inode = 0;
  int64_t size_bytes = 0;
};

std::vector<SyncRecord> ReadSyncLog(const std::string& path);

}  // namespace klip::crash
