#include "net/tls.h"

namespace klip::net {

Expected<std::unique_ptr<TlsContext>> TlsContext::Load(TlsOptions options) {
  KLIP_ASSIGN_OR_RETURN(auto tls, base::ServerTls::Load({.certificate = options.certificate,
                                                         .key = options.key,
                                                         .ca = options.client_ca,
                                                         .crl = options.client_crl}));
  return std::unique_ptr<TlsContext>(new TlsContext(std::move(options), std::move(tls)));
}

std::unique_ptr<base::TlsSession> TlsContext::NewSession(int socket) const {
  return base::TlsSession::Make(tls_->context(), base::TlsSide::kServer, socket);
}

}  // namespace klip::net
