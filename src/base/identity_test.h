// For tests of TLS: keys, and certificates for them.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace klip {

using KeyPtr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using CertificatePtr = std::unique_ptr<X509, decltype(&X509_free)>;

// A key and a certificate for it, in files <path>.key and <path>.pem.
struct Identity {
  // `hosts`: "DNS:localhost,IP:127.0.0.1"; null: none.
  Identity(const std::string& path, const std::string& name, long serial, const Identity* issuer = nullptr,
           const char* hosts = nullptr)
      : key(EVP_EC_gen("P-256"), &EVP_PKEY_free), certificate(X509_new(), &X509_free) {
    X509* const x509 = certificate.get();
    X509_set_version(x509, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x509), serial);
    X509_gmtime_adj(X509_getm_notBefore(x509), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x509), 3600);
    X509_set_pubkey(x509, key.get());
    X509_NAME_add_entry_by_txt(X509_get_subject_name(x509), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    const Identity& by = issuer == nullptr ? *this : *issuer;
    X509_set_issuer_name(x509, X509_get_subject_name(by.certificate.get()));
    if (issuer == nullptr) {
      AddExtension(NID_basic_constraints, "critical,CA:TRUE");
    }
    if (hosts != nullptr) {
      AddExtension(NID_subject_alt_name, hosts);
    }
    EXPECT_GT(X509_sign(x509, by.key.get(), EVP_sha256()), 0);
    std::FILE* file = std::fopen((path + ".pem").c_str(), "w");
    EXPECT_EQ(PEM_write_X509(file, x509), 1);
    std::fclose(file);
    file = std::fopen((path + ".key").c_str(), "w");
    EXPECT_EQ(PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr), 1);
    std::fclose(file);
  }

  void AddExtension(int id, const char* value) {
    const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
        X509V3_EXT_conf_nid(nullptr, nullptr, id, value), &X509_EXTENSION_free);
    X509_add_ext(certificate.get(), extension.get(), -1);
  }

  KeyPtr key;
  CertificatePtr certificate;
};

// Writes a list of the certificates that `issuer` has revoked, valid for `valid_s` seconds from now.
inline void WriteRevocations(const std::string& path, const Identity& issuer, const std::vector<long>& serials,
                             long valid_s = 3600) {
  const std::unique_ptr<X509_CRL, decltype(&X509_CRL_free)> list(X509_CRL_new(), &X509_CRL_free);
  const std::unique_ptr<ASN1_TIME, decltype(&ASN1_TIME_free)> from(X509_gmtime_adj(nullptr, -7200), &ASN1_TIME_free);
  const std::unique_ptr<ASN1_TIME, decltype(&ASN1_TIME_free)> to(X509_gmtime_adj(nullptr, valid_s), &ASN1_TIME_free);
  X509_CRL_set_version(list.get(), 1);
  X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(issuer.certificate.get()));
  X509_CRL_set1_lastUpdate(list.get(), from.get());
  X509_CRL_set1_nextUpdate(list.get(), to.get());
  for (const long serial : serials) {
    const std::unique_ptr<ASN1_INTEGER, decltype(&ASN1_INTEGER_free)> number(ASN1_INTEGER_new(), &ASN1_INTEGER_free);
    ASN1_INTEGER_set(number.get(), serial);
    X509_REVOKED* const revoked = X509_REVOKED_new();  // the list owns it
    X509_REVOKED_set_serialNumber(revoked, number.get());
    X509_REVOKED_set_revocationDate(revoked, from.get());
    X509_CRL_add0_revoked(list.get(), revoked);
  }
  X509_CRL_sort(list.get());
  EXPECT_GT(X509_CRL_sign(list.get(), issuer.key.get(), EVP_sha256()), 0);
  const std::string fresh = path + ".new";  // renamed when complete, since it may be read at any time
  std::FILE* const file = std::fopen(fresh.c_str(), "w");
  EXPECT_EQ(PEM_write_X509_CRL(file, list.get()), 1);
  std::fclose(file);
  EXPECT_EQ(std::rename(fresh.c_str(), path.c_str()), 0);
}

}  // namespace klip
