#include "base/tls.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace klip::base {
namespace {

// The first of OpenSSL's errors; "" if there is none.
std::string TakeError() {
  const unsigned long code = ::ERR_get_error();
  const char* reason = code == 0 ? nullptr : ::ERR_reason_error_string(code);
  ::ERR_clear_error();
  return reason == nullptr ? "" : reason;
}

Status FileError(const std::string& what, const std::string& path) {
  const std::string reason = TakeError();
  return {Code::kInvalidArgument, what + " " + path + ": " + (reason.empty() ? "cannot be read" : reason)};
}

int Bounded(size_t size) { return static_cast<int>(std::min<size_t>(size, INT_MAX)); }

int SocketOf(BIO* bio) { return static_cast<int>(reinterpret_cast<intptr_t>(::BIO_get_data(bio))); }

int Took(BIO* bio, ssize_t bytes, int retry) {
  BIO_clear_retry_flags(bio);
  if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) {
    ::BIO_set_flags(bio, retry | BIO_FLAGS_SHOULD_RETRY);
  }
  return static_cast<int>(bytes);
}

// OpenSSL's own sockets raise SIGPIPE when the other side has closed, and a library must not ignore signals.
const BIO_METHOD* SocketMethod() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = ::BIO_meth_new(BIO_TYPE_DESCRIPTOR | BIO_TYPE_SOURCE_SINK, "socket");
    ::BIO_meth_set_write(made, [](BIO* bio, const char* bytes, int size) {
      return Took(bio, ::send(SocketOf(bio), bytes, static_cast<size_t>(size), MSG_NOSIGNAL), BIO_FLAGS_WRITE);
    });
    ::BIO_meth_set_read(made, [](BIO* bio, char* bytes, int size) {
      return Took(bio, ::recv(SocketOf(bio), bytes, static_cast<size_t>(size), 0), BIO_FLAGS_READ);
    });
    ::BIO_meth_set_ctrl(made, [](BIO*, int command, long, void*) -> long { return command == BIO_CTRL_FLUSH ? 1 : 0; });
    return made;
  }();
  return method;
}

bool ExpectHost(SSL* ssl, const std::string& host) {
  X509_VERIFY_PARAM* const param = ::SSL_get0_param(ssl);
  if (::X509_VERIFY_PARAM_set1_ip_asc(param, host.c_str()) == 1) {
    return true;
  }
  ::ERR_clear_error();
  return ::SSL_set1_host(ssl, host.c_str()) == 1 && ::SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
}

// TLS 1.2 or newer, with authenticated encryption and forward secrecy.
void SetRules(SSL_CTX* context) {
  ::SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  ::SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20:DHE+AESGCM");
  // No session is resumed: its client would not be asked for the certificate that may be required by then.
  ::SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET);
  ::SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

// Uses the rules of the store, not of the context: they also apply to connections that Govern moves to another context.
bool UseRevocations(SSL_CTX* context, const std::string& path) {
  X509_STORE* const store = ::SSL_CTX_get_cert_store(context);
  X509_LOOKUP* const lookup = ::X509_STORE_add_lookup(store, ::X509_LOOKUP_file());
  return lookup != nullptr && ::X509_load_crl_file(lookup, path.c_str(), X509_FILETYPE_PEM) > 0 &&
         ::X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK) == 1;
}

}  // namespace

