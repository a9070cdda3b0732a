// The commands, run in this process: what they print, what they complain about, and their exit codes.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/cli_fixture_test.h"
#include "engine/store/peers.h"
#include "engine/store/store.h"
#include "engine/store/views.h"
#include "klip/bytes.h"

namespace klip::cli {
namespace {

class CliTest : public CliFixture {
 protected:
  void MakeVisits() {
    ASSERT_EQ(Klip({"create", "STORE", "visits", "--family", "d,VERSIONS=3", "--row-key",
                    "username:text(10,'*') date:digits(8) domain:text(20,'*')", "--enforce"}),
              kExitOk)
        << err_;
    ASSERT_EQ(Klip({"load", "STORE", "visits", "--format", "csv", "--header"},
                   "username,date,domain,d:visits\nalice,20140628,foo.bar,3\nbob,20140627,foo.bar,1\n"
                   "bob,20140628,\"a,b\",2\n"),
              kExitOk)
        << err_;
  }
};

TEST_F(CliTest, ExportImportCopyCompare) {
  MakeVisits();
  ASSERT_EQ(Klip({"export", "STORE", "visits", directory_.path() + "/export"}), kExitOk) << err_;
  EXPECT_EQ(out_.substr(0, 24), "exported 3 rows, 3 cells");
  EXPECT_EQ(Klip({"export", "STORE", "visits", directory_.path() + "/e2", "--limit", "1"}), kExitUsage);
  const std::string state = directory_.path() + "/state";
  ASSERT_EQ(Klip({"import", directory_.path() + "/other", "again", directory_.path() + "/export", "--state", state}),
            kExitOk)
      << err_;
  ASSERT_EQ(Klip({"copy", store_ + "/visits", directory_.path() + "/third/visits", "--verify", "--state", state,
                  "--rate", "10MB/s"}),
            kExitOk)
      << err_;
  EXPECT_NE(out_.find("\nequal: compared 3 rows, 3 cells"), std::string::npos) << out_;
  EXPECT_EQ(Klip({"compare", directory_.path() + "/other/again", directory_.path() + "/third/visits"}), kExitOk)
      << err_;
  ASSERT_EQ(
      Klip({"put", directory_.path() + "/other", "again", "@username=alice,date=20140628,domain=foo.bar", "d:more=1"}),
      kExitOk)
      << err_;
  EXPECT_EQ(Klip({"compare", directory_.path() + "/other/again", store_ + "/visits", "--raw"}), kExitNotFound);
  EXPECT_NE(out_.find("\n1 rows differ, of 3 and 3\n"), std::string::npos) << out_;
  const std::string counts = R"({"rows":3,"cells":3,"delete_markers":0,"bytes":)";
  ASSERT_EQ(Klip({"compare", directory_.path() + "/other/again", store_ + "/visits", "--json"}), kExitNotFound);
  EXPECT_TRUE(out_.starts_with(R"({"equal":false,"source":{"rows":3,"cells":4,)")) << out_;
  EXPECT_NE(out_.find(R"("target":)" + counts), std::string::npos) << out_;
  EXPECT_NE(out_.find(R"("differing_rows":1,"differences":[{"row":"alice)"), std::string::npos) << out_;
  ASSERT_EQ(Klip({"copy", store_ + "/visits", directory_.path() + "/fourth/visits", "--json", "--dry-run"}), kExitOk);
  EXPECT_TRUE(out_.starts_with(R"({"creates_table":true,"families":1,"regions":1,"size_bytes":)")) << out_;
  ASSERT_EQ(Klip({"copy", store_ + "/visits", directory_.path() + "/fourth/visits", "--json", "--state", state}),
            kExitOk);
  EXPECT_TRUE(out_.starts_with(counts)) << out_;
  EXPECT_NE(out_.find(R"("tags_left_out":0,"resumed":false,"elapsed_us":)"), std::string::npos) << out_;
  EXPECT_TRUE(out_.ends_with(R"("comparison":null})"
                             "\n"))
      << out_;
  ASSERT_EQ(
      Klip({"copy", store_ + "/visits", directory_.path() + "/fourth/visits", "--json", "--verify", "--state", state}),
      kExitOk);
  EXPECT_NE(out_.find(R"("comparison":{"equal":true,"source":)" + counts), std::string::npos) << out_;
  EXPECT_EQ(std::ranges::count(out_, '\n'), 1) << out_;
  EXPECT_EQ(Klip({"copy", store_ + "/visits", store_ + "/visits"}), kExitUsage);
  EXPECT_EQ(Klip({"copy", store_ + "/visits", "visits"}), kExitUsage);
  EXPECT_EQ(Klip({"copy", store_ + "/visits", store_ + "/v2", "--rate", "fast"}), kExitUsage);
  EXPECT_EQ(err_, "klip: InvalidArgument: --rate is like 50MB/s or 20000rows/s, not 'fast'\n");
}

TEST_F(CliTest, ImportOfNumbersNullsAndRejects) {
  ASSERT_EQ(Klip({"create", "STORE", "t", "--family", "d"}), kExitOk) << err_;
  const std::string rejects = directory_.path() + "/rejects";
  ASSERT_EQ(Klip({"import", "STORE", "t", "--format", "csv", "--columns", "user,day,d:i:int,d:l:long,d:h:hex,d:int",
                  "--key", "user:digits(3) day:digits(2)", "--null", "NULL", "--rejects", rejects},
                 "7,1,-1,258,00fF,x\n8,1,NULL,9999999999,,NULL\n9,1,99999999999,1,00,x\n9,2,1,1,0,x\n"),
            kExitOk)
      << err_;
  EXPECT_NE(out_.find(", skipped 2\n"), std::string::npos) << out_;
  EXPECT_EQ(err_, "");
  ASSERT_EQ(Klip({"export", "STORE", "t", "--format", "json"}), kExitOk) << err_;
  EXPECT_EQ(out_,
            "{\"row\":\"00701\",\"d:h\":\"\\\\x00\\\\xFF\",\"d:i\":\"\\\\xFF\\\\xFF\\\\xFF\\\\xFF\",\"d:int\":\"x\","
            "\"d:l\":\"\\\\x00\\\\x00\\\\x00\\\\x00\\\\x00\\\\x00\\\\x01\\\\x02\"}\n"
            "{\"row\":\"00801\",\"d:h\":\"\",\"d:l\":\"\\\\x00\\\\x00\\\\x00\\\\x02T\\\\x0B\\\\xE3\\\\xFF\"}\n");
  std::ifstream file(rejects);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}),
            "# line 3: field 'd:i': '99999999999' is not an int\n9,1,99999999999,1,00,x\n"
            "# line 4: field 'd:h': '0' is not hex\n9,2,1,1,0,x\n");
}

TEST_F(CliTest, Usage) {
  EXPECT_EQ(Klip({}), kExitUsage);
  EXPECT_EQ(err_, "klip: no command given (see klip --help)\n");
  EXPECT_EQ(Klip({"nonsense"}), kExitUsage);
  EXPECT_EQ(err_, "klip: unknown command 'nonsense' (see klip --help)\n");
  EXPECT_EQ(Klip({"sacn", "STORE", "t"}), kExitUsage);
  EXPECT_EQ(err_, "klip: unknown command 'sacn'; did you mean scan? (see klip --help)\n");
  EXPECT_EQ(Klip({"list", "hbase://host"}), kExitUsage);
  EXPECT_EQ(Klip({"scan"}), kExitUsage);
  EXPECT_NE(err_.find("STORE is required"), std::string::npos) << err_;
  EXPECT_EQ(Klip({"scan", "STORE", "t", "--limit", "x"}), kExitUsage);
  EXPECT_EQ(Klip({"--help"}), kExitOk);
  EXPECT_NE(out_.find("explain"), std::string::npos);
  EXPECT_EQ(Klip({"scan", "--help"}), kExitOk);
  EXPECT_NE(out_.find("--where"), std::string::npos);
  EXPECT_EQ(Klip({"--version"}), kExitOk);
  EXPECT_TRUE(out_.starts_with("klip ")) << out_;
}

