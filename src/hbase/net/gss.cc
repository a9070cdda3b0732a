#include "hbase/net/gss.h"

#include <array>
#include <utility>

#include <gssapi/gssapi_ext.h>
#include <gssapi/gssapi_krb5.h>

namespace klip::client {
namespace {

gss_buffer_desc View(std::string_view bytes) { return {bytes.size(), const_cast<char*>(bytes.data())}; }

// A buffer of the library.
class Output {
 public:
  Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() {
    OM_uint32 minor = 0;
    ::gss_release_buffer(&minor, &buffer_);
  }
  gss_buffer_t get() { return &buffer_; }
  std::string_view view() const { return {static_cast<const char*>(buffer_.value), buffer_.length}; }

 private:
  gss_buffer_desc buffer_ = GSS_C_EMPTY_BUFFER;
};

std::string TextOf(OM_uint32 code, int type) {
  std::string text;
  OM_uint32 more = 0;
  do {
    Output line;
    OM_uint32 minor = 0;
    if (::gss_display_status(&minor, code, type, GSS_C_NO_OID, &more, line.get()) != GSS_S_COMPLETE) {
      break;
    }
    text += text.empty() ? "" : ", ";
    text += line.view();
  } while (more != 0);
  return text;
}

// The mechanism's text, if any, says more than the interface's.
Status Failed(std::string_view what, OM_uint32 major, OM_uint32 minor) {
  const std::string text = minor != 0 ? TextOf(minor, GSS_C_MECH_CODE) : TextOf(major, GSS_C_GSS_CODE);
  return {Code::kDoNotRetry, "Kerberos: " + std::string(what) + ": " + text};
}

Status ImportName(const std::string& principal, gss_name_t* name) {
  gss_buffer_desc text = View(principal);
  OM_uint32 minor = 0;
  const OM_uint32 major = ::gss_import_name(&minor, &text, const_cast<gss_OID>(GSS_KRB5_NT_PRINCIPAL_NAME), name);
  return GSS_ERROR(major) == 0 ? Status() : Failed("principal '" + principal + "'", major, minor);
}

}  // namespace

Expected<std::unique_ptr<GssSession>> GssSession::Make(const std::string& server, const KerberosIdentity& identity) {
  auto session = std::unique_ptr<GssSession>(new GssSession());
  KLIP_RETURN_IF_ERROR(ImportName(server, &session->server_));
  KLIP_RETURN_IF_ERROR(session->Acquire(identity));
  return session;
}

GssSession::~GssSession() {
  OM_uint32 minor = 0;
  ::gss_delete_sec_context(&minor, &context_, GSS_C_NO_BUFFER);
  ::gss_release_cred(&minor, &credential_);
  ::gss_release_name(&minor, &server_);
}

Status GssSession::Acquire(const KerberosIdentity& identity) {
  if (identity.keytab.empty() && identity.principal.empty()) {
    return Status::Ok();  // GSS_C_NO_CREDENTIAL: the default ones
  }
  gss_name_t name = GSS_C_NO_NAME;
  if (!identity.principal.empty()) {
    KLIP_RETURN_IF_ERROR(ImportName(identity.principal, &name));
  }
  // Tickets obtained with a keytab stay in this process; connections share them, and the library renews expired ones.
  const std::string cache = "MEMORY:klip " + identity.principal + " " + identity.keytab;
  std::array<gss_key_value_element_desc, 2> entries = {
      gss_key_value_element_desc{"client_keytab", identity.keytab.c_str()},
      gss_key_value_element_desc{"ccache", cache.c_str()},
  };
  const gss_key_value_set_desc store = {static_cast<OM_uint32>(entries.size()), entries.data()};
  gss_OID_set_desc mechanisms = {1, const_cast<gss_OID>(gss_mech_krb5)};
  OM_uint32 minor = 0;
  const OM_uint32 major =
      ::gss_acquire_cred_from(&minor, name, GSS_C_INDEFINITE, &mechanisms, GSS_C_INITIATE,
                              identity.keytab.empty() ? nullptr : &store, &credential_, nullptr, nullptr);
  OM_uint32 ignored = 0;
  ::gss_release_name(&ignored, &name);
  const std::string by = identity.keytab.empty() ? "of " + identity.principal : "by keytab " + identity.keytab;
  return GSS_ERROR(major) == 0 ? Status() : Failed("no credentials " + by, major, minor);
}

Expected<std::string> GssSession::Step(std::string_view token) {
  const std::lock_guard lock(mutex_);
  gss_buffer_desc input = View(token);
  Output output;
  OM_uint32 minor = 0;
  const OM_uint32 major = ::gss_init_sec_context(
      &minor, credential_, &context_, server_, const_cast<gss_OID>(gss_mech_krb5),
      GSS_C_MUTUAL_FLAG | GSS_C_REPLAY_FLAG | GSS_C_SEQUENCE_FLAG | GSS_C_INTEG_FLAG | GSS_C_CONF_FLAG,
      GSS_C_INDEFINITE, GSS_C_NO_CHANNEL_BINDINGS, &input, nullptr, output.get(), nullptr, nullptr);
  if (GSS_ERROR(major) != 0) {
    return Failed("no ticket was accepted", major, minor);
  }
  established_ = (major & GSS_S_CONTINUE_NEEDED) == 0;
  return std::string(output.view());
}

Status GssSession::Wrap(std::string_view bytes, bool encrypt, rpc::Buffer* out) {
  const std::lock_guard lock(mutex_);
  gss_buffer_desc input = View(bytes);
  Output output;
  int encrypted = 0;
  OM_uint32 minor = 0;
  const OM_uint32 major =
      ::gss_wrap(&minor, context_, encrypt ? 1 : 0, GSS_C_QOP_DEFAULT, &input, &encrypted, output.get());
  if (GSS_ERROR(major) != 0) {
    return Failed("cannot protect a message", major, minor);
  }
  if (encrypt && encrypted == 0) {
    return {Code::kDoNotRetry, "Kerberos: the tickets' keys cannot encrypt"};
  }
  out->Append(output.view());
  return Status::Ok();
}

Status GssSession::Unwrap(std::string_view token, bool encrypted, rpc::Buffer* out) {
  const std::lock_guard lock(mutex_);
  gss_buffer_desc input = View(token);
  Output output;
  int was_encrypted = 0;
  OM_uint32 minor = 0;
  const OM_uint32 major = ::gss_unwrap(&minor, context_, &input, output.get(), &was_encrypted, nullptr);
  // GSS_ERROR does not report messages that are repeated or out of order.
  if (major != GSS_S_COMPLETE) {
    return Failed("a message is not the server's", major, minor);
  }
  if (encrypted && was_encrypted == 0) {
    return {Code::kDoNotRetry, "Kerberos: a message is not encrypted"};
  }
  out->Append(output.view());
  return Status::Ok();
}

size_t GssSession::MostBytes(size_t wrapped, bool encrypt) const {
  const std::lock_guard lock(mutex_);
  OM_uint32 minor = 0;
  OM_uint32 most = 0;
  const OM_uint32 major = ::gss_wrap_size_limit(&minor, context_, encrypt ? 1 : 0, GSS_C_QOP_DEFAULT,
                                                static_cast<OM_uint32>(wrapped), &most);
  return GSS_ERROR(major) == 0 ? most : 0;
}

}  // namespace klip::client
