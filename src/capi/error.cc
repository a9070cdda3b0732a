// Codes, errors, and memory that callers free.
#include <array>
#include <cstdlib>
#include <cstring>

#include "base/errors.h"
#include "capi/call.h"
#include "klip/bytes.h"

namespace klip::capi {

namespace {

// The numbers of klip.h never change; those of klip::Code may.
struct Numbered {
  Code code;
  klip_code number;
};
constexpr std::array kCodes = {
    Numbered{Code::kOk, KLIP_OK},
    Numbered{Code::kInvalidArgument, KLIP_INVALID_ARGUMENT},
    Numbered{Code::kDoNotRetry, KLIP_DO_NOT_RETRY},
    Numbered{Code::kTableNotFound, KLIP_TABLE_NOT_FOUND},
    Numbered{Code::kTableExists, KLIP_TABLE_EXISTS},
    Numbered{Code::kTableNotEnabled, KLIP_TABLE_NOT_ENABLED},
    Numbered{Code::kTableNotDisabled, KLIP_TABLE_NOT_DISABLED},
    Numbered{Code::kNoSuchColumnFamily, KLIP_NO_SUCH_COLUMN_FAMILY},
    Numbered{Code::kInvalidFamilyOperation, KLIP_INVALID_FAMILY_OPERATION},
    Numbered{Code::kNamespaceNotFound, KLIP_NAMESPACE_NOT_FOUND},
    Numbered{Code::kNamespaceExists, KLIP_NAMESPACE_EXISTS},
    Numbered{Code::kConstraintViolation, KLIP_CONSTRAINT_VIOLATION},
    Numbered{Code::kSnapshotExists, KLIP_SNAPSHOT_EXISTS},
    Numbered{Code::kSnapshotNotFound, KLIP_SNAPSHOT_NOT_FOUND},
    Numbered{Code::kWrongRow, KLIP_WRONG_ROW},
    Numbered{Code::kRowTooBig, KLIP_ROW_TOO_BIG},
    Numbered{Code::kIncompatibleFilter, KLIP_INCOMPATIBLE_FILTER},
    Numbered{Code::kOperationConflict, KLIP_OPERATION_CONFLICT},
    Numbered{Code::kRegionTooBusy, KLIP_REGION_TOO_BUSY},
    Numbered{Code::kNotServingRegion, KLIP_NOT_SERVING_REGION},
    Numbered{Code::kUnsupported, KLIP_UNSUPPORTED},
    Numbered{Code::kTimedOut, KLIP_TIMED_OUT},
    Numbered{Code::kCancelled, KLIP_CANCELLED},
    Numbered{Code::kReadOnly, KLIP_READ_ONLY},
    Numbered{Code::kStoreInUse, KLIP_STORE_IN_USE},
    Numbered{Code::kNewerFormat, KLIP_NEWER_FORMAT},
    Numbered{Code::kCorruption, KLIP_CORRUPTION},
    Numbered{Code::kIoError, KLIP_IO_ERROR},
    Numbered{Code::kTransactionConflict, KLIP_TRANSACTION_CONFLICT},
};
static_assert(kCodes.size() == static_cast<size_t>(Code::kTransactionConflict) + 1, "one row per Code, in its order");
static_assert([] {
  for (size_t i = 0; i < kCodes.size(); ++i) {
    if (kCodes[i].code != static_cast<Code>(i)) {
      return false;
    }
  }
  return true;
}());

}  // namespace

// nullptr: no code has this number.
static const char* NameOfNumber(int number) {
  for (const Numbered& one : kCodes) {
    if (one.number == number) {
      return CodeName(one.code).data();
    }
  }
  return nullptr;
}

klip_code CodeOf(Code code) { return kCodes[static_cast<size_t>(code)].number; }

klip_code Report(const Status& status, klip_error** error) {
  if (!status.ok() && error != nullptr) {
    *error = new klip_error{status};
  }
  return CodeOf(status.code());
}

Status Missing(std::string_view argument) {
  return {Code::kInvalidArgument, std::string(argument) + " is missing (NULL)"};
}

char* CopyText(std::string_view text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) {
    std::abort();
  }
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

}  // namespace klip::capi

using klip::capi::CopyText;
using klip::capi::View;

extern "C" {

int klip_abi_version(void) { return KLIP_ABI_MAJOR * 1000 + KLIP_ABI_MINOR; }

const char* klip_version(void) { return KLIP_VERSION; }

klip_code klip_error_code(const klip_error* error) {
  return error == nullptr ? KLIP_OK : klip::capi::CodeOf(error->status.code());
}

const char* klip_error_message(const klip_error* error) {
  return error == nullptr ? "" : error->status.message().c_str();
}

const char* klip_error_java_class(const klip_error* error) {
  // The table's texts are literals, so they end with a zero.
  return error == nullptr ? "" : klip::base::InfoFor(error->status.code()).java_class.data();
}

int klip_error_retryable(const klip_error* error) {
  return error != nullptr && klip::base::InfoFor(error->status.code()).retryable;
}

void klip_error_free(klip_error* error) { delete error; }

const char* klip_code_name(int code) { return klip::capi::NameOfNumber(code); }

void klip_free(char* text) { std::free(text); }

size_t klip_list_size(const klip_list* list) { return list == nullptr ? 0 : list->items.size(); }

klip_bytes klip_list_get(const klip_list* list, size_t index) {
  return index < klip_list_size(list) ? klip_bytes{list->items[index].data(), list->items[index].size()}
                                      : klip_bytes{nullptr, 0};
}

void klip_list_free(klip_list* list) { delete list; }

char* klip_to_string_binary(klip_bytes bytes) { return CopyText(klip::ToStringBinary(View(bytes))); }

char* klip_from_string_binary(const char* text, size_t* size) {
  const std::string bytes = klip::FromStringBinary(text == nullptr ? "" : text);
  if (size != nullptr) {
    *size = bytes.size();
  }
  return CopyText(bytes);
}

}  // extern "C"
