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
  kPostBatchMutate,
  kPostPut,
  kPostDelete,
  kPostIncrement,
  kPostAppend,
  kPreGet,
  kPostGet,
  kPreScannerOpen,
  kPostScannerNext,
  kPreCheckAndMutate,
  kPreCheckAndMutateAfterRowLock,
  kPostCheckAndMutate,
  kPreBulkLoad,
  kPostBulkLoad,
  kCall,  // an endpoint's
};

// Names of exports, in the order of Hook. HBase's names, except call.
inline constexpr std::array<std::string_view, 20> kHookNames = {"prePut",
                                                                "preDelete",
                                                                "preIncrement",
                                                                "preAppend",
                                                                "preBatchMutate",
                                                                "postBatchMutate",
                                                                "postPut",
                                                                "postDelete",
                                                                "postIncrement",
                                                                "postAppend",
                                                                "preGetOp",
                                                                "postGetOp",
                                                                "preScannerOpen",
                                                                "postScannerNext",
                                                                "preCheckAndMutate",
                                                                "preCheckAndMutateAfterRowLock",
                                                                "postCheckAndMutate",
                                                                "preBulkLoadHFile",
                                                                "postBulkLoadHFile",
                                                                "call"};
inline constexpr size_t kHooks = kHookNames.size();

inline std::string_view NameOf(Hook hook) { return kHookNames[static_cast<size_t>(hook)]; }

}  // namespace klip::wasm