TEST_F(CliTest, ErrorsOfTheStoreHaveTheirOwnCode) {
  EXPECT_EQ(Klip({"scan", "STORE", "t"}), kExitError);
  EXPECT_TRUE(err_.starts_with("klip: IoError: ")) << err_;
  MakeVisits();
  EXPECT_EQ(Klip({"scan", "STORE", "t"}), kExitError);
  EXPECT_EQ(err_, "klip: TableNotFound: t; klip list STORE shows the tables\n");
  EXPECT_EQ(Klip({"create", "STORE", "visits", "--family", "d"}), kExitError);
  EXPECT_EQ(Klip({"put", "STORE", "visits", "@username=u,date=20140101,domain=x", "nof:q=1"}), kExitError);
  EXPECT_TRUE(err_.starts_with("klip: NoSuchColumnFamily: ")) << err_;
}

TEST_F(CliTest, TextsThatCannotBeUnderstood) {
  EXPECT_EQ(Klip({"create", "STORE", "t", "--family", "d,FOO=1"}), kExitUsage);
  EXPECT_EQ(err_, "klip: InvalidArgument: family 'd': unknown attribute 'FOO'\n");
  EXPECT_EQ(Klip({"create", "STORE", "t", "--family", "d,VERSIONS=many"}), kExitUsage);
  EXPECT_EQ(err_, "klip: InvalidArgument: family 'd': VERSIONS cannot be 'many'\n");
  EXPECT_EQ(Klip({"create", "STORE", "t", "--family", "d", "--row-key", "x:foo(3)"}), kExitUsage);
  MakeVisits();
  EXPECT_EQ(Klip({"put", "STORE", "visits", "short", "d:visits=1"}), kExitUsage);
  EXPECT_EQ(Klip({"put", "STORE", "visits", "@username=a", "visits=1"}), kExitUsage);
  EXPECT_EQ(Klip({"scan", "STORE", "visits", "--where", "datum=1"}), kExitUsage);
  EXPECT_EQ(Klip({"scan", "STORE", "visits", "--time-range", "1-2"}), kExitUsage);
  EXPECT_EQ(Klip({"scan", "STORE", "visits", "--prefix", "a", "--start", "b"}), kExitUsage);
  EXPECT_EQ(Klip({"count", "STORE", "visits", "--by", "nothing"}), kExitUsage);
  EXPECT_EQ(Klip({"get", "STORE", "visits", "r", "--consistency", "weak"}), kExitUsage);
  EXPECT_EQ(Klip({"scan", "STORE", "visits", "--consistency", "strong", "--replica", "1"}), kExitUsage);
  EXPECT_NE(err_.find("--replica may return stale data"), std::string::npos) << err_;
}

TEST_F(CliTest, GetTellsWhetherThereIsARow) {
  MakeVisits();
  EXPECT_EQ(Klip({"get", "STORE", "visits", "@username=alice,date=20140628,domain=foo.bar"}), kExitOk);
  EXPECT_NE(out_.find(" alice*****20140628foo.bar************* d:visits, timestamp="), std::string::npos) << out_;
  EXPECT_NE(out_.find(", value=3\n1 row in "), std::string::npos) << out_;
  // A store in a directory has one copy, which answers whatever is asked for.
  EXPECT_EQ(
      Klip({"get", "STORE", "visits", "@username=alice,date=20140628,domain=foo.bar", "--consistency", "timeline"}),
      kExitOk);
  EXPECT_EQ(out_.find("stale"), std::string::npos) << out_;
  EXPECT_EQ(Klip({"get", "STORE", "visits", "nobody"}), kExitNotFound);
  EXPECT_EQ(Klip({"get", "STORE", "visits", "nobody", "--json"}), kExitNotFound);
  EXPECT_EQ(out_, "");
}

TEST_F(CliTest, ScansByKeyField) {
  MakeVisits();
  ASSERT_EQ(Klip({"export", "STORE", "visits", "--where", "date=20140628"}), kExitOk) << err_;
  EXPECT_EQ(out_,
            "{\"row\":\"alice*****20140628foo.bar*************\",\"d:visits\":\"3\"}\n"
            "{\"row\":\"bob*******20140628a,b*****************\",\"d:visits\":\"2\"}\n");
  ASSERT_EQ(Klip({"export", "STORE", "visits", "--fuzzy", "??????????20140628", "--reverse", "--limit", "1"}), kExitOk);
  EXPECT_EQ(out_, "{\"row\":\"bob*******20140628a,b*****************\",\"d:visits\":\"2\"}\n");
  ASSERT_EQ(Klip({"export", "STORE", "visits", "--prefix", "bob", "--format", "csv", "--columns", "d:visits"}),
            kExitOk);
  EXPECT_EQ(out_, "username,date,domain,d:visits\nbob,20140627,foo.bar,1\nbob,20140628,\"a,b\",2\n");
  ASSERT_EQ(Klip({"scan", "STORE", "visits", "--limit", "1", "--json"}), kExitOk);
  EXPECT_TRUE(
      out_.starts_with("{\"row\":\"alice*****20140628foo.bar*************\",\"key\":{\"username\":\"alice\","
                       "\"date\":\"20140628\",\"domain\":\"foo.bar\"},\"cells\":[{\"column\":\"d:visits\""))
      << out_;
}

TEST_F(CliTest, CountsByField) {
  MakeVisits();
  ASSERT_EQ(Klip({"count", "STORE", "visits", "--json"}), kExitOk);
  EXPECT_EQ(out_, "{\"rows\":3}\n");
  ASSERT_EQ(Klip({"count", "STORE", "visits", "--by", "username", "--json"}), kExitOk) << err_;
  EXPECT_EQ(out_, "{\"username\":\"alice\",\"rows\":1}\n{\"username\":\"bob\",\"rows\":2}\n");
  ASSERT_EQ(Klip({"count", "STORE", "visits", "--by", "username", "--distinct", "--json"}), kExitOk);
  EXPECT_EQ(out_, "{\"username\":\"alice\"}\n{\"username\":\"bob\"}\n");
  ASSERT_EQ(Klip({"count", "STORE", "visits", "--by", "date", "--where", "username=bob", "--json"}), kExitOk);
  EXPECT_EQ(out_, "{\"date\":\"20140627\",\"rows\":1}\n{\"date\":\"20140628\",\"rows\":1}\n");
}

TEST_F(CliTest, ReadingAMissingStoreSaysWhatCreatesOne) {
  const std::string none = directory_.path() + "/none";
  EXPECT_EQ(Klip({"list", none}), kExitError);
  EXPECT_EQ(err_, "klip: IoError: no store at '" + none + "'; klip create, sql, shell and serve create one\n");
  EXPECT_FALSE(std::filesystem::exists(none));
  const std::string file = directory_.path() + "/file";
  std::ofstream(file) << "x";
  EXPECT_EQ(Klip({"list", file}), kExitUsage);
  EXPECT_EQ(err_, "klip: InvalidArgument: '" + file + "' is a file; a store is a directory\n");
}

TEST_F(CliTest, WrongArgumentsAreNamedInTheirOrder) {
  EXPECT_EQ(Klip({"scan", "STORE", "t", "a", "b"}), kExitUsage);
  EXPECT_EQ(err_, "klip: unexpected arguments a b (see klip scan --help)\n");
  EXPECT_EQ(Klip({"scan", "STORE", "t", "--reversed"}), kExitUsage);
  EXPECT_EQ(err_, "klip: unknown option --reversed; did you mean --reverse? (see klip scan --help)\n");
  EXPECT_EQ(Klip({"scan", "STORE", "t", "--no-such-thing=5"}), kExitUsage);
  EXPECT_EQ(err_, "klip: unknown option --no-such-thing (see klip scan --help)\n");
  EXPECT_EQ(Klip({"create", "STORE", "t", "-f", "f", "--row-key", ""}), kExitUsage);
  EXPECT_EQ(err_, "klip: --row-key: must not be empty (see klip create --help)\n");
}

