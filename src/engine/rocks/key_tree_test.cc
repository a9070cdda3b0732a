#include "engine/rocks/key_tree.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace klip::engine {
namespace {

// The reference: a std::map with the order that the header promises.
using TwinKey = std::pair<std::string, uint64_t>;  // user key, sequence number
struct TwinOrder {
  bool operator()(const TwinKey& a, const TwinKey& b) const {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  }
};
using TwinMap = std::map<TwinKey, const char*, TwinOrder>;

std::string InternalKey(const TwinKey& key, uint8_t type = 1) {
  std::string internal = key.first;
  const uint64_t packed = key.second << 8 | type;
  for (int shift = 0; shift < 64; shift += 8) {
    internal.push_back(static_cast<char>(packed >> shift));
  }
  return internal;
}

std::string Entry(const TwinKey& key, uint64_t number) {
  const std::string internal = InternalKey(key);
  std::string entry;
  size_t length = internal.size();
  for (; length >= 0x80; length >>= 7) {
    entry.push_back(static_cast<char>(length | 0x80));
  }
  entry.push_back(static_cast<char>(length));
  entry += internal;
  entry.append(reinterpret_cast<const char*>(&number), sizeof(number));
  return entry;
}

uint64_t NumberOf(const char* entry) {
  const std::string_view key = KeyTree::InternalKeyOf(entry);
  uint64_t number = 0;
  std::memcpy(&number, key.data() + key.size(), sizeof(number));
  return number;
}

// A tree, its entries and its nodes' memory.
class TreeOfOurs {
 public:
  bool Insert(const TwinKey& key) {
    entries_.push_back(Entry(key, entries_.size()));
    const char* entry = entries_.back().data();
    const bool inserted = tree_.Insert(entry);
    if (inserted) {
      twin_.emplace(key, entry);
    }
    return inserted;
  }
  const KeyTree& tree() const { return tree_; }
  const TwinMap& twin() const { return twin_; }

 private:
  std::deque<std::string> entries_;
  std::vector<std::unique_ptr<char[]>> nodes_;
  TwinMap twin_;
  KeyTree tree_{[this](size_t bytes) { return nodes_.emplace_back(new char[bytes]).get(); }};
};

struct KeyKind {
  std::string name;
  std::function<TwinKey(std::mt19937_64*, uint64_t number)> make;
  int count;
};

std::string Digits(uint64_t number, size_t width) {
  const std::string text = std::to_string(number);
  return std::string(width - std::min(width, text.size()), '0') + text;
}

std::string Letters(std::mt19937_64* random, const std::string& alphabet, size_t most) {
  std::string text((*random)() % (most + 1), '\0');
  for (char& letter : text) {
    letter = alphabet[(*random)() % alphabet.size()];
  }
  return text;
}

const std::string kExtremes("\0\1\xFE\xFF", 4);

std::vector<KeyKind> Kinds() {
  return {
      {"Ascending", [](auto*, uint64_t n) { return TwinKey("user" + Digits(n, 12), n); }, 20000},
      {"Descending", [](auto*, uint64_t n) { return TwinKey("user" + Digits(1000000 - n, 12), n); }, 20000},
      {"Spread", [](auto* random, uint64_t n) { return TwinKey("user" + Digits((*random)() % 1000000, 12), n); },
       20000},
      {"SortedRuns", [](auto*, uint64_t n) { return TwinKey(Digits(n % 7, 3) + "-" + Digits(n, 9), n); }, 20000},
      {"VersionsOfOne", [](auto*, uint64_t n) { return TwinKey("row", n); }, 5000},
      {"VersionsOfFew", [](auto* random, uint64_t n) { return TwinKey(Digits((*random)() % 30, 20), n); }, 20000},
      {"VersionsInAnyOrder", [](auto* random, uint64_t) { return TwinKey("row", (*random)() % 100000); }, 5000},
      {"ShortOfExtremes", [](auto* random, uint64_t n) { return TwinKey(Letters(random, kExtremes, 7), n); }, 20000},
      {"ExtremesBehindMuchInCommon",
       [](auto* random, uint64_t n) { return TwinKey(std::string(300, '\xFF') + Letters(random, kExtremes, 12), n); },
       20000},
      {"PrefixesOfEachOther", [](auto* random, uint64_t n) { return TwinKey(std::string((*random)() % 900, 'a'), n); },
       5000},
      {"PrefixesOfZeros", [](auto* random, uint64_t n) { return TwinKey(std::string((*random)() % 900, '\0'), n); },
       5000},
      {"VeryLong",
       [](auto* random, uint64_t n) { return TwinKey(std::string(32000, 'l') + Letters(random, kExtremes, 767), n); },
       300},
      {"LongAndShort",
       [](auto* random, uint64_t n) {
         return TwinKey(std::string((*random)() % 2 * 32760, 'l') + Letters(random, "lm", 6), n);
       },
       600},
  };
}

class KeyTreeTest : public testing::TestWithParam<KeyKind> {
 protected:
  void InsertUpTo(uint64_t count) {
    for (; inserted_ < count; ++inserted_) {
      const TwinKey key = GetParam().make(&random_, inserted_);
      ASSERT_EQ(ours_.Insert(key), !seen(key)) << inserted_;
    }
  }

