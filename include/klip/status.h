// Status and Expected<T>: how every call of klip reports an error. Errors are values; klip does not throw exceptions.
//
// A row that does not exist, a condition that is not met and the end of a scan are not errors.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace klip {

// Each code stands for one HBase exception (src/base/errors.h has the table: Java class, retryable, text).
enum class Code : uint8_t {
  kOk,
  kInvalidArgument,         // IllegalArgumentException
  kDoNotRetry,              // DoNotRetryIOException: the request can never succeed
  kTableNotFound,           // TableNotFoundException
  kTableExists,             // TableExistsException
  kTableNotEnabled,         // TableNotEnabledException
  kTableNotDisabled,        // TableNotDisabledException
  kNoSuchColumnFamily,      // NoSuchColumnFamilyException
  kInvalidFamilyOperation,  // InvalidFamilyOperationException
  kNamespaceNotFound,       // NamespaceNotFoundException
  kNamespaceExists,         // NamespaceExistException
  kConstraintViolation,     // ConstraintException
  kSnapshotExists,          // SnapshotExistsException
  kSnapshotNotFound,        // SnapshotDoesNotExistException
  kWrongRow,                // WrongRowIOException
  kRowTooBig,               // RowTooBigException
  kIncompatibleFilter,      // IncompatibleFilterException
  kOperationConflict,       // OperationConflictException: a nonce was used before
  kRegionTooBusy,           // RegionTooBusyException: try again later
  kNotServingRegion,        // NotServingRegionException: region split, merged or moved
  kUnsupported,             // UnsupportedOperationException
  kTimedOut,                // CallTimeoutException
  kCancelled,               // InterruptedIOException
  kReadOnly,                // the store refuses writes after a failed fsync; reads continue
  kStoreInUse,              // another process has the store open
  kNewerFormat,             // the store was written by a newer klip
  kCorruption,              // CorruptHFileException: bytes on disk differ from what was written
  kIoError,                 // IOException
  kTransactionConflict,     // another commit changed the same rows: run the transaction again
};

class [[nodiscard]] Status {
 public:
  Status() = default;  // ok
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}
  // Of a Java exception that the user's own code threw: HBase's clients receive it with its own class.
  static Status OfJava(std::string java_class, std::string message, bool retryable) {
    Status status(retryable ? Code::kIoError : Code::kDoNotRetry, std::move(message));
    status.java_class_ = std::make_shared<const std::string>(std::move(java_class));
    return status;
  }

  static Status Ok() { return {}; }

  bool ok() const noexcept { return code_ == Code::kOk; }
  Code code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }
  // Null: the code determines the class.
  const std::string* java_class() const noexcept { return java_class_.get(); }

  // "TableNotFound: no table 't'" or "ok".
  std::string ToString() const;

 private:
  Code code_ = Code::kOk;
  std::string message_;
  std::shared_ptr<const std::string> java_class_;
};

// A value or the Status that explains why there is none. Reading the value of a failed Expected aborts the program.
template <typename T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Expected(Status status)  // NOLINT(google-explicit-constructor): `return status;` reads as intended
      : state_(std::in_place_index<1>, std::move(status)) {}

  bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // Ok when there is a value.
  Status status() const { return ok() ? Status() : std::get<1>(state_); }

 private:
  std::variant<T, Status> state_;
};

// Name of a code as printed by Status::ToString, e.g. "TableNotFound".
std::string_view CodeName(Code code);

#define KLIP_CONCAT_INNER(a, b) a##b
#define KLIP_CONCAT(a, b) KLIP_CONCAT_INNER(a, b)

// Returns from the enclosing function when `expr` (a Status) is an error.
#define KLIP_RETURN_IF_ERROR(expr)                                \
  do {                                                            \
    if (::klip::Status klip_status = (expr); !klip_status.ok()) { \
      return klip_status;                                         \
    }                                                             \
  } while (false)

// KLIP_ASSIGN_OR_RETURN(Result row, table->Get(get)); returns the error or declares and fills `row`.
#define KLIP_ASSIGN_OR_RETURN(declaration, expr) \
  KLIP_ASSIGN_OR_RETURN_INNER(KLIP_CONCAT(klip_expected_, __LINE__), declaration, expr)
// NOLINTBEGIN(bugprone-macro-parentheses): names and a declaration
#define KLIP_ASSIGN_OR_RETURN_INNER(temporary, declaration, expr) \
  auto temporary = (expr);                                        \
  if (!temporary.ok()) {                                          \
    return temporary.status();                                    \
  }                                                               \
  declaration = *std::move(temporary)
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace klip
