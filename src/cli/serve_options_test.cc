// Where `klip serve` has its options from. Every call here ends before the server starts.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/temp_directory_test.h"
#include "cli/command.h"
#include "net/socket.h"

namespace klip::cli {
namespace {

class ServeOptionsTest : public testing::Test {
 protected:
  void TearDown() override {
    unsetenv("KLIP_DATA");
    unsetenv("KLIP_RPC_PORT");
  }

  // What is complained about.
  std::string Complaint(std::vector<std::string> args) {
    args.insert(args.begin(), "serve");
    char* text = nullptr;
    size_t bytes = 0;
    Console console;
    console.err = open_memstream(&text, &bytes);
    EXPECT_NE(RunCli(args, console), kExitOk);
    std::fclose(console.err);
    std::string out(text, bytes);
    free(text);
    return out;
  }

  std::string File(const std::string& content) {
    const std::string path = directory_.Sub("klip.conf");
    std::ofstream(path) << content;
    return path;
  }

  const TempDirectory directory_;
};

TEST_F(ServeOptionsTest, TheCommandLineGoesBeforeTheEnvironmentBeforeTheFile) {
  const std::string file = File("# where\ndata = /dev/null/file  # no directory\n\n");
  EXPECT_NE(Complaint({"--config", file}).find("/dev/null/file"), std::string::npos);
  setenv("KLIP_DATA", "/dev/null/environment", 1);
  EXPECT_NE(Complaint({"--config", file}).find("/dev/null/environment"), std::string::npos);
  EXPECT_NE(Complaint({"--config", file, "--data", "/dev/null/line"}).find("/dev/null/line"), std::string::npos);
}

TEST_F(ServeOptionsTest, AFaultyFileIsNamedWithLineAndOption) {
  const auto complaint = [this](const std::string& line) {
    const std::string text =
        Complaint({"--config", File("listen = 127.0.0.1\n" + line + "\n"), "--data", "/dev/null/x"});
    const size_t at = text.find("/klip.conf:2: ");
    EXPECT_NE(at, std::string::npos) << text;
    return at == std::string::npos ? text : text.substr(text.find(": ", at) + 2);
  };
  EXPECT_EQ(complaint("colour = red"), "unknown option 'colour'\n");
  EXPECT_EQ(complaint("help = true"), "unknown option 'help'\n");
  EXPECT_TRUE(complaint("rpc-port = 65536").starts_with("--rpc-port: '65536' is not a whole number"));
  EXPECT_TRUE(complaint("rpc-port = many").starts_with("--rpc-port: 'many' is not a whole number"));
  EXPECT_EQ(complaint("listen = ::1"), "'listen' is given twice\n");
  EXPECT_EQ(complaint("rpc-port"), "expected option = value, found 'rpc-port'\n");
  EXPECT_EQ(complaint("[server]"), "expected option = value, found '[server]'\n");
  EXPECT_EQ(complaint("no-fsync = perhaps"), "Could not convert: --no-fsync = perhaps\n");
  EXPECT_EQ(Complaint({"--config", directory_.Sub("none")}),
            "klip: InvalidArgument: cannot read " + directory_.Sub("none") + "\n");
}

TEST_F(ServeOptionsTest, AFaultyVariableIsNamed) {
  setenv("KLIP_RPC_PORT", "many", 1);
  EXPECT_TRUE(Complaint({}).starts_with("klip: KLIP_RPC_PORT: 'many' is not a whole number"));
  EXPECT_TRUE(Complaint({"--rpc-port", "few"}).starts_with("klip: --rpc-port: 'few' is not a whole number"));
}

TEST_F(ServeOptionsTest, ATakenPortNamesItsOptionAndCreatesNoStore) {
  const Expected<net::Descriptor> taken = net::Listen("127.0.0.1", 0);
  ASSERT_TRUE(taken.ok());
  const std::string port = std::to_string(net::PortOf(*taken));
  const std::string store = directory_.Sub("store");
  for (const std::string option :
       {"--rpc-port", "--zk-port", "--http-port", "--thrift-port", "--rest-port", "--sql-port"}) {
    std::vector<std::string> args = {store, option, port};
    for (const std::string other : {"--rpc-port", "--zk-port"}) {
      if (other != option) {
        args.insert(args.end(), {other, "0"});
      }
    }
    EXPECT_EQ(Complaint(args), "klip: IoError: cannot listen on 127.0.0.1:" + port + ": Address already in use; " +
                                   option + " selects another port, 0 any free port\n");
    EXPECT_FALSE(std::filesystem::exists(store)) << option;
  }
}

TEST_F(ServeOptionsTest, APortThatIsGivenTwiceNamesTheSecondOption) {
  const std::string port = [] { return std::to_string(net::PortOf(*net::Listen("127.0.0.1", 0))); }();
  const std::string store = directory_.Sub("store");
  EXPECT_EQ(Complaint({store, "--rpc-port", "0", "--zk-port", "0", "--thrift-port", port, "--rest-port", port}),
            "klip: IoError: cannot listen on 127.0.0.1:" + port +
                ": Address already in use; --rest-port selects another port, 0 any free port\n");
  EXPECT_FALSE(std::filesystem::exists(store));
}

}  // namespace
}  // namespace klip::cli
