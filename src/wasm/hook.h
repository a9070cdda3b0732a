// The functions of a module that klip calls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace klip::wasm {

enum class Hook : uint8_t {
  kPrePut,
  kPreDelete,
  kPreIncrement,
  kPreAppend,
  kPreBatchMutate,
  kPostIncrementBeforeWal,
  kPostAppendBeforeWal,
  kPostBatchMutate,
  kPostPut,
  kPostDelete,
  kPostIncrement,
  kPostAppend,
  kPreGet,
  kPostGet,
  kPreScannerOpen,
  kPostScannerNext,
  kPostScannerClose,
  kPreCheckAndMutate,
  kPreCheckAndMutateAfterRowLock,
  kPostCheckAndMutate,
  kPreBulkLoad,
  kPostBulkLoad,
  kCall,  // an endpoint's
};

// Names of exports, in the order of Hook. HBase's names, except call.
inline constexpr auto kHookNames = std::to_array<std::string_view>({"prePut",
                                                                    "preDelete",
                                                                    "preIncrement",
                                                                    "preAppend",
                                                                    "preBatchMutate",
                                                                    "postIncrementBeforeWAL",
                                                                    "postAppendBeforeWAL",
                                                                    "postBatchMutate",
                                                                    "postPut",
                                                                    "postDelete",
                                                                    "postIncrement",
                                                                    "postAppend",
                                                                    "preGetOp",
                                                                    "postGetOp",
                                                                    "preScannerOpen",
                                                                    "postScannerNext",
                                                                    "postScannerClose",
                                                                    "preCheckAndMutate",
                                                                    "preCheckAndMutateAfterRowLock",
                                                                    "postCheckAndMutate",
                                                                    "preBulkLoadHFile",
                                                                    "postBulkLoadHFile",
                                                                    "call"});
inline constexpr size_t kHooks = kHookNames.size();
static_assert(kHooks == static_cast<size_t>(Hook::kCall) + 1);

inline std::string_view NameOf(Hook hook) { return kHookNames[static_cast<size_t>(hook)]; }

}  // namespace klip::wasm
