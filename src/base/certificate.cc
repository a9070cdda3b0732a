#include "base/certificate.h"

#include <cstdio>
#include <ctime>
#include <memory>

#include <openssl/pem.h>
#include <openssl/x509.h>

namespace klip::base {

Expected<int64_t> CertificateEndMs(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "r"), &std::fclose);
  if (file == nullptr) {
    return Status(Code::kInvalidArgument, "cannot read " + path);
  }
  const std::unique_ptr<X509, void (*)(X509*)> certificate(PEM_read_X509(file.get(), nullptr, nullptr, nullptr),
                                                           &X509_free);
  std::tm end = {};
  if (certificate == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &end) != 1) {
    return Status(Code::kInvalidArgument, "no certificate in PEM form: " + path);
  }
  return static_cast<int64_t>(timegm(&end)) * 1000;
}

}  // namespace klip::base