  // Whether `key` was seen before.
  bool seen(const TwinKey& key) { return !keys_.emplace(key, true).second; }

  TwinKey Target() {
    if (!keys_.empty() && random_() % 2 == 0) {
      auto at = keys_.lower_bound(GetParam().make(&random_, random_() % (2 * inserted_ + 1)));
      at = at == keys_.end() ? keys_.begin() : at;
      return random_() % 2 == 0 ? at->first : TwinKey(at->first.first, at->first.second + random_() % 3 - 1);
    }
    TwinKey target = GetParam().make(&random_, random_() % (2 * inserted_ + 1));
    target.first.resize(random_() % (target.first.size() + 1));
    return target;
  }

  void ExpectAt(const KeyTree::Cursor& cursor, const TwinMap& twin, TwinMap::const_iterator at) {
    ASSERT_EQ(cursor.Valid(), at != twin.end());
    if (cursor.Valid()) {
      ASSERT_EQ(cursor.entry(), at->second);
    }
  }

  void WalkAll() {
    const TwinMap& twin = ours_.twin();
    KeyTree::Cursor cursor(&ours_.tree());
    cursor.SeekToFirst();
    for (auto at = twin.begin(); at != twin.end(); ++at, cursor.Next()) {
      ASSERT_NO_FATAL_FAILURE(ExpectAt(cursor, twin, at));
    }
    ASSERT_FALSE(cursor.Valid());
    cursor.SeekToLast();
    for (auto at = twin.rbegin(); at != twin.rend(); ++at, cursor.Prev()) {
      ASSERT_TRUE(cursor.Valid());
      ASSERT_EQ(cursor.entry(), at->second);
    }
    ASSERT_FALSE(cursor.Valid());
  }

  void WalkAtRandom(int steps) {
    const TwinMap& twin = ours_.twin();
    KeyTree::Cursor cursor(&ours_.tree());
    auto at = twin.end();
    for (int i = 0; i < steps; ++i) {
      const auto what = random_() % 16;
      if (what == 0) {
        cursor.SeekToFirst();
        at = twin.begin();
      } else if (what == 1) {
        cursor.SeekToLast();
        at = twin.empty() ? twin.end() : std::prev(twin.end());
      } else if (what < 4 || at == twin.end()) {
        const TwinKey target = Target();
        cursor.Seek(InternalKey(target, /*type=*/0x7F));
        at = twin.lower_bound(target);
      } else if (what < 6) {
        const TwinKey target = Target();
        cursor.SeekForPrev(InternalKey(target, /*type=*/0));
        at = twin.upper_bound(target);
        at = at == twin.begin() ? twin.end() : std::prev(at);
      } else if (what < 11) {
        cursor.Next();
        ++at;
      } else {
        cursor.Prev();
        at = at == twin.begin() ? twin.end() : std::prev(at);
      }
      ASSERT_NO_FATAL_FAILURE(ExpectAt(cursor, twin, at)) << "operation " << what;
    }
  }

