#include "thrift/thrift2_convert.h"

#include <gtest/gtest.h>

namespace klip::thrift {
namespace {

TEST(Thrift2ConvertTest, ResultsSayWhetherAReplicaHasAnswered) {
  Result result;
  EXPECT_FALSE(ResultOf(result).stale);
  EXPECT_TRUE(ResultOf(result).__isset.stale);
  result.set_stale(true);
  EXPECT_TRUE(ResultOf(result).stale);
}

}  // namespace
}  // namespace klip::thrift
