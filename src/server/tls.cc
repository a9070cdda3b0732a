#include "server/tls.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <utility>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

namespace klip::server {
namespace {

Status FileError(const std::string& what, const std::string& path) {
  const unsigned long code = ::ERR_get_error();
  const char* reason = code == 0 ? nullptr : ::ERR_reason_error_string(code);
  ::ERR_clear_error();
  return {Code::kInvalidArgument, what + " " + path + ": " + (reason == nullptr ? "cannot be read" : reason)};
}

int Bounded(size_t size) { return static_cast<int>(std::min<size_t>(size, INT_MAX)); }

}  // namespace

TlsSession::~TlsSession() { ::SSL_free(ssl_); }

ssize_t TlsSession::Outcome(int result) {
  const int error = ::SSL_get_error(ssl_, result);
  waits_to_write_ = error == SSL_ERROR_WANT_WRITE;
  if (error == SSL_ERROR_ZERO_RETURN) {
    return 0;
  }
  errno = error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? EAGAIN : EPROTO;
  return -1;
}

ssize_t TlsSession::Receive(char* bytes, size_t size) {
  const std::lock_guard lock(mutex_);
  ::ERR_clear_error();
  const int got = ::SSL_read(ssl_, bytes, Bounded(size));
  return got > 0 ? got : Outcome(got);
}

ssize_t TlsSession::Send(const char* bytes, size_t size) {
  const std::lock_guard lock(mutex_);
  ::ERR_clear_error();
  const int sent = ::SSL_write(ssl_, bytes, Bounded(size));
  waits_to_write_ = false;
  return sent > 0 ? sent : Outcome(sent);
}

bool TlsSession::waits_to_write() const {
  const std::lock_guard lock(mutex_);
  return waits_to_write_;
}

Expected<TlsContext::ContextPtr> TlsContext::Read(const TlsOptions& options) {
  const ContextPtr context(::SSL_CTX_new(::TLS_server_method()), &::SSL_CTX_free);
  SSL_CTX* const raw = context.get();
  if (raw == nullptr) {
    return Status(Code::kIoError, "OpenSSL does not start");
  }
  ::SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  ::SSL_CTX_set_mode(raw,
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  ::SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET);
  ::SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  ::ERR_clear_error();
  if (::SSL_CTX_use_certificate_chain_file(raw, options.certificate.c_str()) != 1) {
    return FileError("certificate", options.certificate);
  }
  if (::SSL_CTX_use_PrivateKey_file(raw, options.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return FileError("key", options.key);
  }
  if (!options.client_ca.empty()) {
    if (::SSL_CTX_load_verify_locations(raw, options.client_ca.c_str(), nullptr) != 1) {
      return FileError("clients' CA", options.client_ca);
    }
    ::SSL_CTX_set_client_CA_list(raw, ::SSL_load_client_CA_file(options.client_ca.c_str()));
    ::SSL_CTX_set_verify(raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return context;
}

std::vector<int64_t> TlsContext::Stamps() const {
  std::vector<int64_t> stamps;
  for (const std::string* path : {&options_.certificate, &options_.key, &options_.client_ca}) {
    struct stat file = {};
    if (!path->empty() && ::stat(path->c_str(), &file) == 0) {
      stamps.insert(stamps.end(), {file.st_mtim.tv_sec, file.st_mtim.tv_nsec, static_cast<int64_t>(file.st_ino)});
    }
  }
  return stamps;
}

Expected<std::unique_ptr<TlsContext>> TlsContext::Load(TlsOptions options) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to sockets that may be closed
  auto made = std::unique_ptr<TlsContext>(new TlsContext(std::move(options)));
  made->stamps_ = made->Stamps();
  KLIP_ASSIGN_OR_RETURN(made->context_, Read(made->options_));
  return made;
}

Expected<bool> TlsContext::Refresh() {
  std::vector<int64_t> stamps = Stamps();
  {
    const std::lock_guard lock(mutex_);
    if (stamps == stamps_) {
      return false;
    }
    stamps_ = std::move(stamps);
  }
  KLIP_ASSIGN_OR_RETURN(ContextPtr context, Read(options_));
  const std::lock_guard lock(mutex_);
  context_ = std::move(context);
  return true;
}

std::unique_ptr<TlsSession> TlsContext::NewSession(int socket) const {
  SSL* ssl = nullptr;
  {
    const std::lock_guard lock(mutex_);
    ssl = ::SSL_new(context_.get());
  }
  if (ssl == nullptr || ::SSL_set_fd(ssl, socket) != 1) {
    ::SSL_free(ssl);
    return nullptr;
  }
  ::SSL_set_accept_state(ssl);
  return std::make_unique<TlsSession>(ssl);
}

}  // namespace klip::server
