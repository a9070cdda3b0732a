// Opening: a store in use, one written by a newer klip, damaged files. The error must name what is wrong and where, and
// no data may be lost.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acceptance/store_test.h"
#include "ops/random.h"

namespace klip::acceptance {
namespace {

class OpenTest : public StoreTest {
 protected:
  Status TryOpen(const std::string& uri) { return Connection::Open(uri, options_).status(); }

  void FillAndClose(int rows) {
    std::unique_ptr<Table> table = Create({.name = "t", .families = {{.name = "f", .compression = "NONE"}}});
    ops::Random random(3);
    for (int i = 0; i < rows; ++i) {
      KLIP_ASSERT_OK(
          table->Put(Put{.row = "r" + std::to_string(1000 + i)}.Add("f", "q", std::to_string(random.Bits()))));
    }
    KLIP_ASSERT_OK(connection_->admin().Flush("t"));
    table.reset();
    connection_.reset();
  }

  std::vector<std::filesystem::path> Files(const std::string& ending) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_.path())) {
      if (entry.is_regular_file() && entry.path().string().ends_with(ending)) {
        files.push_back(entry.path());
      }
    }
    return files;
  }

  // Opens the store and reads table "t" whole. Ok only when all rows came.
  Status ScanAll() {
    KLIP_ASSIGN_OR_RETURN(connection_, Connection::Open("klip:" + directory_.path(), options_));
    KLIP_ASSIGN_OR_RETURN(std::unique_ptr<Table> table, connection_->GetTable("t"));
    KLIP_ASSIGN_OR_RETURN(std::unique_ptr<ResultScanner> scanner, table->Scan({}));
    std::string values;
    Result row;
    while (true) {
      KLIP_ASSIGN_OR_RETURN(bool more, scanner->Next(&row));
      if (!more) {
        break;
      }
      values += std::string(row.row()) + "=" + std::string(row.Value("f", "q").value_or("")) + "\n";
    }
    if (whole_.empty()) {
      whole_ = values;
    }
    EXPECT_EQ(values, whole_) << "wrong rows without an error";
    return {};
  }

  static std::string ReadFile(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void WriteFile(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }

  std::string whole_;  // what ScanAll read first
};

TEST_F(OpenTest, BadUris) {
  EXPECT_EQ(TryOpen("").code(), Code::kInvalidArgument);
  EXPECT_EQ(TryOpen("nosuch:/tmp").code(), Code::kInvalidArgument);
  EXPECT_EQ(TryOpen("klip:").code(), Code::kInvalidArgument);
  options_.create_if_missing = false;
  const Status missing = TryOpen("klip:" + directory_.Sub("nothing"));
  EXPECT_FALSE(missing.ok());
  EXPECT_NE(missing.message().find(directory_.Sub("nothing")), std::string::npos) << missing.ToString();
  EXPECT_FALSE(std::filesystem::exists(directory_.Sub("nothing")));
  WriteFile(directory_.Sub("file"), "x");
  EXPECT_FALSE(TryOpen("klip:" + directory_.Sub("file")).ok());
  EXPECT_EQ(ReadFile(directory_.Sub("file")), "x");
}

// A second process gets kStoreInUse with the directory's name; the first one continues.
TEST_F(OpenTest, OneProcessAtATime) {
  EXPECT_EQ(TryOpen("klip:" + directory_.path()).code(), Code::kStoreInUse);
  const std::string path = directory_.Sub("other");
  int pipe_fds[2];
  ASSERT_EQ(pipe(pipe_fds), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(pipe_fds[1], 1);
    execl(KLIP_CRASH_WRITER, KLIP_CRASH_WRITER, path.c_str(), "1", "os", nullptr);
    _exit(99);
  }
  char byte = 0;
  ASSERT_EQ(read(pipe_fds[0], &byte, 1), 1);  // it writes, so it has the store open
  ASSERT_EQ(byte, 'I');
  const Status status = TryOpen("klip:" + path);
  EXPECT_EQ(status.code(), Code::kStoreInUse) << status.ToString();
  EXPECT_NE(status.message().find(path), std::string::npos) << status.ToString();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(pipe_fds[0]);
  close(pipe_fds[1]);
  KLIP_ASSERT_OK(TryOpen("klip:" + path));
}

