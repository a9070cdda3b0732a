// Kerberos, by the system's GSSAPI library: a context with one server, and the protection of messages. Independent of
// HBase.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "klip/status.h"
#include "rpc/buffer.h"

struct gss_cred_id_struct;
struct gss_ctx_id_struct;
struct gss_name_struct;

namespace klip::client {

// Whose tickets are used.
struct KerberosIdentity {
  std::string keytab;     // a file with the key for obtaining tickets; empty: existing tickets (kinit, KRB5CCNAME)
  std::string principal;  // "name@REALM"; empty: the default one
};

// Thread-safe once the context is established.
class GssSession {
 public:
  // `server`: its principal, "hbase/host@REALM"; without a realm, the default one. Errors: kInvalidArgument, kDoNotRetry
  // with the library's text.
  static Expected<std::unique_ptr<GssSession>> Make(const std::string& server, const KerberosIdentity& identity);
  ~GssSession();
  GssSession(const GssSession&) = delete;
  GssSession& operator=(const GssSession&) = delete;

  // Takes the server's token (empty before the first step), and returns the token to send. Errors: kDoNotRetry.
  Expected<std::string> Step(std::string_view token);
  // Whether both sides are authenticated. No further steps.
  bool established() const { return established_; }

  // Signs, and encrypts if wanted. Errors: kDoNotRetry.
  Status Wrap(std::string_view bytes, bool encrypt, rpc::Buffer* out);
  // Errors: kDoNotRetry: the bytes are not the server's, are repeated, or lack the required encryption.
  Status Unwrap(std::string_view token, bool encrypted, rpc::Buffer* out);
  // The maximum number of bytes that Wrap converts to at most `wrapped` bytes.
  size_t MostBytes(size_t wrapped, bool encrypt) const;

 private:
  GssSession() = default;
  Status Acquire(const KerberosIdentity& identity);

  gss_name_struct* server_ = nullptr;
  gss_cred_id_struct* credential_ = nullptr;
  bool established_ = false;
  mutable std::mutex mutex_;
  gss_ctx_id_struct* context_ = nullptr;  // guarded by mutex_
};

}  // namespace klip::client
