#include "hbase/net/security.h"

#include <utility>

#include <pwd.h>
#include <unistd.h>

#include "rpc/client_message.h"

namespace klip::client {
namespace {

std::string UserName() {
  passwd entry = {};
  passwd* found = nullptr;
  char text[1024];
  if (::getpwuid_r(::geteuid(), &entry, text, sizeof(text), &found) == 0 && found != nullptr) {
    return entry.pw_name;
  }
  return std::to_string(::geteuid());
}

Status BadOption(std::string_view name, std::string_view why) {
  return {Code::kInvalidArgument, "the cluster's option '" + std::string(name) + "' " + std::string(why)};
}

Status ParseBool(std::string_view name, std::string_view text, bool* value) {
  *value = text == "true";
  return *value || text == "false" ? Status() : BadOption(name, "must be true or false");
}

// The options before files are read.
struct Settings {
  bool tls = false;
  bool check_host = true;
  base::TlsFiles files;
  std::string auth = "simple";
  std::string user;  // empty: the process's user
  Kerberos kerberos = {.server = "hbase/_HOST"};
  std::string protection;
  std::string compressor;
};

Status Set(std::string_view name, const std::string& value, Settings* settings) {
  const std::pair<std::string_view, std::string*> texts[] = {
      {"tls-ca", &settings->files.ca},
      {"tls-cert", &settings->files.certificate},
      {"tls-key", &settings->files.key},
      {"auth", &settings->auth},
      {"user", &settings->user},
      {"server-principal", &settings->kerberos.server},
      {"principal", &settings->kerberos.identity.principal},
      {"keytab", &settings->kerberos.identity.keytab},
      {"protection", &settings->protection},
      {"compressor", &settings->compressor},
  };
  for (const auto& [known, text] : texts) {
    if (name == known) {
      *text = value;
      return value.empty() ? BadOption(name, "is empty") : Status();
    }
  }
  const std::pair<std::string_view, bool*> flags[] = {
      {"tls", &settings->tls},
      {"tls-check-host", &settings->check_host},
      {"fallback", &settings->kerberos.fallback},
  };
  for (const auto& [known, flag] : flags) {
    if (name == known) {
      return ParseBool(name, value, flag);
    }
  }
  return BadOption(name, "is not known");
}

Status TakeTls(const Settings& settings, bool said, Security* security) {
  const base::TlsFiles& files = settings.files;
  if (files.certificate.empty() != files.key.empty()) {
    return BadOption("tls-cert", "requires 'tls-key', and vice versa");
  }
  const bool any_file = !files.ca.empty() || !files.certificate.empty();
  if (any_file && said && !settings.tls) {
    return BadOption("tls", "is false, but files for it are given");
  }
  security->check_host = settings.check_host;
  if (any_file || settings.tls) {
    KLIP_ASSIGN_OR_RETURN(security->tls, base::NewTlsContext(base::TlsSide::kClient, files));
  }
  return Status::Ok();
}

Status TakeKerberos(Settings settings, Security* security) {
  if (settings.auth == "simple") {
    return Status::Ok();
  }
  if (settings.auth != "kerberos") {
    return BadOption("auth", "must be simple or kerberos; HBase's tokens are not supported");
  }
  constexpr std::pair<std::string_view, Protection> kProtections[] = {{"authentication", Protection::kAuthentication},
                                                                      {"integrity", Protection::kIntegrity},
                                                                      {"privacy", Protection::kPrivacy}};
  for (const auto& [name, protection] : kProtections) {
    if (settings.protection == name) {
      settings.kerberos.protection = protection;
    }
  }
  if (!settings.protection.empty() && !settings.kerberos.protection.has_value()) {
    return BadOption("protection", "must be authentication, integrity or privacy");
  }
  security->kerberos = std::move(settings.kerberos);
  return Status::Ok();
}

// By a short name, or by the server's Java class.
Status TakeCompressor(std::string compressor, Security* security) {
  constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"gz", "org.apache.hadoop.io.compress.GzipCodec"},
      {"snappy", "org.apache.hadoop.io.compress.SnappyCodec"},
      {"lz4", "org.apache.hadoop.io.compress.Lz4Codec"},
      {"zstd", "org.apache.hadoop.io.compress.ZStandardCodec"},
  };
  for (const auto& [name, java_class] : kShort) {
    if (compressor == name) {
      compressor = java_class;
    }
  }
  const std::optional<rpc::Compression> compression = rpc::CompressionOf(compressor);
  if (!compression.has_value()) {
    return BadOption("compressor",
                     "must be gz, snappy, lz4, zstd or the Java class of such a codec, not '" + compressor + "'");
  }
  security->compression = *compression;
  security->compressor = std::move(compressor);
  return Status::Ok();
}

}  // namespace

Expected<Security> MakeSecurity(const UriOptions& options) {
  Settings settings;
  for (const auto& [name, value] : options) {
    KLIP_RETURN_IF_ERROR(Set(name, value, &settings));
  }
  for (const char* const name : {"server-principal", "principal", "keytab", "protection", "fallback"}) {
    if (settings.auth != "kerberos" && options.contains(name)) {
      return BadOption(name, "needs 'auth=kerberos'");
    }
  }
  if (settings.auth != "simple" && options.contains("user")) {
    return BadOption("user", "requires 'auth=simple': Kerberos provides the user's name");
  }
  Security security = {.user = settings.user.empty() ? UserName() : settings.user};
  KLIP_RETURN_IF_ERROR(TakeTls(settings, options.contains("tls"), &security));
  KLIP_RETURN_IF_ERROR(TakeCompressor(settings.compressor, &security));
  KLIP_RETURN_IF_ERROR(TakeKerberos(std::move(settings), &security));
  return security;
}

Expected<SecuredConnection> Secure(const Security& security, const Address& server, std::string_view service,
                                   int socket, Deadline deadline) {
  SecuredConnection secured;
  if (security.tls == nullptr) {
    secured.transport = PlainTransport(socket);
  } else {
    KLIP_ASSIGN_OR_RETURN(secured.transport,
                          TlsTransport(security.tls, security.check_host ? server.host : "", socket, deadline));
  }
  if (security.kerberos.has_value()) {
    KLIP_ASSIGN_OR_RETURN(std::unique_ptr<Transport> negotiated,
                          Negotiate(*security.kerberos, server.host, socket, deadline, &secured.transport));
    secured.opening = rpc::EncodeConnectionHeader(service, negotiated != nullptr ? "" : security.user,
                                                  security.compressor, security.codec);
    if (negotiated != nullptr) {
      secured.transport = std::move(negotiated);
    }
    return secured;
  }
  secured.opening = rpc::EncodePreamble(rpc::Authentication::kSimple);
  secured.opening.Append(
      rpc::EncodeConnectionHeader(service, security.user, security.compressor, security.codec).view());
  return secured;
}

}  // namespace klip::client
