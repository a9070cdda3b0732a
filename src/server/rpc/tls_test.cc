// TLS as HBase's clients use it: with and without client certificates, beside plaintext, and after a change of files.
#include "net/tls.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "base/identity_test.h"
#include "server/raw_client_test.h"
#include "table/embedded_connection.h"

namespace klip::server {
namespace {

class TlsTest : public ServerTest {
 protected:
  TlsTest() : ca_(root_ + "/ca", "ca", 1), server_identity_(root_ + "/server", "server", 2, &ca_) {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL's own sockets, which Exchange has, raise it
    options_.tls.certificate = root_ + "/server.pem";
    options_.tls.key = root_ + "/server.key";
  }

  void Restart() { Start(options_); }

  // The answer to `bytes` over TLS, up to `wanted` bytes; "" if the server closes the connection.
  std::string Exchange(const std::string& bytes, size_t wanted, const Identity* identity = nullptr) {
    const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
    if (identity != nullptr) {
      SSL_CTX_use_certificate(context.get(), identity->certificate.get());
      SSL_CTX_use_PrivateKey(context.get(), identity->key.get());
    }
    RawSocket socket(rpc_port());
    const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context.get()), &SSL_free);
    SSL_set_fd(ssl.get(), socket.descriptor());
    std::string out;
    if (SSL_connect(ssl.get()) == 1) {
      const std::unique_ptr<X509, decltype(&X509_free)> peer(SSL_get1_peer_certificate(ssl.get()), &X509_free);
      serial_ = ASN1_INTEGER_get(X509_get_serialNumber(peer.get()));
      if (SSL_write(ssl.get(), bytes.data(), static_cast<int>(bytes.size())) == static_cast<int>(bytes.size())) {
        out.resize(wanted);
        size_t have = 0;
        for (int got = 1; have < wanted && got > 0; have += got > 0 ? static_cast<size_t>(got) : 0) {
          got = SSL_read(ssl.get(), out.data() + have, static_cast<int>(wanted - have));
        }
        out.resize(have);
      }
    }
    ERR_clear_error();
    return out;
  }

  // "Regist" requests the cluster's id: a frame's length and the frame.
  std::string Ask(const Identity* identity = nullptr) { return Exchange("Regist", 4, identity); }

  ServerOptions options_;
  Identity ca_;
  Identity server_identity_;
  long serial_ = 0;  // of the server's certificate
};

TEST_F(TlsTest, TheFirstByteIsTls) {
  Restart();
  EXPECT_EQ(Ask().size(), 4U);
  EXPECT_EQ(serial_, 2);
  RawSocket plain(rpc_port());
  plain.Send("Regist");
  EXPECT_EQ(plain.ReceiveFrame(), "") << "plaintext is refused";
}

TEST_F(TlsTest, PlaintextIsServedBesideItWhenAsked) {
  options_.tls.allow_plaintext = true;
  Restart();
  EXPECT_EQ(Ask().size(), 4U);
  RawSocket plain(rpc_port());
  plain.Send("Regist");
  EXPECT_NE(plain.ReceiveFrame(), "");
}

TEST_F(TlsTest, ClientsNeedACertificateOfTheirCa) {
  options_.tls.client_ca = root_ + "/ca.pem";
  Restart();
  const Identity client(root_ + "/client", "client", 3, &ca_);
  const Identity stranger(root_ + "/stranger", "client", 3);
  EXPECT_EQ(Ask(), "");
  EXPECT_EQ(Ask(&stranger), "");
  EXPECT_EQ(Ask(&client).size(), 4U);
}

TEST_F(TlsTest, RevokedCertificatesAreRefused) {
  options_.tls.client_ca = root_ + "/ca.pem";
  options_.tls.client_crl = root_ + "/ca.crl";
  const Identity client(root_ + "/client", "client", 3, &ca_);
  const Identity other(root_ + "/other", "other", 4, &ca_);
  WriteRevocations(options_.tls.client_crl, ca_, {3, 9});
  Restart();
  EXPECT_EQ(Ask(&client), "");
  EXPECT_EQ(Ask(&other).size(), 4U);
  EXPECT_EQ(Ask(), "");
  Expected<std::unique_ptr<net::TlsContext>> context = net::TlsContext::Load(options_.tls);
  WriteRevocations(options_.tls.client_crl, ca_, {});
  EXPECT_TRUE(*(*context)->Refresh()) << "a changed list is read again";
  Restart();
  EXPECT_EQ(Ask(&client).size(), 4U);
  WriteRevocations(options_.tls.client_crl, ca_, {3}, /*valid_s=*/-60);
  Restart();
  EXPECT_EQ(Ask(&other), "") << "a list that is out of date tells nothing";
  options_.tls.client_crl = root_ + "/ca.pem";
  EXPECT_NE(net::TlsContext::Load(options_.tls).status().message().find("revocation list " + root_ + "/ca.pem"),
            std::string::npos);
}

TEST_F(TlsTest, LargeFramesGoBothWays) {
  Restart();
  // The server answers an unknown method with a text that names it.
  const std::string method(9 << 20, 'm');  // more than an event reads
  const std::string request = RawClient::Opening("ClientService", true) + RawClient::Request(1, method, "");
  const std::string answer = Exchange(request, method.size());
  EXPECT_EQ(answer.size(), method.size());
  EXPECT_NE(answer.find("mmmm"), std::string::npos);
}

TEST_F(TlsTest, ChangedFilesAreReadAgain) {
  Expected<std::unique_ptr<net::TlsContext>> context = net::TlsContext::Load(options_.tls);
  ASSERT_TRUE(context.ok()) << context.status().ToString();
  EXPECT_FALSE(*(*context)->Refresh());
  const Identity next(root_ + "/next", "server", 4, &ca_);
  std::filesystem::rename(root_ + "/next.pem", options_.tls.certificate);
  EXPECT_EQ((*context)->Refresh().status().code(), Code::kInvalidArgument) << "the key is still the old one";
  std::filesystem::rename(root_ + "/next.key", options_.tls.key);
  EXPECT_TRUE(*(*context)->Refresh());
  EXPECT_FALSE(*(*context)->Refresh());
}

TEST_F(TlsTest, FaultyFilesAreNamed) {
  const std::string good = options_.tls.key;
  options_.tls.key = root_ + "/none.key";
  EXPECT_NE(net::TlsContext::Load(options_.tls).status().message().find("none.key"), std::string::npos);
  options_.tls.key = good;
  options_.tls.client_ca = good;
  EXPECT_NE(net::TlsContext::Load(options_.tls).status().message().find("CA " + good), std::string::npos);
}

TEST_F(TlsTest, StrangersAreKeptOut) {
  server_.reset();
  options_.listen = "0.0.0.0";
  const auto start = [this]() {
    return Server::Start(*table::OpenEmbedded(root_ + "/store", {}), options_).status().code();
  };
  EXPECT_EQ(start(), Code::kInvalidArgument) << "TLS, but anyone may connect";
  options_.tls.client_ca = root_ + "/ca.pem";
  EXPECT_EQ(start(), Code::kOk);
  options_.tls.allow_plaintext = true;
  EXPECT_EQ(start(), Code::kInvalidArgument) << "plaintext goes around the certificates";
  options_.insecure = true;
  EXPECT_EQ(start(), Code::kOk);
  options_ = {};
  options_.listen = "127.0.0.1";
  EXPECT_EQ(start(), Code::kOk);
}

}  // namespace
}  // namespace klip::server
