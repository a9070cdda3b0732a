#include "server/tls.h"

#include <utility>

#include <sys/stat.h>

namespace klip::server {

using base::TlsSide;

Expected<base::TlsContextPtr> TlsContext::Read() const {
  return base::NewTlsContext(TlsSide::kServer,
                             {.certificate = options_.certificate, .key = options_.key, .ca = options_.client_ca});
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
  auto made = std::unique_ptr<TlsContext>(new TlsContext(std::move(options)));
  made->stamps_ = made->Stamps();
  KLIP_ASSIGN_OR_RETURN(made->context_, made->Read());
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
  KLIP_ASSIGN_OR_RETURN(base::TlsContextPtr context, Read());
  const std::lock_guard lock(mutex_);
  context_ = std::move(context);
  return true;
}

std::unique_ptr<base::TlsSession> TlsContext::NewSession(int socket) const {
  const std::lock_guard lock(mutex_);
  return base::TlsSession::Make(context_, TlsSide::kServer, socket);
}

}  // namespace klip::server