TEST_F(CliTest, WrongInputNamesTheRemedy) {
  MakeVisits();
  const auto says = [this](const std::vector<std::string>& args, const std::string& text) {
    EXPECT_NE(Klip(args), kExitOk);
    EXPECT_EQ(err_, "klip: " + text + "\n");
  };
  says({"scan", "STORE", "visits", "--limit", "abc"},
       "--limit: 'abc' is not a whole number, 0 or more (see klip scan --help)");
  says({"scan", "STORE", "visits", "--threads", "1025"},
       "--threads: '1025' is not a whole number, 0 to 1024 (see klip scan --help)");
  says({"scan", "STORE", "visits", "--threads", "1.5"},
       "--threads: '1.5' is not a whole number, 0 to 1024 (see klip scan --help)");
  says({"create", "STORE", "visits", "--family", "d"},
       "TableExists: visits; klip alter changes a table, klip drop removes it");
  says({"scan", "STORE", "visits", "--filter", "PrefixFilter('a'"},
       "InvalidArgument: Incorrect Filter String: no NAME(...), or no ) that closes it (at byte 0)");
  says({"create", "STORE", "t", "--family", "d,TTL=1 WEEK"},
       "InvalidArgument: family 'd': TTL cannot be '1 WEEK': write seconds, or a time like 1 DAY 2 HOURS, or FOREVER");
  EXPECT_EQ(Klip({"create", "STORE", "t", "--family", "d,TTL=1 DAY"}), kExitOk) << err_;
  EXPECT_EQ(Klip({"put", "STORE", "t", "r", "x:q=1"}), kExitError);
  EXPECT_TRUE(err_.ends_with("; klip describe STORE TABLE shows the families, klip alter adds one\n")) << err_;
  EXPECT_EQ(Klip({"import", "STORE", "t", "--format", "csv", "--columns", "HBASE_ROW_KEY,d:q"},
                 "a,1\nb," + std::string(11 << 20, 'x') + "\nc,2\n"),
            kExitUsage);
  EXPECT_EQ(
      err_,
      "klip: InvalidArgument: line 2: KeyValue size too large: 11534359 bytes, and the limit is 10485760; the table's "
      "setting hbase.server.keyvalue.maxsize changes it; 1 rows before it are imported, but only imports of files can "
      "be "
      "resumed\n");
  auto open = OpenStore(store_, /*create_if_missing=*/false);
  ASSERT_TRUE(open.ok());
  says({"list", "STORE"},
       "StoreInUse: the store '" + store_ + "' is open in this process already: use that connection");
}

TEST_F(CliTest, LoadNamesTheLine) {
  MakeVisits();
  const std::string input = "dave,20140101,x.org,1\nerin,2014,y.org\nfrank,xx,z.org,1\ngina,20140101,\"q\"\"q\",1\n";
  std::vector<std::string> load = {
      "load", "STORE", "visits", "--format", "csv", "--columns", "username,date,domain,d:visits"};
  EXPECT_EQ(Klip(load, input), kExitUsage);
  EXPECT_EQ(
      err_,
      "klip: InvalidArgument: line 2: expected 4 fields, found 3; 1 rows before it are imported, but only imports of "
      "files can be resumed\n");
  load.insert(load.end(), {"--state", directory_.path() + "/state"});
  EXPECT_EQ(Klip(load, input), kExitUsage);
  EXPECT_TRUE(err_.ends_with("--state and --restart need a file\n")) << err_;
  load.resize(load.size() - 2);
  std::vector<std::string> skip = load;
  skip.push_back("--skip-bad");
  EXPECT_EQ(Klip(skip, input), kExitOk);
  EXPECT_TRUE(out_.starts_with("loaded 2 rows in ")) << out_;
  EXPECT_NE(out_.find(", skipped 2\n"), std::string::npos) << out_;
  EXPECT_NE(err_.find("skipped line 3: field 'date'"), std::string::npos) << err_;
  EXPECT_EQ(Klip({"get", "STORE", "visits", "@username=gina,date=20140101,domain=q\"q"}), kExitOk);
}

TEST_F(CliTest, AFileThatIsMendedGoesOn) {
  ASSERT_EQ(Klip({"create", "STORE", "t", "--family", "d,VERSIONS=5"}), kExitOk);
  const std::string file = directory_.path() + "/rows.csv";
  const std::vector<std::string> load = {
      "load", "STORE", "t", file, "--header", "--state", directory_.path() + "/state"};
  std::ofstream(file) << "row,d:a\nr1,1\nr1,2\nr2\n";
  EXPECT_EQ(Klip(load), kExitUsage);
  EXPECT_EQ(
      err_,
      "klip: InvalidArgument: line 4: expected 2 fields, found 1; 2 rows before it are imported, and the same command "
      "imports the rest\n");
  std::ofstream(file) << "row,d:a\nr1,1\nr1,2\nr2,3\n";
  EXPECT_EQ(Klip(load), kExitOk) << err_;
  EXPECT_FALSE(std::ifstream(directory_.path() + "/state"));
  ASSERT_EQ(Klip({"scan", "STORE", "t", "--versions", "5", "--csv"}), kExitOk);
  EXPECT_EQ(std::ranges::count(out_, '\n'), 3) << "each cell once: " << out_;
  EXPECT_EQ(Klip({"load", "STORE", "t", file, "--header", "--timestamp", "77"}), kExitOk) << err_;
  ASSERT_EQ(Klip({"get", "STORE", "t", "r2", "--time-range", "77", "--csv"}), kExitOk);
  EXPECT_EQ(out_, "row,column,timestamp,type,value\nr2,d:a,77,Put,3\n");
  EXPECT_EQ(Klip({"load", "STORE", "t", file, "--header", "--threads", "2"}), kExitUsage);
  EXPECT_EQ(Klip({"load", "STORE", "t", "/nowhere.csv", "--header"}), kExitUsage);
  EXPECT_EQ(err_, "klip: InvalidArgument: cannot read '/nowhere.csv': No such file or directory\n");
}

TEST_F(CliTest, Csv) {
  MakeVisits();
  ASSERT_EQ(Klip({"scan", "STORE", "visits", "--prefix", "bob*******20140628", "--csv"}), kExitOk) << err_;
  EXPECT_TRUE(
      out_.starts_with("row,username,date,domain,column,timestamp,type,value\n"
                       "\"bob*******20140628a,b*****************\",bob,20140628,\"a,b\",d:visits,"))
      << out_;
  EXPECT_TRUE(out_.ends_with(",Put,2\n")) << out_;
  ASSERT_EQ(Klip({"list", "STORE", "--csv"}), kExitOk);
  EXPECT_EQ(out_, "table\nvisits\n");
  ASSERT_EQ(Klip({"count", "STORE", "visits", "--csv"}), kExitOk);
  EXPECT_EQ(out_, "rows\n3\n");
  ASSERT_EQ(Klip({"count", "STORE", "visits", "--by", "username", "--csv"}), kExitOk);
  EXPECT_EQ(out_, "username,rows\nalice,1\nbob,2\n");
  ASSERT_EQ(Klip({"compact", "STORE", "visits", "--major"}), kExitOk);
  ASSERT_EQ(Klip({"stats", "STORE", "visits", "--csv"}), kExitOk);
  EXPECT_TRUE(out_.starts_with("rows,cells,bytes_on_disk,")) << out_;
  EXPECT_NE(out_.find("distinct_prefixes_to_domain\n3,3,"), std::string::npos) << out_;
  ASSERT_EQ(Klip({"doctor", "--csv"}), kExitOk) << out_;
  EXPECT_TRUE(out_.starts_with("check,health,seen,advice\nopen files,")) << out_;
  EXPECT_EQ(Klip({"list", "STORE", "--csv", "--json"}), kExitUsage);
  EXPECT_NE(err_.find("excludes --"), std::string::npos) << err_;
}

TEST_F(CliTest, ExportsIntoAFile) {
  MakeVisits();
  const std::string file = directory_.path() + "/visits.tsv";
  const std::string state = directory_.path() + "/state";
  ASSERT_EQ(Klip({"export", "STORE", "visits", "--columns", "d:visits", "--output", file, "--state", state}), kExitOk)
      << err_;
  EXPECT_TRUE(out_.starts_with("exported 3 rows in ")) << out_;
  std::ifstream written(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(written), {}),
            "username\tdate\tdomain\td:visits\nalice\t20140628\tfoo.bar\t3\nbob\t20140627\tfoo.bar\t1\n"
            "bob\t20140628\ta,b\t2\n");
  EXPECT_EQ(Klip({"export", "STORE", "visits", "--restart"}), kExitUsage);
  EXPECT_EQ(Klip({"export", "STORE", "visits", directory_.path() + "/e", "--output", file}), kExitUsage);
  EXPECT_EQ(Klip({"export", "STORE", "visits", "--output", "/nowhere/x.json", "--state", state}), kExitError);
}

