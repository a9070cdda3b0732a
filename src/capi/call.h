// The frame of every call: mandatory arguments, the gate, and the error as a klip_error.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "capi/handles.h"
#include "klip/klip.h"
#include "klip/status.h"

namespace klip::capi {

klip_code CodeOf(Code code);

// KLIP_OK, or the status in *error.
klip_code Report(const Status& status, klip_error** error);

// "klip_table_get: `rows` is NULL"
Status Missing(std::string_view argument);
inline Status Closed() { return {Code::kInvalidArgument, "the connection is closed"}; }
inline Status Busy() { return {Code::kInvalidArgument, "another thread is using this handle"}; }

// A copy that ends with a zero, to be freed by klip_free.
char* CopyText(std::string_view text);

inline std::string_view View(klip_bytes bytes) {
  return bytes.size == 0 ? std::string_view() : std::string_view(bytes.data, bytes.size);
}
inline klip_bytes Bytes(std::string_view text) { return {text.data(), text.size()}; }

// Runs `work(connection)` inside the gate; it returns a Status.
template <typename Work>
klip_code CallConnection(klip_connection* handle, klip_error** error, Work work) {
  if (handle == nullptr) {
    return Report(Missing("connection"), error);
  }
  const Gate::Pass pass(handle->gate.get());
  return Report(pass.ok() ? work(pass.connection()) : Closed(), error);
}

// Runs `work(inner)` on the contents of a table, scanner or loader; those of a transaction run one at a time.
template <typename Handle, typename Work>
klip_code CallChild(Handle* handle, klip_error** error, Work work) {
  if (handle == nullptr) {
    return Report(Missing("the handle"), error);
  }
  const Gate::Pass pass(handle->gate.get());
  if (!pass.ok() || handle->inner == nullptr) {
    return Report(Closed(), error);
  }
  if constexpr (requires { handle->transaction; }) {
    if (handle->transaction != nullptr) {
      const Turnstile::Turn turn(&handle->transaction->turnstile);
      return Report(turn.ok() ? work(*handle->inner) : Busy(), error);
    }
  }
  return Report(work(*handle->inner), error);
}

// As CallChild, for handles that one thread uses at a time.
template <typename Handle, typename Work>
klip_code CallAlone(Handle* handle, klip_error** error, Work work) {
  if (handle == nullptr) {
    return Report(Missing("the handle"), error);
  }
  const Turnstile::Turn turn(&handle->turnstile);
  if (!turn.ok()) {
    return Report(Busy(), error);
  }
  return CallChild(handle, error, std::move(work));
}

template <typename Handle>
void FreeChild(Handle* handle) {
  if (handle != nullptr) {
    handle->gate->Dismiss(handle);
    delete handle;
  }
}

}  // namespace klip::capi
