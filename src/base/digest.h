// Message digests, for row keys and region names. Wraps OpenSSL.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace klip::base {

// Raw digest bytes: 16, 20 and 32 of them.
std::string Md5(std::string_view bytes);
std::string Sha1(std::string_view bytes);
std::string Sha256(std::string_view bytes);

// The SHA-256 of bytes added piece by piece.
class Sha256Stream {
 public:
  Sha256Stream();
  void Add(std::string_view bytes);
  std::string Value() const;  // of all bytes added so far

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

// Lower-case hex.
std::string Hex(std::string_view bytes);

}  // namespace klip::base