TEST_F(CliTest, RefusedRowsOfABatchAreNamed) {
  MakeVisits();
  const std::string input =
      "{\"row\":\"hans******20140101foo.bar*************\",\"d:visits\":\"1\"}\n{\"row\":\"bad\",\"d:visits\":\"1\"}\n";
  EXPECT_EQ(Klip({"load", "STORE", "visits", "--format", "json"}, input), kExitUsage);
  EXPECT_NE(err_.find("line 2: "), std::string::npos) << err_;
  EXPECT_EQ(Klip({"load", "STORE", "visits", "--format", "json"}, "[]\n"), kExitUsage);
  EXPECT_NE(err_.find("line 1: not a JSON object"), std::string::npos) << err_;
}

TEST_F(CliTest, BulkLoadWantsSortedRows) {
  ASSERT_EQ(Klip({"create", "STORE", "t", "--family", "d"}), kExitOk);
  std::vector<std::string> load = {"load", "STORE", "t", "--bulk", "--format", "tsv", "--columns", "HBASE_ROW_KEY,d:a"};
  ASSERT_EQ(Klip(load, "a\t1\nb\t2\nc\t3\n"), kExitOk) << err_;
  ASSERT_EQ(Klip({"count", "STORE", "t", "--json"}), kExitOk);
  EXPECT_EQ(out_, "{\"rows\":3}\n");
  EXPECT_NE(Klip(load, "b\t1\na\t2\n"), kExitOk);
  EXPECT_NE(err_.find("line 2: "), std::string::npos) << err_;
}

TEST_F(CliTest, ExportsThroughLinksAndIntoWhatIsNoFile) {
  MakeVisits();
  const std::string link = directory_.path() + "/link.json";
  const std::string target = directory_.path() + "/target.json";
  const std::string pipe = directory_.path() + "/pipe";
  std::ofstream(target) << "old";
  std::filesystem::create_symlink(target, link);
  ASSERT_EQ(Klip({"export", "STORE", "visits", "--output", link}), kExitOk) << err_;
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_GT(std::filesystem::file_size(target), 100U);

  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string through;
  std::thread reader([&] {
    std::ifstream in(pipe);
    through.assign(std::istreambuf_iterator<char>(in), {});
  });
  EXPECT_EQ(Klip({"export", "STORE", "visits", "--output", pipe}), kExitOk) << err_;
  reader.join();
  EXPECT_TRUE(std::filesystem::is_fifo(pipe)) << "it was not replaced";
  EXPECT_EQ(through.size(), std::filesystem::file_size(target));
  EXPECT_EQ(Klip({"export", "STORE", "visits", "--output", directory_.path()}), kExitUsage);
}

TEST_F(CliTest, AFullDiskIsAnErrorOfEveryForm) {
  MakeVisits();
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"scan", store_, "visits"},
                                             {"scan", store_, "visits", "--csv"},
                                             {"scan", store_, "visits", "--json"},
                                             {"get", store_, "visits", "alice"},
                                             {"list", store_},
                                             {"export", store_, "visits"},
                                             {"stats", store_},
                                             {"export", store_, "visits", "--output", "/dev/full"},
                                             {"--help"}}) {
    char* text = nullptr;
    size_t bytes = 0;
    Console console;
    console.out = std::fopen("/dev/full", "w");
    console.err = open_memstream(&text, &bytes);
    ::setvbuf(console.out, nullptr, _IONBF, 0);
    EXPECT_EQ(RunCli(args, console), kExitError) << args[0];
    std::fclose(console.out);
    std::fclose(console.err);
    EXPECT_NE(std::string(text, bytes).find("cannot write"), std::string::npos) << std::string(text, bytes);
    free(text);
  }
}

TEST_F(CliTest, WhatIsExportedLoadsAgain) {
  MakeVisits();
  ASSERT_EQ(Klip({"put", "STORE", "visits", "@username=alice,date=20140628,domain=foo.bar", "d:\\x00=\\xFF"}), kExitOk);
  ASSERT_EQ(Klip({"export", "STORE", "visits", "--versions", "3"}), kExitOk);
  const std::string exported = out_;
  ASSERT_EQ(Klip({"create", "STORE", "copy", "--family", "d,VERSIONS=3"}), kExitOk);
  ASSERT_EQ(Klip({"load", "STORE", "copy", "--format", "json", "--escapes"}, exported), kExitOk) << err_;
  ASSERT_EQ(Klip({"export", "STORE", "copy", "--versions", "3"}), kExitOk);
  EXPECT_EQ(out_, exported);
}

// Random bytes, with much of what is special: UTF-8, escapes, quotes, separators.
std::string RandomBytes(std::mt19937_64* random, size_t max_pieces) {
  static const std::string kPieces[] = {
      "a",    "Z",    " ",    "\\",           "x",        "4",  "1",        "\\x41",        "\\x",
      ",",    "\"",   "'",    "\t",           "\n",       "\r", "\xc3\xbc", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
      "\xc3", "\xff", "\x80", "\xed\xa0\x80", "\xc0\x80", "@"};
  std::string out;
  for (size_t pieces = 1 + (*random)() % max_pieces; pieces > 0; --pieces) {
    const uint64_t choice = (*random)() % (std::size(kPieces) + 4);
    out += choice < std::size(kPieces) ? kPieces[choice] : std::string(1, static_cast<char>((*random)()));
  }
  return out;
}

TEST(Texts, BytesComeBack) {
  EXPECT_EQ(ToText("Gr\xc3\xbc\xc3\x9f"
                   "e C:\\dir"),
            "Gr\xc3\xbc\xc3\x9f"
            "e C:\\dir");
  EXPECT_EQ(ToText("\\x41\n"), "\\x5Cx41\\x0A");
  EXPECT_EQ(ToText("\xc2\x85\xff"), "\\xC2\\x85\\xFF");
  EXPECT_EQ(ToText("\xc3\xbc\r\n"), "\xc3\xbc\\x0D\\x0A");
  EXPECT_EQ(ToText(std::string("a\xdf\xbf\0", 4)), "a\\xDF\\xBF\\x00") << "a number, not a letter of NKo";
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::string bytes = RandomBytes(&random, 12);
    ASSERT_EQ(FromStringBinary(ToText(bytes)), bytes) << ToText(bytes);
  }
}

// 'text' or "text" as @field=value and --where take it.
std::string InDoubleQuotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    out.append(c == '"' ? 2 : 1, c);
  }
  return out + "\"";
}

TEST_F(CliTest, AnyBytesGoInAndOut) {
  ASSERT_EQ(Klip({"create", "STORE", "t", "--family", "d", "--row-key", "a:text('\\x00') b:bytes"}), kExitOk) << err_;
  for (const char* table : {"json", "csv", "tsv"}) {
    ASSERT_EQ(Klip({"create", "STORE", table, "--family", "d", "--row-key", "a:text('\\x00') b:bytes"}), kExitOk);
  }
  std::mt19937_64 random(2);
  for (int i = 0; i < 100; ++i) {
    std::string a = "u" + RandomBytes(&random, 6);
    std::erase(a, '\0');
    const std::string b = RandomBytes(&random, 6);
    const std::string value = RandomBytes(&random, 8);
    const std::string row = "@a=" + InDoubleQuotes(ToText(a)) + ",b=" + InDoubleQuotes(ToText(b));
    ASSERT_EQ(Klip({"put", "STORE", "t", row, "d:v=" + ToText(value)}), kExitOk) << row << err_;
    // By the whole key, by the fields, and by a query.
    ASSERT_EQ(Klip({"get", "STORE", "t", ToText(a + '\0' + b), "--csv"}), kExitOk) << row << err_;
    ASSERT_EQ(Klip({"get", "STORE", "t", row}), kExitOk) << row << err_;
    ASSERT_EQ(Klip({"count", "STORE", "t", "--json", "--where",
                    "a=" + InDoubleQuotes(ToText(a)) + " b=" + InDoubleQuotes(ToText(b))}),
              kExitOk)
        << row << err_;
    EXPECT_EQ(out_, "{\"rows\":1}\n") << row;
  }
  ASSERT_EQ(Klip({"export", "STORE", "t", "--format", "json"}), kExitOk) << err_;
  const std::string all = out_;
  for (const std::string format : {"json", "csv", "tsv"}) {
    std::vector<std::string> to = {"export", "STORE", "t", "--format", format};
    std::vector<std::string> from = {"import", "STORE", format, "--format", format, "--escapes"};
    if (format != "json") {
      to.insert(to.end(), {"--columns", "d:v"});
      from.emplace_back("--header");
    }
    ASSERT_EQ(Klip(to), kExitOk) << err_;
    const std::string exported = out_;
    ASSERT_EQ(Klip(from, exported), kExitOk) << format << err_;
    ASSERT_EQ(Klip({"export", "STORE", format, "--format", "json"}), kExitOk) << err_;
    EXPECT_EQ(out_, all) << format;
  }
}