TEST_F(OpenTest, NewerFormatIsRefusedAndLeftAlone) {
  FillAndClose(10);
  const std::filesystem::path format = directory_.Sub("FORMAT");
  const std::string before = ReadFile(format);
  ASSERT_NE(before, "");
  for (const char* text : {"999\n", "klip 999\n"}) {
    WriteFile(format, text);
    const Status status = TryOpen("klip:" + directory_.path());
    EXPECT_TRUE(status.code() == Code::kNewerFormat || status.code() == Code::kCorruption) << status.ToString();
    EXPECT_EQ(ReadFile(format), text);
  }
  std::string newer = before;
  const size_t digit = newer.find_first_of("0123456789");
  ASSERT_NE(digit, std::string::npos) << before;
  newer.insert(digit, "9");
  WriteFile(format, newer);
  const Status status = TryOpen("klip:" + directory_.path());
  EXPECT_EQ(status.code(), Code::kNewerFormat) << status.ToString();
  WriteFile(format, before);
  Open();
  EXPECT_EQ(Rows(*Use("t"), {}).size(), 10u);
}

// Damage in a data file: reads of it give kCorruption naming the file, or the right rows where they do not touch the damage.
TEST_F(OpenTest, DamagedDataFileIsNamed) {
  FillAndClose(2000);
  KLIP_ASSERT_OK(ScanAll());
  connection_.reset();
  std::vector<std::filesystem::path> files = Files(".sst");
  ASSERT_FALSE(files.empty());
  const std::filesystem::path largest =
      *std::ranges::max_element(files, {}, [](const auto& path) { return std::filesystem::file_size(path); });
  const std::string whole = ReadFile(largest);
  ops::Random random(11);
  int refused = 0;
  for (int i = 0; i < 60; ++i) {
    std::string damaged = whole;
    if (i % 10 == 9) {
      damaged.resize(random.Below(damaged.size()));
    } else {
      for (size_t bytes = 0; bytes <= random.Below(8); ++bytes) {
        damaged[random.Below(damaged.size())] ^= static_cast<char>(1 << random.Below(8));
      }
    }
    WriteFile(largest, damaged);
    Status status = ScanAll();
    if (!status.ok()) {
      ++refused;
      EXPECT_TRUE(status.code() == Code::kCorruption || status.code() == Code::kIoError) << status.ToString();
      EXPECT_NE(status.message().find(largest.filename()), std::string::npos) << status.ToString();
    }
    connection_.reset();
    WriteFile(largest, whole);
  }
  EXPECT_GT(refused, 20);
  KLIP_ASSERT_OK(ScanAll());
}

TEST_F(OpenTest, DamagedCatalogFilesAreNamed) {
  FillAndClose(10);
  for (const std::string name : {"CURRENT", "MANIFEST", "FORMAT"}) {
    KLIP_ASSERT_OK(ScanAll());
    connection_.reset();
    std::string file = name;
    if (name == "MANIFEST") {  // the one in use
      file = ReadFile(directory_.Sub("CURRENT"));
      file.erase(file.find_last_not_of('\n') + 1);
    }
    const std::string whole = ReadFile(directory_.Sub(file));
    ASSERT_NE(whole, "") << file;
    for (const std::string& damaged : {std::string(), whole.substr(0, whole.size() / 2), std::string(100, '\xAB')}) {
      WriteFile(directory_.Sub(file), damaged);
      // Half a manifest may be a complete older one; then the table is missing, which is an error too.
      EXPECT_FALSE(ScanAll().ok()) << file << " with " << damaged.size() << " bytes";
      connection_.reset();
    }
    WriteFile(directory_.Sub(file), whole);
  }
  KLIP_ASSERT_OK(ScanAll());
}

}  // namespace
}  // namespace klip::acceptance
