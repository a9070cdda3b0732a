// SASL as HBase's RPC frames it, with the mechanism GSSAPI (RFC 4752): Kerberos.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "hbase/net/gss.h"
#include "hbase/net/transport.h"

namespace klip::client {

// hbase.rpc.protection: what happens to the bytes after both sides know each other. The values are SASL's.
enum class Protection : uint8_t {
  kAuthentication = 1,  // nothing
  kIntegrity = 2,       // signed
  kPrivacy = 4,         // encrypted
};

struct Kerberos {
  std::string server;  // its principal; _HOST stands for its host
  KerberosIdentity identity;
  std::optional<Protection> protection;  // nullopt: the most that the server offers
  bool fallback = false;                 // go on without when the server wants none
};

// After the preamble: shows the server who we are. Returns what is to be used in place of `below`, or null when the server wants
// nothing of that and `fallback` allows it: `below` is untouched then.
// Errors: kDoNotRetry (no tickets, or one side does not accept the other), kIoError, kTimedOut.
Expected<std::unique_ptr<Transport>> Negotiate(const Kerberos& kerberos, const std::string& host, int socket,
                                               Deadline deadline, std::unique_ptr<Transport>* below);

// "hbase/_HOST@REALM" for this host; of an address the name is looked up, as HBase does.
std::string PrincipalFor(const std::string& pattern, const std::string& host);

}  // namespace klip::client
