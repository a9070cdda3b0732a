#include "sql/exec/sorter.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <random>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temp_directory_test.h"
#include "klip/cancel.h"
#include "sql/open_temporary_files_test.h"

namespace klip::sql {
namespace {

class TemporaryFileTest : public testing::Test {
 protected:
  TempDirectory directory_;
};

TEST_F(TemporaryFileTest, ReadsWhatItWroteAndGivesTheSpaceBack) {
  TemporaryFile file(directory_.path(), 1 << 20);
  std::vector<TemporaryFile::Block> blocks;
  for (char letter = 'a'; letter < 'e'; ++letter) {
    blocks.push_back(*file.Write(std::string(100'000, letter)));
  }
  ASSERT_EQ(OpenTemporaryFiles(directory_.path()).size(), 1U);
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path()));  // it has no name
  const int fd = OpenTemporaryFiles(directory_.path())[0];
  struct stat before{};
  ASSERT_EQ(fstat(fd, &before), 0);
  std::string bytes;
  for (size_t i = blocks.size(); i-- > 0;) {
    ASSERT_TRUE(file.Read(blocks[i], &bytes).ok());
    EXPECT_EQ(bytes, std::string(100'000, static_cast<char>('a' + i)));
  }
  struct stat after{};
  ASSERT_EQ(fstat(fd, &after), 0);
  EXPECT_GE(before.st_blocks, 4 * 100'000 / 512);
  EXPECT_LE(after.st_blocks, 32);  // of the file system's own
  EXPECT_EQ(file.written_bytes(), 400'000);
  file.Close();
  EXPECT_TRUE(OpenTemporaryFiles(directory_.path()).empty());
  EXPECT_EQ(file.Read(blocks[0], &bytes).code(), Code::kIoError);
}

TEST_F(TemporaryFileTest, LimitsTheBytesAtATime) {
  TemporaryFile file(directory_.path(), 20'000);
  std::string bytes;
  for (int i = 0; i < 10; ++i) {
    const TemporaryFile::Block block = *file.Write(std::string(12'000, 'x'));
    EXPECT_EQ(file.Write(std::string(9'000, 'x')).status().message(),
              "ERROR 999 (50M01): Unable to allocate enough disk space: the statement needs more than 20000 bytes for "
              "groups, sorted rows and joins");
    ASSERT_TRUE(file.Read(block, &bytes).ok());
  }
}

// A file that may not grow is like a full disk.
TEST_F(TemporaryFileTest, SaysThatTheDiskIsFull) {
  std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const struct rlimit small = {50'000, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  TemporaryFile file(directory_.path(), 1 << 20);
  EXPECT_TRUE(file.Write(std::string(40'000, 'x')).ok());
  const Status status = file.Write(std::string(40'000, 'x')).status();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  EXPECT_EQ(status.message(),
            "ERROR 999 (50M01): Unable to allocate enough disk space: writing the temporary file of "
            "a statement in " +
                directory_.path() + ": File too large");
}

TEST_F(TemporaryFileTest, NamesADirectoryThatIsNotThere) {
  TemporaryFile file(directory_.path() + "/none", 1 << 20);
  EXPECT_EQ(file.Write("x").status().message(), "SQL: creating the temporary file of a statement in " +
                                                    directory_.path() + "/none: No such file or directory");
}

TEST_F(TemporaryFileTest, NoticesDamage) {
  TemporaryFile file(directory_.path(), 1 << 20);
  const TemporaryFile::Block first = *file.Write(std::string(10'000, 'x'));
  const TemporaryFile::Block second = *file.Write(std::string(10'000, 'x'));
  const int fd = OpenTemporaryFiles(directory_.path())[0];
  ASSERT_EQ(pwrite(fd, "y", 1, 9'999), 1);
  std::string bytes;
  EXPECT_EQ(file.Read(first, &bytes).code(), Code::kCorruption);
  ASSERT_EQ(ftruncate(fd, second.offset + 5'000), 0);
  EXPECT_EQ(file.Read(second, &bytes).message(), "SQL: the temporary file of a statement ends early");
}

TEST_F(TemporaryFileTest, ObeysCancellation) {
  TemporaryFile file(directory_.path(), 1 << 20);
  const TemporaryFile::Block block = *file.Write("x");
  const CancelToken token = CancelToken::New();
  const CancelScope scope(token);
  token.Cancel();
  std::string bytes;
  EXPECT_EQ(file.Write("x").status().code(), Code::kCancelled);
  EXPECT_EQ(file.Read(block, &bytes).code(), Code::kCancelled);
}

TEST(StoredRows, KeepValuesOfAllTypes) {
  const std::vector<DataType> types = {{.type = Type::kBoolean},   {.type = Type::kBigint},
                                       {.type = Type::kDouble},    {.type = Type::kDecimal},
                                       {.type = Type::kVarchar},   {.type = Type::kVarbinary},
                                       {.type = Type::kTimestamp}, {.type = Type::kDecimal, .array = true}};
  const Value one_twenty = Value::Number(*Decimal::Parse("1.20"));
  const std::vector<std::vector<Value>> rows = {
      {Value::Boolean(true), Value::Integer(std::numeric_limits<int64_t>::min()), Value::Double(-0.0), one_twenty,
       Value::Text("a"), Value::Bytes(std::string("\0\xFF", 2)), Value(Type::kTimestamp, Value::Timestamp{-1, 999'999}),
       Value(Type::kDecimal, Value::Array{one_twenty, Value()})},
      std::vector<Value>(types.size()),
      {Value::Boolean(false), Value::Integer(std::numeric_limits<int64_t>::max()), Value::Double(1e300),
       Value::Number(*Decimal::Parse("-99999999999999999999999999999999999999")), Value::Text(std::string(300, 'x')),
       Value::Bytes("x"), Value(Type::kTimestamp, Value::Timestamp{1, 0}), Value(Type::kDecimal, Value::Array{})}};
  Batch batch;
  Batch read;
  ResetBatch(types, rows.size(), &batch);
  ResetBatch(types, rows.size(), &read);
  for (size_t row = 0; row < rows.size(); ++row) {
    for (size_t column = 0; column < types.size(); ++column) {
      batch.columns[column].Set(row, rows[row][column]);
    }
    std::string bytes;
    AppendValues(Pointers(batch.columns), row, &bytes);
    ReadValues(bytes, read.columns, row);
    for (size_t column = 0; column < types.size(); ++column) {
      EXPECT_EQ(read.columns[column].At(row).ToString(), rows[row][column].ToString());
      EXPECT_EQ(read.columns[column].At(row).data(), rows[row][column].data());
    }
  }
}

// Sorts beside std::stable_sort, with memory for all rows and for few.
class RowSorterTest : public TemporaryFileTest {
 protected:
  struct Row {
    std::string key;
    std::string values;
  };

  std::vector<Row> RandomRows(size_t count, uint32_t keys) {
    std::vector<Row> rows;
    for (size_t i = 0; i < count; ++i) {
      const auto number = static_cast<uint32_t>(random_() % keys);
      // Some keys are beginnings of others, and some differ only behind their first eight bytes.
      std::string key(number % 11, '\0');
      key += std::to_string(number);
      rows.push_back({key, std::to_string(i) + std::string(random_() % 300, 'v')});
    }
    return rows;
  }

  std::string Sort(const std::vector<Row>& rows, int64_t memory_bytes, RowSorter::Options options) {
    execution_.memory.Limit(memory_bytes, nullptr);
    execution_.temporary = TemporaryFile(directory_.path(), 1 << 30);
    RowSorter sorter;
    sorter.Reset(&execution_, options);
    for (const Row& row : rows) {
      EXPECT_TRUE(sorter.Add({row.key, row.values}).ok());
    }
    EXPECT_TRUE(sorter.Finish().ok());
    std::string text;
    while (!sorter.at_end()) {
      text.append(sorter.row().key).append("=").append(sorter.row().values).append("\n");
      EXPECT_TRUE(sorter.Next().ok());
    }
    return text;
  }

  static std::string Expected(std::vector<Row> rows, RowSorter::Options options) {
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.key < b.key; });
    std::string text;
    size_t taken = 0;
    for (size_t i = 0; i < rows.size() && taken < options.most; ++i) {
      if (!options.unique || i == 0 || rows[i].key != rows[i - 1].key) {
        text.append(rows[i].key).append("=").append(rows[i].values).append("\n");
        ++taken;
      }
    }
    return text;
  }

  std::mt19937 random_{5};
  Execution execution_;
};

TEST_F(RowSorterTest, SortsInMemoryAsOnDisk) {
  const RowSorter::Options kOptions[] = {
      {}, {.most = 0}, {.most = 1}, {.most = 10}, {.most = 3'000}, {.most = 15'000}, {.unique = true}};
  for (const size_t count : {size_t{0}, size_t{1}, size_t{30'000}}) {
    for (const uint32_t keys : {2U, 5'000U, 1'000'000U}) {
      const std::vector<Row> rows = RandomRows(count, keys);
      for (const RowSorter::Options& options : kOptions) {
        const std::string expected = Expected(rows, options);
        EXPECT_TRUE(Sort(rows, 1 << 30, options) == expected) << count << " " << keys << " " << options.most;
        EXPECT_EQ(execution_.temporary.written_bytes(), 0);
        EXPECT_TRUE(Sort(rows, 1, options) == expected) << count << " " << keys << " " << options.most;
        if (count > 1 && options.most > 10'000) {
          EXPECT_GT(execution_.temporary.written_bytes(), options.unique && keys == 2 ? 100 : 1'500'000);
        }
      }
    }
  }
}

TEST_F(RowSorterTest, MergesRunsThatAreTooManyForOneMerge) {
  const std::vector<Row> rows = RandomRows(60'000, 1'000'000);
  size_t bytes = 0;
  for (const Row& row : rows) {
    bytes += row.key.size() + row.values.size();
  }
  EXPECT_TRUE(Sort(rows, 1, {}) == Expected(rows, {}));
  EXPECT_GT(execution_.temporary.written_bytes(), static_cast<int64_t>(bytes + bytes / 2));  // most of them twice
}

TEST_F(RowSorterTest, GivesSpaceBackWhenItBeginsAgain) {
  const std::vector<Row> rows = RandomRows(30'000, 1'000'000);
  execution_.memory.Limit(1, nullptr);
  execution_.temporary = TemporaryFile(directory_.path(), 12 << 20);  // for two sorts, not for five
  RowSorter sorter;
  for (int i = 0; i < 5; ++i) {
    sorter.Reset(&execution_);
    for (const Row& row : rows) {
      ASSERT_TRUE(sorter.Add({row.key, row.values}).ok());
    }
    ASSERT_TRUE(sorter.Finish().ok());
    ASSERT_TRUE(sorter.Next().ok());
  }
}

}  // namespace
}  // namespace klip::sql
