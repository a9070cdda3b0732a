// HookMask: which of HBase's hooks a region's coprocessors override. Other hooks cost no call of the host.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <string_view>

namespace klip::coprocessor {

// The hooks of RegionObserver that an operation calls.
inline constexpr std::array<std::string_view, 55> kHookNames = {
    "prePut",
    "preDelete",
    "preIncrement",
    "preAppend",
    "preBatchMutate",
    "preIncrementAfterRowLock",
    "preAppendAfterRowLock",
    "prePrepareTimeStampForDeleteVersion",
    "postIncrementBeforeWAL",
    "postAppendBeforeWAL",
    "preWALAppend",
    "postBatchMutate",
    "postPut",
    "postDelete",
    "postIncrement",
    "postAppend",
    "postBatchMutateIndispensably",
    "preCheckAndMutate",
    "preCheckAndPut",
    "preCheckAndDelete",
    "preCheckAndMutateAfterRowLock",
    "preCheckAndPutAfterRowLock",
    "preCheckAndDeleteAfterRowLock",
    "postCheckAndMutate",
    "postCheckAndPut",
    "postCheckAndDelete",
    "preGetOp",
    "postGetOp",
    "preExists",
    "postExists",
    "preScannerOpen",
    "postScannerOpen",
    "preScannerNext",
    "postScannerNext",
    "postScannerFilterRow",
    "preScannerClose",
    "postScannerClose",
    "preBulkLoadHFile",
    "postBulkLoadHFile",
    "preCommitStoreFile",
    "postCommitStoreFile",
    "prePrepareBulkLoad",
    "preCleanupBulkLoad",
    "preStoreScannerOpen",
    "preFlushScannerOpen",
    "preCompactScannerOpen",
    "preFlush",
    "postFlush",
    "preCompactSelection",
    "postCompactSelection",
    "preCompact",
    "postCompact",
    "preClose",
    "postClose",
    "preOpen",
};

using HookMask = std::bitset<kHookNames.size()>;

// The mask of `names`. REQUIRES: they are among kHookNames.
template <typename... Names>
HookMask HooksOf(Names... names) {
  HookMask mask;
  const auto set = [&mask](std::string_view name) {
    for (size_t i = 0; i < kHookNames.size(); ++i) {
      if (kHookNames[i] == name) {
        mask.set(i);
      }
    }
  };
  (set(names), ...);
  return mask;
}

}  // namespace klip::coprocessor
