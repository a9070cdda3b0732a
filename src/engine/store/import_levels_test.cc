// Compares reads of an imported family with those of the one that its files come from, for random histories.
#include "engine/store/import_levels.h"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace klip::engine {
namespace {

using File = SnapshotRecord::File;

constexpr int32_t kLast = 6;

struct TestFile {
  std::map<std::string, uint64_t> cells;  // key -> sequence number; one version of each is enough
  bool loaded = false;
  int32_t level = 0;
  uint64_t number = 0;

  std::string smallest() const { return cells.begin()->first; }
  std::string largest() const { return cells.rbegin()->first; }
  uint64_t lowest() const {
    return std::ranges::min_element(cells, {}, [](const auto& c) { return c.second; })->second;
  }
  uint64_t highest() const {
    return std::ranges::max_element(cells, {}, [](const auto& c) { return c.second; })->second;
  }
  bool Overlaps(const TestFile& other) const { return smallest() <= other.largest() && other.smallest() <= largest(); }
};

// A bound orders by key, then by descending number.
using Bound = std::pair<std::string, uint64_t>;
bool Before(const Bound& a, const Bound& b) {
  return std::make_tuple(a.first, ~a.second) < std::make_tuple(b.first, ~b.second);
}
Bound SmallestOf(const TestFile& file, bool imported) {
  return {file.smallest(), imported && file.loaded ? 0 : file.cells.begin()->second};
}
Bound LargestOf(const TestFile& file, bool imported) {
  return {file.largest(), imported && file.loaded ? 0 : file.cells.rbegin()->second};
}

// The files of a family, changed as RocksDB does.
class TestFamily {
 public:
  explicit TestFamily(uint32_t seed) : random_(seed) {}

  void Change() {
    switch (random_() % 6) {
      case 0:
      case 1:
        return Add(/*loaded=*/true);
      case 2:
      case 3:
        return Add(/*loaded=*/false);
      case 4:
        return MoveTop();
      default:
        return Merge();
    }
  }

  std::vector<TestFile> files;

 private:
  int32_t Number(int32_t below) { return static_cast<int32_t>(random_() % static_cast<uint32_t>(below)); }

  void Add(bool loaded) {
    TestFile file = {.loaded = loaded, .number = ++last_file_};
    if (loaded) {
      ++sequence_;
    }
    const int32_t first = Number(6);
    for (int32_t key = first; key < std::min(6, first + 1 + Number(3)); ++key) {
      file.cells[std::string(1, static_cast<char>('a' + key))] = loaded ? sequence_ : ++sequence_;
    }
    files.push_back(file);
  }

  // Moves the oldest files of level 0 that do not overlap, as the bounds say, to the last level.
  void MoveTop() {
    std::vector<TestFile*> top;
    for (TestFile& file : files) {
      if (file.level == 0) {
        top.push_back(&file);
      }
    }
    std::ranges::sort(top, {}, [](const TestFile* file) { return file->highest(); });
    std::optional<std::pair<Bound, Bound>> range;
    for (TestFile* file : top) {
      const Bound low = SmallestOf(*file, false);
      const Bound high = LargestOf(*file, false);
      const bool below = range.has_value() && Before(high, range->first);
      const bool above = range.has_value() && Before(range->second, low);
      const bool fits = std::ranges::none_of(files, [&](const TestFile& other) {
        return other.level == kLast && !moved_.contains(other.number) && other.Overlaps(*file);
      });
      if ((range.has_value() && !below && !above) || !fits) {
        break;
      }
      range = {range.has_value() && !below ? range->first : low, range.has_value() && !above ? range->second : high};
      file->level = kLast;
      moved_.insert(file->number);
    }
    moved_.clear();
  }

  // Merges a file with all that it overlaps on its level and those below, and what these overlap.
  void Merge() {
    if (files.empty()) {
      return;
    }
    TestFile merged = {.level = kLast, .number = ++last_file_};
    std::vector<TestFile> taken = {files[static_cast<size_t>(Number(static_cast<int32_t>(files.size())))]};
    for (size_t before = 0; before != taken.size();) {
      before = taken.size();
      for (const TestFile& file : files) {
        const bool is_taken =
            std::ranges::any_of(taken, [&](const TestFile& one) { return one.number == file.number; });
        if (!is_taken && std::ranges::any_of(taken, [&](const TestFile& one) { return one.Overlaps(file); })) {
          taken.push_back(file);
        }
      }
    }
    for (const TestFile& file : taken) {
      for (const auto& [key, sequence] : file.cells) {
        merged.cells[key] = std::max(merged.cells[key], sequence);
      }
      std::erase_if(files, [&](const TestFile& one) { return one.number == file.number; });
    }
    files.push_back(merged);
  }