TEST_F(CliTest, ImportsChangeNothingUnlessAsked) {
  ASSERT_EQ(Klip({"create", "STORE", "t", "--family", "d"}), kExitOk);
  const std::vector<std::string> import = {"import", "STORE", "t", "--format", "csv", "--columns", "HBASE_ROW_KEY,d:v"};
  ASSERT_EQ(Klip(import,
                 "a,C:\\xbeta\nb,Gr\xc3\xbc\xc3\x9f"
                 "e\n"),
            kExitOk)
      << err_;
  ASSERT_EQ(Klip({"export", "STORE", "t", "--format", "csv", "--columns", "d:v"}), kExitOk);
  EXPECT_EQ(out_,
            "HBASE_ROW_KEY,d:v\na,C:\\x5Cxbeta\nb,Gr\xc3\xbc\xc3\x9f"
            "e\n");
}

TEST_F(CliTest, TypedColumnsLeaveAsTheyCame) {
  ASSERT_EQ(Klip({"create", "STORE", "t", "--family", "d"}), kExitOk);
  const std::string lines = "HBASE_ROW_KEY,d:i:int,d:l:long,d:h:hex\na,-1,258,00ff\nb,7,,\n";
  ASSERT_EQ(Klip({"import", "STORE", "t", "--format", "csv", "--header"}, lines), kExitOk) << err_;
  ASSERT_EQ(Klip({"export", "STORE", "t", "--format", "csv", "--columns", "d:i:int,d:l:long,d:h:hex"}), kExitOk)
      << err_;
  EXPECT_EQ(out_, lines);
  ASSERT_EQ(Klip({"export", "STORE", "t", "--format", "json", "--columns", "d:i:int"}), kExitOk) << err_;
  EXPECT_EQ(out_, "{\"row\":\"a\",\"d:i:int\":\"-1\"}\n{\"row\":\"b\",\"d:i:int\":\"7\"}\n");
  EXPECT_EQ(Klip({"export", "STORE", "t", "--format", "csv", "--columns", "d:h:long"}), kExitUsage);
}

TEST_F(CliTest, FilterAndHints) {
  MakeVisits();
  ASSERT_EQ(Klip({"scan", "STORE", "visits", "--filter", "PrefixFilter('alice')", "--csv"}), kExitOk) << err_;
  EXPECT_EQ(std::ranges::count(out_, '\n'), 2) << out_;
  EXPECT_EQ(Klip({"scan", "STORE", "visits", "--filter", "PrefixFilter("}), kExitUsage);
  EXPECT_EQ(Klip({"split", "STORE", "visits"}), kExitUsage);
  EXPECT_NE(err_.find("is a command of the shell: echo \"split 'TABLE', 'KEY'\" | klip shell STORE"), std::string::npos)
      << err_;
  ASSERT_EQ(Klip({"help", "keys"}), kExitOk);
  EXPECT_NE(out_.find("reverse_ts"), std::string::npos);
}

TEST_F(CliTest, AltersTables) {
  MakeVisits();
  EXPECT_EQ(Klip({"alter", "STORE", "visits"}), kExitUsage) << "nothing to change";
  EXPECT_EQ(Klip({"alter", "STORE", "visits", "-f", "d,TTL=60", "-f", "e,VERSIONS=5", "--attribute", "OWNER=me"}),
            kExitOk)
      << err_;
  ASSERT_EQ(Klip({"describe", "STORE", "visits"}), kExitOk);
  EXPECT_NE(out_.find("VERSIONS => '3'"), std::string::npos) << "what was not named stays: " << out_;
  EXPECT_NE(out_.find("TTL => '60'"), std::string::npos) << out_;
  EXPECT_NE(out_.find("NAME => 'e'"), std::string::npos) << out_;
  EXPECT_NE(out_.find("OWNER"), std::string::npos) << out_;
  EXPECT_EQ(Klip({"alter", "STORE", "visits", "--drop-family", "e", "--drop-attribute", "OWNER"}), kExitOk) << err_;
  ASSERT_EQ(Klip({"describe", "STORE", "visits"}), kExitOk);
  EXPECT_EQ(out_.find("NAME => 'e'"), std::string::npos) << out_;
  EXPECT_EQ(out_.find("OWNER"), std::string::npos) << out_;
  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
           {"--drop-family", "none"}, {"--drop-attribute", "none"}, {"-f", "d,NONE=1"}, {"--row-key", "a:nothing"}}) {
    std::vector<std::string> args = {"alter", "STORE", "visits"};
    args.insert(args.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(Klip(args), kExitUsage) << wrong[1];
  }
  EXPECT_EQ(Klip({"alter", "STORE", "none", "-f", "d"}), kExitError);
}

TEST_F(CliTest, AListOfIndexesSaysIfMoreRowsAreSkippedThanItCounts) {
  ASSERT_EQ(Klip({"create", "STORE", "t", "-f", "f"}), kExitOk) << err_;
  std::string lines;
  for (int i = 0; i < 10'001; ++i) {
    lines += std::to_string(100'000 + i) + ",abc\n";
  }
  ASSERT_EQ(Klip({"import", "STORE", "t", "--columns", "HBASE_ROW_KEY,f:n", "--format", "csv"}, lines), kExitOk)
      << err_;
  ASSERT_EQ(Klip({"index", "create", "STORE", "t", "n", "f:n u16 SKIP INVALID"}), kExitOk) << err_;
  ASSERT_EQ(Klip({"index", "list", "STORE", "t"}), kExitOk) << err_;
  EXPECT_EQ(out_, "n  READY  t.klip_index.n  f:n u16 SKIP INVALID, 10,000+ rows skipped\n");
  ASSERT_EQ(Klip({"delete", "STORE", "t", "100000"}), kExitOk) << err_;
  ASSERT_EQ(Klip({"delete", "STORE", "t", "100001"}), kExitOk) << err_;
  ASSERT_EQ(Klip({"index", "list", "STORE", "t"}), kExitOk) << err_;
  EXPECT_EQ(out_, "n  READY  t.klip_index.n  f:n u16 SKIP INVALID, 9,999 rows skipped\n");
}

TEST_F(CliTest, Indexes) {
  MakeVisits();
  ASSERT_EQ(Klip({"index", "create", "STORE", "visits", "by_visits", "d:visits text, key.date"}), kExitOk) << err_;
  EXPECT_TRUE(out_.starts_with("created index by_visits of visits in ")) << out_;
  ASSERT_EQ(Klip({"index", "list", "STORE", "visits"}), kExitOk);
  EXPECT_EQ(out_, "by_visits  READY  visits.klip_index.by_visits  d:visits text, key.date\n");
  ASSERT_EQ(Klip({"describe", "STORE", "visits.klip_index.by_visits"}), kExitOk) << err_;
  EXPECT_NE(out_.find("visits:text('\\x00') date:"), std::string::npos) << out_;
  ASSERT_EQ(Klip({"drop", "STORE", "visits.klip_index.by_visits"}), kExitError) << out_;
  EXPECT_NE(err_.find("shows the entries of index 'by_visits' of table 'visits'"), std::string::npos) << err_;
  ASSERT_EQ(Klip({"describe", "STORE", "visits"}), kExitOk);
  EXPECT_NE(out_.find("INDEXES\n  by_visits READY  d:visits text, key.date\n"), std::string::npos) << out_;
  EXPECT_EQ(out_.find("KLIP_INDEX"), std::string::npos) << out_;
  ASSERT_EQ(Klip({"status", "STORE"}), kExitOk);
  EXPECT_TRUE(out_.ends_with("indexes\n  visits  by_visits READY\n")) << out_;
  ASSERT_EQ(Klip({"index", "verify", "STORE", "visits", "by_visits"}), kExitOk) << err_;
  EXPECT_EQ(out_, "3 rows, 3 entries: 0 missing, 0 wrong, 0 stale\n");
  ASSERT_EQ(Klip({"index", "verify", "STORE", "visits", "by_visits", "--repair", "--json"}), kExitOk) << err_;
  EXPECT_EQ(out_,
            "{\"rows\":3,\"entries\":3,\"missing\":0,\"wrong\":0,\"stale\":0,\"skipped\":0,\"repaired\":true,"
            "\"differences\":[]}\n");
  ASSERT_EQ(Klip({"index", "rebuild", "STORE", "visits", "by_visits"}), kExitOk) << err_;
  EXPECT_TRUE(out_.starts_with("rebuilt index by_visits of visits in ")) << out_;
  ASSERT_EQ(Klip({"index", "list", "STORE", "visits", "--json"}), kExitOk);
  EXPECT_EQ(out_,
            "{\"name\":\"by_visits\",\"declaration\":\"d:visits text, "
            "key.date\",\"state\":\"READY\",\"table\":\"visits.klip_index.by_visits\",\"skipped\":0}\n");
  ASSERT_EQ(Klip({"index", "drop", "STORE", "visits", "by_visits"}), kExitOk) << err_;
  EXPECT_EQ(out_, "dropped index by_visits of visits\n");
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"drop", "STORE", "visits", "by_visits"},
                                             {"verify", "STORE", "visits"},
                                             {"create", "STORE", "visits", "i"},
                                             {"create", "STORE", "visits", "i", "d:visits nothing"},
                                             {"create", "STORE", "visits", "i", "d:visits u32"},
                                             {"make", "STORE", "visits", "i"}}) {
    std::vector<std::string> args = {"index"};
    args.insert(args.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(Klip(args), kExitUsage) << wrong[0] << out_;
  }
}