  std::mt19937_64 random_{7};
  TreeOfOurs ours_;
  std::map<TwinKey, bool, TwinOrder> keys_;
  uint64_t inserted_ = 0;
};

TEST_P(KeyTreeTest, WalksLikeAMap) {
  for (const double part : {0.0, 0.0001, 0.001, 0.004, 0.02, 0.1, 0.5, 1.0}) {
    ASSERT_NO_FATAL_FAILURE(InsertUpTo(static_cast<uint64_t>(GetParam().count * part)));
    ASSERT_NO_FATAL_FAILURE(WalkAll());
    ASSERT_NO_FATAL_FAILURE(WalkAtRandom(2000));
  }
}

// A cursor keeps its position and continues in order, whatever is inserted around it.
TEST_P(KeyTreeTest, CursorsLiveThroughInserts) {
  const uint64_t count = static_cast<uint64_t>(GetParam().count) / 4;
  ASSERT_NO_FATAL_FAILURE(InsertUpTo(count));
  for (int round = 0; round < 3; ++round) {
    for (const bool forward : {true, false}) {
      const TwinMap before = ours_.twin();
      KeyTree::Cursor cursor(&ours_.tree());
      std::vector<const char*> visited;
      for (forward ? cursor.SeekToFirst() : cursor.SeekToLast(); cursor.Valid();
           forward ? cursor.Next() : cursor.Prev()) {
        visited.push_back(cursor.entry());
        if (random_() % 4 == 0 && inserted_ < 2 * count * (static_cast<uint64_t>(round) + 1)) {
          ASSERT_NO_FATAL_FAILURE(InsertUpTo(inserted_ + 1));
        }
        ASSERT_EQ(cursor.entry(), visited.back());
      }
      if (!forward) {
        std::reverse(visited.begin(), visited.end());
      }
      for (size_t i = 1; i < visited.size(); ++i) {
        ASSERT_LT(KeyTree::Compare(KeyTree::InternalKeyOf(visited[i - 1]), KeyTree::InternalKeyOf(visited[i])), 0);
      }
      std::sort(visited.begin(), visited.end());
      for (const auto& [key, entry] : before) {
        ASSERT_TRUE(std::binary_search(visited.begin(), visited.end(), entry));
      }
    }
  }
}

TEST_P(KeyTreeTest, CountsAbout) {
  ASSERT_NO_FATAL_FAILURE(InsertUpTo(static_cast<uint64_t>(GetParam().count)));
  const TwinMap& twin = ours_.twin();
  double below = 0;
  for (const auto& [key, entry] : twin) {
    ASSERT_NEAR(static_cast<double>(ours_.tree().CountBelow(InternalKey(key))), below,
                0.15 * static_cast<double>(twin.size()));
    ++below;
  }
}

// One thread inserts, three read: each walk meets all entries inserted before it, in order and once.
TEST_P(KeyTreeTest, ReadersBesideTheWriter) {
  const auto count = static_cast<size_t>(GetParam().count);
  std::deque<std::string> entries;
  std::map<TwinKey, bool, TwinOrder> taken;
  for (uint64_t n = 0; n < count; ++n) {
    const TwinKey key = GetParam().make(&random_, n);
    if (taken.emplace(key, true).second) {
      entries.push_back(Entry(key, entries.size()));
    }
  }
  std::vector<std::unique_ptr<char[]>> nodes;
  KeyTree tree([&](size_t bytes) { return nodes.emplace_back(new char[bytes]).get(); });
  std::atomic<size_t> inserted = 0;
  std::atomic<bool> failed = false;
  const auto fail = [&](const std::string& why) {
    if (!failed.exchange(true)) {
      ADD_FAILURE() << why;
    }
  };
  const auto walk = [&](bool forward) {
    const size_t before = inserted.load(std::memory_order_acquire);
    KeyTree::Cursor cursor(&tree);
    size_t met = 0;
    std::string_view last;
    for (forward ? cursor.SeekToFirst() : cursor.SeekToLast(); cursor.Valid();
         forward ? cursor.Next() : cursor.Prev()) {
      const std::string_view key = KeyTree::InternalKeyOf(cursor.entry());
      if (last.data() != nullptr && (forward ? KeyTree::Compare(last, key) >= 0 : KeyTree::Compare(last, key) <= 0)) {
        fail("out of order");
      }
      last = key;
      met += NumberOf(cursor.entry()) < before ? 1 : 0;
    }
    if (met != before) {
      fail("met " + std::to_string(met) + " of " + std::to_string(before));
    }
  };
  const auto look_up = [&](std::mt19937_64* random) {
    const size_t before = inserted.load(std::memory_order_acquire);
    for (int i = 0; before > 0 && i < 100; ++i) {
      const char* entry = entries[(*random)() % before].data();
      KeyTree::Cursor cursor(&tree);
      if ((*random)() % 2 == 0) {
        cursor.Seek(KeyTree::InternalKeyOf(entry));
      } else {
        cursor.SeekForPrev(KeyTree::InternalKeyOf(entry));
      }
      if (!cursor.Valid() || cursor.entry() != entry) {
        fail("not found");
        return;
      }
      // Forward and back: entries in between may be new, so a step back may end at another entry.
      const bool forward = (*random)() % 2 == 0;
      forward ? cursor.Next() : cursor.Prev();
      if (cursor.Valid() &&
          forward != (KeyTree::Compare(KeyTree::InternalKeyOf(cursor.entry()), KeyTree::InternalKeyOf(entry)) > 0)) {
        fail("a step in the wrong direction");
      }
    }
  };
  std::vector<std::thread> readers;
  for (uint64_t reader = 0; reader < 3; ++reader) {
    readers.emplace_back([&, reader] {
      std::mt19937_64 random(reader);
      for (bool last = false; !last && !failed;) {
        last = inserted == entries.size();
        switch ((random() + reader) % 8) {
          case 0:
            walk(/*forward=*/true);
            break;
          case 1:
            walk(/*forward=*/false);
            break;
          default:
            look_up(&random);
        }
      }
    });
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    EXPECT_TRUE(tree.Insert(entries[i].data()));
    inserted.store(i + 1, std::memory_order_release);
  }
  for (std::thread& reader : readers) {
    reader.join();
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, KeyTreeTest, testing::ValuesIn(Kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST(KeyTree, EmptyTree) {
  const TreeOfOurs ours;
  KeyTree::Cursor cursor(&ours.tree());
  EXPECT_FALSE(cursor.Valid());
  cursor.SeekToFirst();
  EXPECT_FALSE(cursor.Valid());
  cursor.SeekToLast();
  EXPECT_FALSE(cursor.Valid());
  cursor.Seek(InternalKey({"", 1}));
  EXPECT_FALSE(cursor.Valid());
  cursor.SeekForPrev(InternalKey({"a", 1}));
  EXPECT_FALSE(cursor.Valid());
  EXPECT_EQ(ours.tree().CountBelow(InternalKey({"a", 1})), 0U);
}

TEST(KeyTree, TheEmptyKeyIsTheFirst) {
  TreeOfOurs ours;
  constexpr uint64_t kHighest = (uint64_t{1} << 56) - 1;
  for (const TwinKey& key :
       {TwinKey("a", 1), TwinKey("", 1), TwinKey("", kHighest), TwinKey(std::string(1, '\0'), 1)}) {
    EXPECT_TRUE(ours.Insert(key));
    EXPECT_FALSE(ours.Insert(key));
  }
  KeyTree::Cursor cursor(&ours.tree());
  cursor.SeekToFirst();
  ASSERT_TRUE(cursor.Valid());
  EXPECT_EQ(cursor.entry(), ours.twin().begin()->second);
  EXPECT_EQ(KeyTree::InternalKeyOf(cursor.entry()), InternalKey({"", kHighest}));
}

}  // namespace
}  // namespace klip::engine
