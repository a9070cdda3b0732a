#include "base/digest.h"

#include <openssl/evp.h>

namespace klip::base {
namespace {

std::string Digest(const EVP_MD* algorithm, std::string_view bytes) {
  std::string out(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(out.data()), &size, algorithm, nullptr);
  out.resize(size);
  return out;
}

}  // namespace

std::string Md5(std::string_view bytes) { return Digest(EVP_md5(), bytes); }
std::string Sha1(std::string_view bytes) { return Digest(EVP_sha1(), bytes); }
std::string Sha256(std::string_view bytes) { return Digest(EVP_sha256(), bytes); }

Sha256Stream::Sha256Stream() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
}

void Sha256Stream::Add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }

std::string Sha256Stream::Value() const {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> copy(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_MD_CTX_copy_ex(copy.get(), context_.get());
  std::string out(EVP_MD_size(EVP_sha256()), '\0');
  EVP_DigestFinal_ex(copy.get(), reinterpret_cast<unsigned char*>(out.data()), nullptr);
  return out;
}

std::string Hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (char c : bytes) {
    auto byte = static_cast<unsigned char>(c);
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 15]);
  }
  return out;
}

}  // namespace klip::base