TEST_F(CliTest, AnIndexThatDiffersIsToldAndMended) {
  MakeVisits();
  ASSERT_EQ(Klip({"index", "create", "STORE", "visits", "i", "d:visits text"}), kExitOk) << err_;
  {
    engine::StoreOptions options = {.path = store_};
    const auto store = *engine::Store::Open(options);
    const engine::TablePtr view = *store->views().GetTable("visits");
    engine::WriteSet writes;
    writes.Add(view->indexes.front(), std::string("9\0none", 6), "", 0, CellType::kPut, "\x01");
    ASSERT_TRUE(store->Write(&writes, Durability::kSyncWal).ok());
  }
  EXPECT_EQ(Klip({"index", "verify", "STORE", "visits", "i"}), kExitNotFound);
  EXPECT_EQ(out_, "3 rows, 4 entries: 0 missing, 1 wrong, 0 stale\n  wrong: 9\\x00none\n");
  EXPECT_EQ(Klip({"index", "verify", "STORE", "visits", "i", "--repair"}), kExitOk);
  EXPECT_EQ(out_, "3 rows, 4 entries: 0 missing, 1 wrong, 0 stale\n  wrong: 9\\x00none (repaired)\n");
  EXPECT_EQ(Klip({"index", "verify", "STORE", "visits", "i"}), kExitOk) << out_;
}

TEST_F(CliTest, SnapshotsTruncateAndNamespaces) {
  MakeVisits();
  ASSERT_EQ(Klip({"snapshot", "STORE", "visits", "before"}), kExitOk) << err_;
  ASSERT_EQ(Klip({"snapshots", "STORE"}), kExitOk);
  EXPECT_TRUE(out_.starts_with("before  of visits, 20")) << out_;
  ASSERT_EQ(Klip({"truncate", "STORE", "visits"}), kExitOk) << err_;
  ASSERT_EQ(Klip({"count", "STORE", "visits"}), kExitOk);
  EXPECT_TRUE(out_.starts_with("0")) << out_;
  ASSERT_EQ(Klip({"restore", "STORE", "before"}), kExitOk) << err_;
  ASSERT_EQ(Klip({"restore", "STORE", "before", "--as", "copy"}), kExitOk) << err_;
  for (const char* table : {"visits", "copy"}) {
    ASSERT_EQ(Klip({"count", "STORE", table}), kExitOk);
    EXPECT_TRUE(out_.starts_with("3")) << out_;
  }
  ASSERT_EQ(Klip({"drop", "STORE", "visits"}), kExitOk);
  EXPECT_EQ(Klip({"restore", "STORE", "before"}), kExitOk) << "a table that was dropped comes back: " << err_;
  EXPECT_EQ(Klip({"restore", "STORE", "none"}), kExitUsage);
  ASSERT_EQ(Klip({"snapshots", "STORE", "--drop", "before"}), kExitOk) << err_;
  ASSERT_EQ(Klip({"snapshots", "STORE"}), kExitOk);
  EXPECT_EQ(out_, "");

  ASSERT_EQ(Klip({"namespaces", "STORE", "--create", "shop"}), kExitOk) << err_;
  ASSERT_EQ(Klip({"namespaces", "STORE"}), kExitOk);
  EXPECT_EQ(out_, "default\nhbase\nshop\n");
  EXPECT_EQ(Klip({"namespaces", "STORE", "--drop", "shop"}), kExitOk) << err_;
  EXPECT_EQ(Klip({"namespaces", "STORE", "--drop", "shop"}), kExitError);
}

TEST_F(CliTest, TableStaysEnabledIfItsSnapshotIsDamaged) {
  MakeVisits();
  ASSERT_EQ(Klip({"snapshot", "STORE", "visits", "before"}), kExitOk) << err_;
  int damaged = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(store_ + "/snapshots")) {
    if (file.path().extension() == ".sst") {
      const std::string copy = directory_.path() + "/copy";  // the snapshot's file is also the table's
      std::filesystem::copy_file(file.path(), copy);
      std::fstream(copy, std::ios::in | std::ios::out | std::ios::binary).seekp(20).put('?');
      std::filesystem::rename(copy, file.path());
      ++damaged;
    }
  }
  ASSERT_GT(damaged, 0);
  EXPECT_EQ(Klip({"restore", "STORE", "before"}), kExitError);
  EXPECT_NE(err_.find("is damaged"), std::string::npos) << err_;
  EXPECT_EQ(Klip({"count", "STORE", "visits"}), kExitOk) << err_;
  EXPECT_TRUE(out_.starts_with("3")) << out_;
}

TEST_F(CliTest, DeletesPiecesOfARow) {
  ASSERT_EQ(Klip({"create", "STORE", "t", "--family", "d,VERSIONS=3", "-f", "e"}), kExitOk);
  ASSERT_EQ(Klip({"put", "STORE", "t", "r", "d:a=1", "d:b=1", "e:c=1", "--timestamp", "1"}), kExitOk);
  ASSERT_EQ(Klip({"put", "STORE", "t", "r", "d:a=2", "--timestamp", "2"}), kExitOk);
  ASSERT_EQ(Klip({"delete", "STORE", "t", "r", "d:a", "--one-version"}), kExitOk);
  ASSERT_EQ(Klip({"export", "STORE", "t"}), kExitOk);
  EXPECT_EQ(out_, "{\"row\":\"r\",\"d:a\":\"1\",\"d:b\":\"1\",\"e:c\":\"1\"}\n");
  ASSERT_EQ(Klip({"delete", "STORE", "t", "r", "d"}), kExitOk);
  ASSERT_EQ(Klip({"export", "STORE", "t"}), kExitOk);
  EXPECT_EQ(out_, "{\"row\":\"r\",\"e:c\":\"1\"}\n");
  ASSERT_EQ(Klip({"delete", "STORE", "t", "r"}), kExitOk);
  EXPECT_EQ(Klip({"get", "STORE", "t", "r"}), kExitNotFound);
}

