#include "net/turns.h"

#include <algorithm>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "net/echo_protocol_test.h"
#include "net/raw_socket_test.h"

namespace klip::net {
namespace {

constexpr int kSocketBytes = 4 << 10;

class TurnsTest : public EchoTest {
 protected:
  TurnsTest() : EchoTest(/*threads=*/4, /*kept=*/0, kSocketBytes) {}
};

TEST_F(TurnsTest, AnswersOfOneReadComeInOrderAndTogether) {
  RawSocket client(port_);
  client.Send("abcdefghij");
  std::string got(100, '\0');
  got.resize(static_cast<size_t>(std::max<ssize_t>(0, ::recv(client.descriptor(), got.data(), got.size(), 0))));
  EXPECT_EQ(got, "abcdefghij");
}

TEST_F(TurnsTest, ACallThatTurnsOutToBeLongHoldsNobodyUp) {
  RawSocket client(port_);
  client.Send("abw");  // nothing is known about the connection: they are assumed to be short
  EXPECT_EQ(client.Receive(2), "ab");
  client.Send("c");
  EXPECT_EQ(client.Receive(1), "c");
  client.Send("de");
  std::string two = client.Receive(2);
  std::sort(two.begin(), two.end());
  EXPECT_EQ(two, "de");
  LetEnd();
  EXPECT_EQ(client.Receive(1), std::string(1, kWaits));
}

TEST_F(TurnsTest, CallsBehindALongOneAreTakenOver) {
  RawSocket client(port_);
  client.Send("wabc");
  std::string three = client.Receive(3);
  std::sort(three.begin(), three.end());
  EXPECT_EQ(three, "abc");
  LetEnd();
  EXPECT_EQ(client.Receive(1), std::string(1, kWaits));
}

TEST_F(TurnsTest, AnAnswerThatTheSocketDoesNotTakeAtOnceFollowsABrokenTurn) {
  RawSocket client(port_, kSocketBytes);
  client.Send({&kWaitsAndIsLarge, 1});
  client.Send("b");
  EXPECT_EQ(client.Receive(1), "b") << "the turn was broken: another thread reads";
  LetEnd();
  while (reactor_.sent_bytes() == 1) {
    std::this_thread::yield();
  }
  RawSocket other(port_);
  other.Send("c");
  EXPECT_EQ(other.Receive(1), "c") << "meanwhile the socket is full";
  EXPECT_EQ(client.Receive(kLargeAnswerBytes), std::string(kLargeAnswerBytes, kWaitsAndIsLarge));
}

TEST_F(TurnsTest, StopEndsWhileATurnIsTaken) {
  RawSocket client(port_);
  client.Send("awb");
  EXPECT_EQ(client.Receive(1), "a");
  LetEnd();
  reactor_.Stop(1000);
  EXPECT_EQ(reactor_.running(), 0);
}

}  // namespace
}  // namespace klip::net
