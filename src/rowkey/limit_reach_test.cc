#include "rowkey/limit_reach.h"

#include <gtest/gtest.h>

namespace klip::rowkey {
namespace {

// Of 200,000 rows, 2,000 are wanted, of which 20 were drawn: in these places, from `first` on.
WantedPlaces Places(double first, double distance) {
  WantedPlaces places = {.in_range = 200'000, .wanted = 2000};
  for (int i = 0; i < 20; ++i) {
    places.before.push_back(first + i * distance);
  }
  return places;
}

TEST(LimitReachTest, EvenlySpreadRows) {
  const WantedPlaces places = Places(9000, 9500);
  for (const double limit : {1, 10, 100, 1000, 2000}) {
    EXPECT_NEAR(ReachOf(places, {}, limit) / (limit * 100), 1, 0.2) << limit;
  }
}

TEST(LimitReachTest, RowsAtTheEnd) {
  const WantedPlaces places = Places(180'000, 1000);
  EXPECT_NEAR(ReachOf(places, {}, 1), 180'000, 5000);
  EXPECT_NEAR(ReachOf(places, {}, 1000), 190'000, 5000);
  EXPECT_LE(ReachOf(places, {}, 1e6), 200'000);
}

TEST(LimitReachTest, TheFirstPartShowsWhatIsNearby) {
  const WantedPlaces places = Places(9000, 9500);
  EXPECT_NEAR(ReachOf(places, {.rows = 1000, .wanted = 100}, 200), 2000, 200);  // ten times as many as elsewhere
  EXPECT_NEAR(ReachOf(places, {.rows = 1000, .wanted = 10}, 20), 2000, 100);
  EXPECT_EQ(ReachOf(places, {.rows = 1000, .wanted = 100}, 10), 100);
  EXPECT_GT(ReachOf(places, {.rows = 1000, .wanted = 30}, 1990), 100'000);  // not all of them are there
}

TEST(LimitReachTest, PlacesAndCountsAreInverse) {
  for (const WantedPlaces& places : {Places(9000, 9500), Places(180'000, 1000), Places(0, 100), WantedPlaces{100, 5}}) {
    for (double part = 0.01; part < 1; part += 0.07) {
      const double count = part * places.wanted;
      EXPECT_NEAR(places.CountAmong(places.RowsUntil(count)), count, 1e-6);
    }
  }
}

// A scan that has not jumped so far, although those of the whole range are expected to, is not expected to jump nearby.
TEST(LimitReachTest, WhatTheFirstPartDoesNotMeetIsRareNearby) {
  const WantedPlaces places = Places(9000, 9500);
  EXPECT_LT(MetUntil(places, {.rows = 1000, .wanted = 10}, 1, 20'000, 5000), 15);
  EXPECT_NEAR(MetUntil(places, {.rows = 1000, .wanted = 10}, 100, 20'000, 5000), 500, 10);
  EXPECT_GT(MetUntil(places, {.rows = 1000, .wanted = 10}, 1, 20'000, 200'000), 10'000);
}

}  // namespace
}  // namespace klip::rowkey