  std::mt19937 random_;
  uint64_t sequence_ = 0;
  uint64_t last_file_ = 0;
  std::set<uint64_t> moved_;
};

std::vector<File> RecordOf(const std::vector<TestFile>& files) {
  std::vector<File> record;
  for (const TestFile& file : files) {
    record.push_back({.name = "",
                      .level = file.level,
                      .file_number = file.number,
                      .smallest_sequence = file.lowest(),
                      .largest_sequence = file.highest(),
                      .smallest_key = file.smallest(),
                      .largest_key = file.largest()});
  }
  return record;
}

// What is wrong with the files as an import would take them; "": nothing.
std::string WrongWith(std::vector<TestFile> files) {
  std::map<std::string, uint64_t> newest;
  for (const TestFile& file : files) {
    for (const auto& [key, sequence] : file.cells) {
      newest[key] = std::max(newest[key], sequence);
    }
  }
  std::ranges::sort(files, [](const TestFile& a, const TestFile& b) {
    if (a.level != b.level || a.level == 0) {
      return std::make_tuple(a.level, ~a.highest()) < std::make_tuple(b.level, ~b.highest());
    }
    return Before(SmallestOf(a, true), SmallestOf(b, true));
  });
  std::set<std::string> seen;
  for (size_t i = 0; i < files.size(); ++i) {
    for (const auto& [key, sequence] : files[i].cells) {
      if (seen.insert(key).second && newest[key] != sequence) {
        return "an old value of " + key;
      }
    }
    for (size_t j = i + 1; j < files.size(); ++j) {
      if (files[i].level != files[j].level) {
        continue;
      }
      if (files[i].level > 0 && !Before(LargestOf(files[i], true), SmallestOf(files[j], true))) {
        return "files overlap on level " + std::to_string(files[i].level);
      }
      if (files[i].level == 0 && files[i].Overlaps(files[j]) &&
          Before(LargestOf(files[j], true), SmallestOf(files[i], true))) {
        return "files that can be moved in the wrong order";
      }
    }
  }
  return "";
}

TEST(ImportLevelsTest, ReadsOfAnImportedFamilyAreThoseOfItsOrigin) {
  int refused = 0;
  int moved = 0;
  int wrong_as_they_are = 0;
  for (uint32_t seed = 0; seed < 20000; ++seed) {
    TestFamily family(seed);
    for (uint32_t i = 0; i < 4 + seed % 12; ++i) {
      family.Change();
    }
    std::vector<File> record = RecordOf(family.files);
    const auto is_loaded = [&](const File& file) {
      return std::ranges::find(family.files, file.file_number, &TestFile::number)->loaded;
    };
    wrong_as_they_are += WrongWith(family.files).empty() ? 0 : 1;
    std::vector<File> by_numbers = record;
    const bool surely = SetImportLevels(HasOneSequence, &by_numbers);
    if (!SetImportLevels(is_loaded, &record)) {
      EXPECT_FALSE(surely) << seed;
      ++refused;
      continue;
    }
    for (size_t i = 0; i < record.size(); ++i) {
      moved += family.files[i].level != record[i].level ? 1 : 0;
      family.files[i].level = record[i].level;
    }
    ASSERT_EQ(WrongWith(family.files), "") << "seed " << seed;
  }
  EXPECT_GT(wrong_as_they_are, 100);
  EXPECT_GT(moved, 100);
  EXPECT_LT(refused, 100);
}

File FileOf(std::string smallest, std::string largest, int32_t level, uint64_t sequence, uint64_t number) {
  return {.name = "",
          .level = level,
          .file_number = number,
          .smallest_sequence = sequence,
          .largest_sequence = sequence,
          .smallest_key = std::move(smallest),
          .largest_key = std::move(largest)};
}

TEST(ImportLevelsTest, TheNewerOfTwoFilesThatTouchMovesUp) {
  std::vector<File> files = {FileOf("k", "z", 6, 40, 1), FileOf("a", "k", 6, 50, 2), FileOf("zz", "zz", 6, 60, 3)};
  ASSERT_TRUE(SetImportLevels(HasOneSequence, &files));
  EXPECT_EQ(files[0].level, 6);
  EXPECT_EQ(files[1].level, 5);
  EXPECT_EQ(files[2].level, 6);
}

TEST(ImportLevelsTest, RefusesMoreLoadsOfOneKeyThanThereAreLevels) {
  std::vector<File> files;
  for (uint64_t i = 1; i <= 6; ++i) {
    files.push_back(FileOf("k", "k", 6, i, i));
  }
  ASSERT_TRUE(SetImportLevels(HasOneSequence, &files));
  EXPECT_EQ(files.front().level, 6);
  EXPECT_EQ(files.back().level, 1);
  for (File& file : files) {
    file.level = 6;
  }
  files.push_back(FileOf("k", "k", 6, 7, 7));
  EXPECT_FALSE(SetImportLevels(HasOneSequence, &files));
  EXPECT_EQ(files.back().level, 6);
}

}  // namespace
}  // namespace klip::engine