TEST_F(CliTest, DoctorSaysWhatIsWrong) {
  EXPECT_EQ(Klip({"doctor", "STORE", "--port", "1,99"}), kExitError);
  EXPECT_NE(out_.find("FAIL  directory       " + store_ + " does not exist\n"), std::string::npos) << out_;
  EXPECT_EQ(Klip({"doctor", "STORE", "--port", "none"}), kExitUsage);
  MakeVisits();
  EXPECT_EQ(Klip({"doctor", "STORE"}), kExitOk) << out_;
  EXPECT_NE(out_.find("OK    store           opened in "), std::string::npos) << out_;
  EXPECT_NE(out_.find(", 1 table\n"), std::string::npos) << out_;
  EXPECT_EQ(Klip({"doctor", "STORE", "--json", "--tls-cert", "/nowhere.pem", "--tls-key", store_ + "/CURRENT"}),
            kExitError);
  EXPECT_NE(out_.find(R"({"check":"TLS certificate","health":"FAIL","seen":"cannot read /nowhere.pem",)"),
            std::string::npos)
      << out_;
  EXPECT_NE(out_.find(R"({"check":"directory","health":"OK")"), std::string::npos) << out_;
  std::ofstream(store_ + "/CLUSTER_ID").close();
  EXPECT_EQ(Klip({"doctor", "STORE"}), kExitError);
  EXPECT_NE(out_.find("FAIL  cluster id      Corruption: " + store_ + "/CLUSTER_ID does not contain a UUID"),
            std::string::npos)
      << out_;
  std::filesystem::remove(store_ + "/CLUSTER_ID");
  std::filesystem::create_directories(store_ + "/snapshots/bad");
  std::ofstream(store_ + "/snapshots/bad/SNAPSHOT").close();
  EXPECT_EQ(Klip({"doctor", "STORE"}), kExitError);
  EXPECT_NE(out_.find("FAIL  snapshots       Corruption: Snapshot 'bad' is damaged"), std::string::npos) << out_;
  std::filesystem::remove_all(store_ + "/snapshots/bad");
  auto other = Connection::Open("klip:" + store_);
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(Klip({"doctor", "STORE"}), kExitOk);
  EXPECT_NE(out_.find("warn  store           StoreInUse"), std::string::npos) << out_;
  EXPECT_EQ(Klip({"doctor", "hbase+rpc://127.0.0.1:1"}), kExitError);
  EXPECT_NE(out_.find("FAIL  registry"), std::string::npos) << out_;
}

TEST_F(CliTest, DoctorReadsAllFiles) {
  MakeVisits();
  ASSERT_EQ(Klip({"compact", "STORE", "visits"}), kExitOk) << err_;
  EXPECT_EQ(Klip({"doctor", "STORE", "--deep"}), kExitOk) << out_;
  EXPECT_NE(out_.find("OK    files "), std::string::npos) << out_;
  EXPECT_NE(out_.find(" files are undamaged, read in "), std::string::npos) << out_;
  std::string table;
  for (const auto& entry : std::filesystem::directory_iterator(store_)) {
    table = entry.path().extension() == ".sst" ? entry.path().string() : table;
  }
  ASSERT_FALSE(table.empty());
  std::fstream(table).seekp(20).put('!');
  EXPECT_EQ(Klip({"doctor", "STORE", "--deep"}), kExitError);
  EXPECT_NE(out_.find("FAIL  files           " + table + ": reading: Corruption"), std::string::npos) << out_;
  EXPECT_EQ(out_.find("opened in"), std::string::npos) << out_;
}

TEST_F(CliTest, DoctorComparesIndexesWithRows) {
  MakeVisits();
  ASSERT_EQ(Klip({"create", "STORE", "t", "-f", "f"}), kExitOk) << err_;
  ASSERT_EQ(Klip({"put", "STORE", "t", "r1", "f:a=x"}), kExitOk) << err_;
  ASSERT_EQ(Klip({"index", "create", "STORE", "t", "i", "f:a text"}), kExitOk) << err_;
  EXPECT_EQ(Klip({"doctor", "STORE", "--deep"}), kExitOk) << out_;
  EXPECT_NE(out_.find("OK    index           i of t: 1 entries agree with the rows"), std::string::npos) << out_;
  {
    const auto store = *engine::Store::Open({.path = store_});
    engine::WriteSet writes;
    writes.Remove((*store->views().GetTable("t"))->indexes.front(), std::string("x\0r1", 4), "", 0);
    ASSERT_TRUE(store->Write(&writes, Durability::kSyncWal).ok());
  }
  EXPECT_EQ(Klip({"doctor", "STORE", "--deep"}), kExitError);
  EXPECT_NE(out_.find("FAIL  index           i of t: 1 entries are missing, 0 wrong"), std::string::npos) << out_;
  EXPECT_EQ(Klip({"index", "verify", "STORE", "t", "i", "--repair"}), kExitOk) << out_;
  EXPECT_EQ(Klip({"doctor", "STORE", "--deep"}), kExitOk) << out_;
}

TEST_F(CliTest, ScansTakeThePlanThatIsNamed) {
  ASSERT_EQ(Klip({"create", "STORE", "t", "-f", "f"}), kExitOk) << err_;
  ASSERT_EQ(Klip({"put", "STORE", "t", "r1", "f:a=x"}), kExitOk) << err_;
  ASSERT_EQ(Klip({"index", "create", "STORE", "t", "i", "f:a text"}), kExitOk) << err_;
  for (const std::string plan : {"full walk", "index i"}) {
    ASSERT_EQ(Klip({"scan", "STORE", "t", "--where", "f:a=x", "--plan", plan}), kExitOk) << err_;
    EXPECT_NE(out_.find("r1"), std::string::npos) << out_;
    ASSERT_EQ(Klip({"explain", "STORE", "t", "--where", "f:a=x", "--plan", plan}), kExitOk) << err_;
    EXPECT_EQ(out_.starts_with("range of 't' by 'i'\n"), plan == "index i") << out_;
  }
  EXPECT_EQ(Klip({"scan", "STORE", "t", "--where", "f:a=x", "--plan", "index j"}), kExitUsage);
  EXPECT_NE(err_.find("no plan 'index j' for this scan; possible plans: full walk, index i"), std::string::npos)
      << err_;
  EXPECT_EQ(Klip({"scan", "STORE", "t", "--plan", "index i"}), kExitUsage);
  EXPECT_NE(err_.find("no plan 'index i' for this scan; possible plans: full walk"), std::string::npos) << err_;
}

TEST_F(CliTest, RepairSaysWhatItWouldDoAndDoesIt) {
  MakeVisits();
  const std::string to = store_ + "-repaired";
  EXPECT_EQ(Klip({"repair", "STORE"}), kExitUsage);
  ASSERT_EQ(Klip({"repair", "STORE", "--to", to}), kExitOk) << err_;
  EXPECT_NE(out_.find("no file is damaged\n"), std::string::npos) << out_;
  EXPECT_NE(out_.find("nothing was changed: --yes creates " + to + "\n"), std::string::npos) << out_;
  EXPECT_FALSE(std::filesystem::exists(to));
  ASSERT_EQ(Klip({"repair", "STORE", "--to", to, "--yes"}), kExitOk) << err_;
  EXPECT_NE(out_.find("created " + to + ": check it with klip doctor --deep\n"), std::string::npos) << out_;
  ASSERT_EQ(Klip({"list", to}), kExitOk) << err_;
  EXPECT_NE(out_.find("visits"), std::string::npos) << out_;
  EXPECT_EQ(Klip({"repair", "STORE", "--to", to}), kExitUsage) << "it is there";
  std::fstream(to + "/CURRENT", std::ios::out | std::ios::in).put('x');
  EXPECT_NE(Klip({"list", to}), kExitOk);
  ASSERT_EQ(Klip({"repair", to, "--to", to + "-again", "--yes"}), kExitOk) << err_;
  EXPECT_NE(out_.find(to + "/CURRENT: does not name a MANIFEST\n  the copy has one that names MANIFEST-"),
            std::string::npos)
      << out_;
  EXPECT_EQ(Klip({"list", to + "-again"}), kExitOk) << err_;
}

