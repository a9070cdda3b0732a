// SASL in the framing of HBase's RPC, with the mechanism GSSAPI (RFC 4752): Kerberos.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "hbase/net/gss.h"
#include "hbase/net/transport.h"

namespace klip::client {

// hbase.rpc.protection: the protection of bytes after authentication. The values are SASL's.
enum class Protection : uint8_t {
  kAuthentication = 1,  // none
  kIntegrity = 2,       // signed
  kPrivacy = 4,         // encrypted
};

struct Kerberos {
  std::string server;  // its principal; _HOST represents its host
  KerberosIdentity identity;
  std::optional<Protection> protection;  // nullopt: the strongest that the server offers
  bool fallback = false;                 // connect without Kerberos if the server does not use it
};

// Authenticates to the server after the preamble. Returns the transport to use instead of `below`. Returns null if the
// server does not use Kerberos and `fallback` allows that: then `below` is unchanged. Errors: kDoNotRetry (no tickets, or
// one side rejects the other), kIoError, kTimedOut.
Expected<std::unique_ptr<Transport>> Negotiate(const Kerberos& kerberos, const std::string& host, int socket,
                                               Deadline deadline, std::unique_ptr<Transport>* below);

// "hbase/_HOST@REALM" for this host; if it is an address, its name is looked up, as in HBase.
std::string PrincipalFor(const std::string& pattern, const std::string& host);

}  // namespace klip::client
