// Authentication of clients to servers, and of servers to clients.
#include <string>

#include <gtest/gtest.h>

#include "base/identity_test.h"
#include "hbase/net/sasl.h"
#include "server/raw_client_test.h"

namespace klip::client {
namespace {

class SecurityTest : public server::ServerTest {
 protected:
  SecurityTest()
      : ca_(root_ + "/ca", "ca", 1),
        here_(root_ + "/here", "server", 2, &ca_, "DNS:localhost,IP:127.0.0.1"),
        elsewhere_(root_ + "/elsewhere", "server", 3, &ca_, "DNS:elsewhere.example"),
        client_(root_ + "/client", "client", 4, &ca_),
        stranger_(root_ + "/stranger", "stranger", 5) {}

  void Serve(const std::string& certificate, bool client_certificates = false) {
    options_.tls.certificate = Pem(certificate);
    options_.tls.key = Key(certificate);
    options_.tls.client_ca = client_certificates ? Pem("ca") : "";
    Start(options_);
  }

  std::string Pem(const std::string& name) const { return root_ + "/" + name + ".pem"; }
  std::string Key(const std::string& name) const { return root_ + "/" + name + ".key"; }
  std::string Uri(const std::string& options) const {
    return "hbase+rpc://127.0.0.1:" + std::to_string(rpc_port()) + "?" + options;
  }
  std::string OfClient() const {
    return "tls-ca=" + Pem("ca") + "&tls-cert=" + Pem("client") + "&tls-key=" + Key("client");
  }

  // The error of opening it; "" if there is none.
  static std::string Error(const std::string& uri) {
    const auto opened = Connection::Open(uri, {.operation_timeout_ms = 3'000});
    return opened.ok() ? "" : opened.status().ToString();
  }

  server::ServerOptions options_;
  const Identity ca_, here_, elsewhere_, client_, stranger_;
};

TEST_F(SecurityTest, TheUserIsTheOneNamed) {
  options_.slow_call_ms = 0;
  Start(options_);
  const auto connection = Connection::Open(Uri("user=bob"));
  ASSERT_TRUE(connection.ok()) << connection.status().ToString();
  ASSERT_EQ((*connection)->admin().GetRegions("t").status().code(), Code::kTableNotFound);
  const Expected<std::vector<SlowCall>> calls = (*connection)->admin().servers().GetSlowCalls();
  ASSERT_TRUE(calls.ok() && !calls->empty()) << calls.status().ToString();
  EXPECT_EQ(calls->back().user, "bob");
  EXPECT_NE(Error(Uri("user=")).find("'user' is empty"), std::string::npos);
  EXPECT_NE(Error(Uri("user=bob&auth=kerberos")).find("'user' requires 'auth=simple'"), std::string::npos);
}

TEST_F(SecurityTest, CallsOverTls) {
  Serve("here");
  const auto connection = Connection::Open(Uri("tls-ca=" + Pem("ca")));
  ASSERT_TRUE(connection.ok()) << connection.status().ToString();
  ASSERT_TRUE((*connection)->admin().CreateTable({.name = "t", .families = {{.name = "f"}}}).ok());
  const auto table = *(*connection)->GetTable("t");
  const std::string large(3 << 20, 'v');  // many TLS records, and more than a socket takes at once
  std::vector<Put> puts;
  for (int i = 0; i < 10; ++i) {
    puts.push_back(Put{.row = std::to_string(i)}.Add("f", "q", large));
  }
  ASSERT_TRUE(table->Put(puts).ok());
  const auto scanner = table->Scan({});
  ASSERT_TRUE(scanner.ok());
  Result row;
  int rows = 0;
  for (Expected<bool> more = (*scanner)->Next(&row); *more; more = (*scanner)->Next(&row)) {
    ASSERT_TRUE(more.ok()) << more.status().ToString();
    EXPECT_EQ(row.Value("f", "q"), large);
    ++rows;
  }
  EXPECT_EQ(rows, 10);
}

TEST_F(SecurityTest, TheServerMustBeWhoItShouldBe) {
  Serve("elsewhere");
  EXPECT_NE(Error(Uri("tls-ca=" + Pem("ca"))).find("IP address mismatch"), std::string::npos);
  EXPECT_EQ(Error(Uri("tls-check-host=false&tls-ca=" + Pem("ca"))), "");
  EXPECT_NE(Error(Uri("tls-ca=" + Pem("stranger"))).find("certificate verify failed"), std::string::npos);
  EXPECT_NE(Error(Uri("tls=true")).find("certificate verify failed"), std::string::npos) << "not of the system's CAs";
  EXPECT_NE(Error(Uri("")), "") << "plaintext";
}

TEST_F(SecurityTest, TheClientMustBeWhoItShouldBe) {
  Serve("here", /*client_certificates=*/true);
  EXPECT_EQ(Error(Uri(OfClient())), "");
  const std::string error = Error(Uri("tls-ca=" + Pem("ca")));
  EXPECT_NE(error.find("certificate required"), std::string::npos) << error;
}

TEST_F(SecurityTest, AServerWithoutTls) { EXPECT_NE(Error(Uri("tls-ca=" + Pem("ca"))), ""); }

TEST_F(SecurityTest, AKeytabThatIsNotThere) {
  const std::string error = Error(Uri("auth=kerberos&keytab=" + root_ + "/none&principal=me@R&server-principal=s/h@R"));
  EXPECT_NE(error.find("keytab " + root_ + "/none"), std::string::npos) << error;
}

TEST_F(SecurityTest, FaultyOptionsAreNamed) {
  for (const auto& [options, text] : std::map<std::string, std::string>{
           {"tls-cart=x", "'tls-cart' is not known"},
           {"tls=yes", "'tls' must be true or false"},
           {"tls-ca", "expected name=value, found 'tls-ca'"},
           {"tls-ca=", "'tls-ca' is empty"},
           {"tls-ca=%2", "two hexadecimal digits"},
           {"tls-ca=a&tls-ca=b", "twice"},
           {"tls-cert=" + Pem("client"), "requires 'tls-key', and vice versa"},
           {"tls=false&tls-ca=" + Pem("ca"), "'tls' is false"},
           {"auth=token", "'auth' must be simple or kerberos"},
           {"keytab=k", "'keytab' needs 'auth=kerberos'"},
           {"auth=kerberos&protection=auth-conf", "'protection' must be authentication, integrity or privacy"},
           {"tls-ca=" + root_ + "/n%6Fne", "CA " + root_ + "/none: "},
       }) {
    const auto opened = Connection::Open("hbase+rpc://127.0.0.1:1?" + options);
    EXPECT_EQ(opened.status().code(), Code::kInvalidArgument) << options;
    EXPECT_NE(opened.status().message().find(text), std::string::npos) << opened.status().ToString();
  }
}

TEST(Principal, HostsAreInLowerCase) {
  EXPECT_EQ(PrincipalFor("hbase/_HOST@R", "Node1.Example"), "hbase/node1.example@R");
  EXPECT_EQ(PrincipalFor("hbase/master@R", "node1"), "hbase/master@R");
}

}  // namespace
}  // namespace klip::client