TEST_F(CliTest, BackupsAreMadeCheckedTriedAndRestored) {
  MakeVisits();
  const std::string backups = directory_.path() + "/backups";
  const std::string restored = directory_.path() + "/restored";
  ASSERT_EQ(Klip({"backup", "create", backups, "--of", "STORE", "--keep-logs"}), kExitOk) << err_;
  EXPECT_NE(out_.find("backup 1 of "), std::string::npos) << out_;
  ASSERT_EQ(Klip({"index", "create", "STORE", "visits", "i", "d:visits text"}), kExitOk) << err_;
  ASSERT_EQ(Klip({"snapshot", "STORE", "visits", "s"}), kExitOk) << err_;
  ASSERT_EQ(Klip({"backup", "create", backups, "--of", "STORE"}), kExitOk) << err_;
  ASSERT_EQ(Klip({"backup", "list", backups, "--json"}), kExitOk);
  EXPECT_NE(out_.find("\"keeps_logs\":true"), std::string::npos) << out_;
  ASSERT_EQ(Klip({"backup", "verify", backups}), kExitOk) << out_;
  EXPECT_TRUE(out_.ends_with("no damage\n")) << out_;
  ASSERT_EQ(Klip({"backup", "drill", backups}), kExitOk) << err_;
  EXPECT_NE(out_.find("visits: 3 rows, "), std::string::npos) << out_;
  EXPECT_NE(out_.find("  index i: 3 entries, 0 differences\nsnapshot s: 3 rows"), std::string::npos) << out_;
  ASSERT_EQ(Klip({"backup", "restore", backups, "--to", restored, "--number", "1"}), kExitOk) << err_;
  ASSERT_EQ(Klip({"count", restored, "visits"}), kExitOk) << err_;
  EXPECT_TRUE(out_.starts_with("3")) << out_;
  EXPECT_EQ(Klip({"backup", "restore", backups, "--to", restored}), kExitUsage) << out_;
  EXPECT_EQ(Klip({"backup", "restore", backups, "--to", restored + "2", "--at", "noon"}), kExitUsage) << out_;
  EXPECT_EQ(Klip({"backup", "restore", backups, "--to", restored + "2", "--at", "2001-02-03"}), kExitUsage) << out_;
  ASSERT_EQ(Klip({"backup", "drop", backups, "--number", "1"}), kExitOk) << err_;
  EXPECT_EQ(Klip({"backup", "drop", backups, "--number", "1"}), kExitUsage) << out_;
  const std::string files = backups + "/files";
  for (const auto& entry : std::filesystem::directory_iterator(files)) {
    std::filesystem::resize_file(entry.path(), 1);
  }
  EXPECT_EQ(Klip({"backup", "verify", backups}), kExitError);
  EXPECT_NE(out_.find("backup 2, CATALOG: "), std::string::npos) << out_;
  EXPECT_EQ(Klip({"backup", "drill", backups}), kExitError);
}

TEST_F(CliTest, DoctorTellsWhichPeersKeepLogs) {
  ASSERT_EQ(Klip({"create", "STORE", "t", "--family", "d"}), kExitOk);
  {
    auto store = engine::Store::Open({.path = store_});
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    const ReplicationPeerConfig config = {.cluster_key = "other:2181:/hbase"};
    ASSERT_EQ((*store)->peers().Add({.id = "away", .config = config}).ToString(), "ok");
    ASSERT_EQ((*store)->peers().Add({.id = "off", .enabled = false, .config = config}).ToString(), "ok");
    ASSERT_EQ((*store)->peers().Add({.id = "quick", .config = config}).ToString(), "ok");
    for (const auto& [id, log] : {std::pair("away", 900'001), {"off", 900'001}, {"quick", 900'002}}) {
      ASSERT_EQ((*store)->peers().SetPosition(id, {static_cast<uint64_t>(log), 0}).ToString(), "ok");
    }
  }
  for (const char* log : {"/replication/900001.log", "/replication/900002.log"}) {
    std::ofstream(store_ + log).close();
  }
  std::filesystem::resize_file(store_ + "/replication/900001.log", 3'000'000'000);
  std::filesystem::resize_file(store_ + "/replication/900002.log", 20'000'000);
  const auto open = Connection::Open("klip:" + store_);  // as while klip serve runs
  EXPECT_EQ(Klip({"doctor", "STORE"}), kExitOk) << out_;
  const size_t begin = out_.find("warn  replication");
  ASSERT_NE(begin, std::string::npos) << out_;
  EXPECT_EQ(out_.substr(begin, out_.find("warn  store") - begin),
            R"(warn  replication     3.02 GB of log in 2 files kept for peer 'away'
                      is other:2181:/hbase up, and klip serve running? status 'replication' in klip shell shows the reason; remove_peer 'away' frees the log that no other peer needs, without sending it
warn  replication     3.02 GB of log in 2 files kept for peer 'off', which is disabled
                      enable_peer 'off' in klip shell sends it; remove_peer 'off' frees the log that no other peer needs, without sending it
OK    replication     20.0 MB of log in 1 files kept for peer 'quick'
)");
  std::ofstream(store_ + "/replication/PEERS") << "no peers\n";
  EXPECT_EQ(Klip({"doctor", "STORE"}), kExitError);
  EXPECT_NE(out_.find("FAIL  replication     Corruption: "), std::string::npos) << out_;
}

TEST_F(CliTest, PrependFirstLast) {
  ASSERT_EQ(Klip({"create", "STORE", "t", "--family", "d"}), kExitOk);
  EXPECT_EQ(Klip({"first", "STORE", "t"}), kExitNotFound);
  ASSERT_EQ(Klip({"prepend", "STORE", "t", "d:x=old", "--last-key", "100"}), kExitOk);
  EXPECT_EQ(out_, "100\n");
  ASSERT_EQ(Klip({"prepend", "STORE", "t", "d:x=new", "--last-key", "100"}), kExitOk);
  EXPECT_EQ(out_, "99\n");
  ASSERT_EQ(Klip({"first", "STORE", "t"}), kExitOk);
  EXPECT_NE(out_.find("value=new"), std::string::npos) << out_;
  ASSERT_EQ(Klip({"last", "STORE", "t"}), kExitOk);
  EXPECT_NE(out_.find("value=old"), std::string::npos) << out_;
}

TEST_F(CliTest, AboutTables) {
  MakeVisits();
  ASSERT_EQ(Klip({"list", "STORE", "--json"}), kExitOk);
  EXPECT_EQ(out_, "[\"visits\"]\n");
  ASSERT_EQ(Klip({"describe", "STORE", "visits"}), kExitOk);
  EXPECT_NE(out_.find("{NAME => 'd', VERSIONS => '3', "), std::string::npos) << out_;
  ASSERT_EQ(Klip({"compact", "STORE", "visits", "--major"}), kExitOk) << err_;
  ASSERT_EQ(Klip({"stats", "STORE", "visits", "--json"}), kExitOk);
  EXPECT_TRUE(out_.starts_with("{\"rows\":3,\"cells\":3,")) << out_;
  ASSERT_EQ(Klip({"stats", "STORE", "--json"}), kExitOk);
  ASSERT_EQ(Klip({"status", "STORE"}), kExitOk);
  EXPECT_NE(out_.find("1 live, 0 dead"), std::string::npos) << out_;
  ASSERT_EQ(Klip({"status", "STORE", "--json"}), kExitOk);
  EXPECT_TRUE(out_.starts_with("{\"version\":\"2.6.4\",")) << out_;
  EXPECT_NE(out_.find("\"name\":\"visits,,"), std::string::npos) << out_;
  ASSERT_EQ(Klip({"explain", "STORE", "visits", "--where", "date=20140628", "--run"}), kExitOk);
  EXPECT_NE(out_.find("rows read"), std::string::npos) << out_;
  ASSERT_EQ(Klip({"drop", "STORE", "visits"}), kExitOk);
  ASSERT_EQ(Klip({"list", "STORE", "--json"}), kExitOk);
  EXPECT_EQ(out_, "[]\n");
}

TEST_F(CliTest, DemoAnswersAlikeEachWay) {
  ASSERT_EQ(Klip({"demo", "--users", "20", "--days", "20", "--domains", "6", "--store", "STORE"}), kExitOk) << err_;
  EXPECT_NE(out_.find("All four answers are the same 120 rows"), std::string::npos) << out_;
  ASSERT_EQ(Klip({"count", "STORE", "visits", "--json"}), kExitOk);
  EXPECT_EQ(out_, "{\"rows\":2400}\n");
}

}  // namespace
}  // namespace klip::cli
