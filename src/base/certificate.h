// Reads the contents of a certificate.
#pragma once

#include <cstdint>
#include <string>

#include "klip/status.h"

namespace klip::base {

// When the first certificate of a PEM file stops being valid, in ms since 1970. Errors: kInvalidArgument naming the file.
Expected<int64_t> CertificateEndMs(const std::string& path);

}  // namespace klip::base
