// Message digests, for row keys and region names. Behind this header: OpenSSL.
#pragma once

#include <string>
#include <string_view>

namespace klip::base {

// Raw digest bytes: 16, 20 and 32 of them.
std::string Md5(std::string_view bytes);
std::string Sha1(std::string_view bytes);
std::string Sha256(std::string_view bytes);

// Lower-case hex.
std::string Hex(std::string_view bytes);

}  // namespace klip::base