Expected<TlsContextPtr> NewTlsContext(TlsSide side, const TlsFiles& files) {
  const bool server = side == TlsSide::kServer;
  TlsContextPtr context(::SSL_CTX_new(server ? ::TLS_server_method() : ::TLS_client_method()), &::SSL_CTX_free);
  SSL_CTX* const raw = context.get();
  if (raw == nullptr) {
    return Status(Code::kIoError, "OpenSSL does not start");
  }
  SetRules(raw);
  ::SSL_CTX_set_mode(raw,
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  ::ERR_clear_error();
  if (!files.certificate.empty() && ::SSL_CTX_use_certificate_chain_file(raw, files.certificate.c_str()) != 1) {
    return FileError("certificate", files.certificate);
  }
  if (!files.key.empty() && ::SSL_CTX_use_PrivateKey_file(raw, files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return FileError("key", files.key);
  }
  if (!files.ca.empty()) {
    if (::SSL_CTX_load_verify_locations(raw, files.ca.c_str(), nullptr) != 1) {
      return FileError("CA", files.ca);
    }
    if (server) {
      ::SSL_CTX_set_client_CA_list(raw, ::SSL_load_client_CA_file(files.ca.c_str()));
    }
    if (!files.crl.empty() && !UseRevocations(raw, files.crl)) {
      return FileError("revocation list", files.crl);
    }
  } else if (!server) {
    ::SSL_CTX_set_default_verify_paths(raw);
  }
  if (!server || !files.ca.empty()) {
    ::SSL_CTX_set_verify(raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return context;
}

std::vector<int64_t> ServerTls::Stamps() const {
  std::vector<int64_t> stamps;
  for (const std::string* path : {&files_.certificate, &files_.key, &files_.ca, &files_.crl}) {
    struct stat file = {};
    if (!path->empty() && ::stat(path->c_str(), &file) == 0) {
      stamps.insert(stamps.end(), {file.st_mtim.tv_sec, file.st_mtim.tv_nsec, static_cast<int64_t>(file.st_ino)});
    }
  }
  return stamps;
}

Expected<std::unique_ptr<ServerTls>> ServerTls::Load(TlsFiles files) {
  auto made = std::unique_ptr<ServerTls>(new ServerTls(std::move(files)));
  made->stamps_ = made->Stamps();
  KLIP_ASSIGN_OR_RETURN(made->context_, NewTlsContext(TlsSide::kServer, made->files_));
  return made;
}

Expected<bool> ServerTls::Refresh() {
  std::vector<int64_t> stamps = Stamps();
  {
    const std::lock_guard lock(mutex_);
    if (stamps == stamps_) {
      return false;
    }
    stamps_ = std::move(stamps);
  }
  KLIP_ASSIGN_OR_RETURN(TlsContextPtr context, NewTlsContext(TlsSide::kServer, files_));
  const std::lock_guard lock(mutex_);
  context_ = std::move(context);
  return true;
}

TlsContextPtr ServerTls::context() const {
  const std::lock_guard lock(mutex_);
  return context_;
}

void ServerTls::RefreshAndLog(const Log& log) {
  const Expected<bool> refreshed = Refresh();
  if (!refreshed.ok()) {
    log("TLS keeps using the previous files: " + refreshed.status().message());
  } else if (*refreshed) {
    log("TLS uses the changed files from now on");
  }
}

void ServerTls::Govern(SSL_CTX* context, Log log) {
  log_ = std::move(log);
  SetRules(context);
  ::SSL_CTX_set_client_hello_cb(
      context,
      [](SSL* ssl, int*, void* self) {
        auto* const tls = static_cast<ServerTls*>(self);
        tls->RefreshAndLog(tls->log_);
        const TlsContextPtr current = tls->context();
        return ::SSL_set_SSL_CTX(ssl, current.get()) != nullptr ? SSL_CLIENT_HELLO_SUCCESS : SSL_CLIENT_HELLO_ERROR;
      },
      this);
}

std::unique_ptr<TlsSession> TlsSession::Make(const TlsContextPtr& context, TlsSide side, int socket,
                                             const std::string& host) {
  SSL* const ssl = ::SSL_new(context.get());
  BIO* const bio = ssl == nullptr ? nullptr : ::BIO_new(SocketMethod());
  if (bio == nullptr) {
    ::SSL_free(ssl);
    return nullptr;
  }
  ::BIO_set_data(bio, reinterpret_cast<void*>(intptr_t{socket}));  // NOLINT(performance-no-int-to-ptr): as OpenSSL does
  ::BIO_set_init(bio, 1);
  ::SSL_set_bio(ssl, bio, bio);  // which now owns it
  auto session = std::unique_ptr<TlsSession>(new TlsSession(ssl));
  if (!host.empty() && !ExpectHost(ssl, host)) {
    return nullptr;
  }
  if (side == TlsSide::kServer) {
    ::SSL_set_accept_state(ssl);
  } else {
    ::SSL_set_connect_state(ssl);
  }
  return session;
}

TlsSession::~TlsSession() { ::SSL_free(ssl_); }

ssize_t TlsSession::Outcome(int result) {
  const int error = ::SSL_get_error(ssl_, result);
  waits_to_write_ = error == SSL_ERROR_WANT_WRITE;
  if (error == SSL_ERROR_ZERO_RETURN) {
    return 0;
  }
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
    errno = EAGAIN;
    return -1;
  }
  if (error == SSL_ERROR_SYSCALL) {
    error_ = "the connection ended too early";
    errno = ECONNRESET;
    return -1;
  }
  error_ = TakeError();
  if (const long verified = ::SSL_get_verify_result(ssl_); verified != X509_V_OK) {
    error_ += std::string(": ") + ::X509_verify_cert_error_string(verified);
  }
  errno = EPROTO;
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

ssize_t TlsSession::ShakeHands() {
  const std::lock_guard lock(mutex_);
  ::ERR_clear_error();
  const int done = ::SSL_do_handshake(ssl_);
  return done == 1 ? done : Outcome(done);
}

bool TlsSession::waits_to_write() const {
  const std::lock_guard lock(mutex_);
  return waits_to_write_;
}

bool TlsSession::holds_input() const {
  const std::lock_guard lock(mutex_);
  return ::SSL_pending(ssl_) > 0;
}

std::string TlsSession::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

}  // namespace klip::base
