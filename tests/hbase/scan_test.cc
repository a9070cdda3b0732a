// Scans of the client that resume after a failure: every cell exactly once, even if responses were lost.
#include <chrono>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hbase/fake_server.h"
#include "klip/connection.h"
#include "rpc/cell_block.h"
#include "rpc/compression.h"

namespace klip::client {
namespace {

struct Kept {
  std::string row;
  std::string qualifier;
  int64_t timestamp_ms = 1;
  std::string family = "f";
  CellType type = CellType::kPut;
};

// A region server that answers a scan with so many cells of one row at a time. As HBase's it takes the calls of a scanner in
// their order only, and does not know what becomes of its answers.
class ScanServer {
 public:
  // What happens to the answer to call number `n`, from 0, of the calls that request rows; nullopt: it arrives.
  using Meddler = std::function<std::optional<FakeServer::Answer>(int n, const rpc::Request& request)>;

  ScanServer(std::vector<Kept> cells, size_t cells_per_answer, Meddler meddler, bool compressed = false)
      : cells_(std::move(cells)),
        cells_per_answer_(cells_per_answer),
        meddler_(std::move(meddler)),
        compressed_(compressed),
        server_([this](const std::string& method, const rpc::Request& request) { return Answer(method, request); }) {}

  FakeServer& fake() { return server_; }
  // From the meddler, which runs under the server's lock.
  void Drop(const std::function<bool(const Kept&)>& which) { std::erase_if(cells_, which); }
  // After all answers.
  int opened() const { return opened_; }
  int closed() const { return closed_; }

 private:
  FakeServer::Answer Answer(const std::string& method, const rpc::Request& request) {
    EXPECT_EQ(method, "Scan");
    hbase::pb::ScanRequest scan;
    EXPECT_TRUE(scan.ParseFromArray(request.param.data(), static_cast<int>(request.param.size())));
    if (scan.close_scanner()) {
      ++closed_;
      return FakeServer::Frame(request, hbase::pb::ScanResponse());
    }
    if (!scan.has_scanner_id()) {
      ++opened_;
      next_seq_ = 0;
      at_ = 0;
      const auto before = [&](const Kept& cell) {
        return scan.scan().include_start_row() ? cell.row < scan.scan().start_row()
                                               : cell.row <= scan.scan().start_row();
      };
      while (at_ < cells_.size() && before(cells_[at_])) {
        ++at_;
      }
    } else if (static_cast<int>(scan.scanner_id()) != opened_ || scan.next_call_seq() != next_seq_++) {
      return FakeServer::Exception(request, "exceptions.OutOfOrderScannerNextException", /*do_not_retry=*/true);
    }
    std::string answer = Piece(request);
    std::optional<FakeServer::Answer> instead = meddler_(calls_++, request);
    return instead.has_value() ? *std::move(instead) : answer;
  }

  std::string Piece(const rpc::Request& request) {
    hbase::pb::ScanResponse response;
    response.set_scanner_id(static_cast<uint64_t>(opened_));
    rpc::Buffer cells;
    const size_t begin = at_;
    const auto same_row = [&] { return at_ < cells_.size() && cells_[at_].row == cells_[begin].row; };
    for (; same_row() && at_ - begin < cells_per_answer_; ++at_) {
      const Kept& cell = cells_[at_];
      rpc::AppendCell({.row = cell.row,
                       .family = cell.family,
                       .qualifier = cell.qualifier,
                       .timestamp_ms = cell.timestamp_ms,
                       .type = cell.type,
                       .value = "v"},
                      rpc::CellCodec::kKeyValue, &cells);
    }
    if (at_ > begin) {
      response.add_cells_per_result(static_cast<uint32_t>(at_ - begin));
      response.add_partial_flag_per_result(same_row());
    }
    response.set_more_results(at_ < cells_.size());
    response.set_more_results_in_region(at_ < cells_.size());
    if (compressed_ && at_ > begin) {
      rpc::Buffer packed;
      EXPECT_TRUE(rpc::Compress(rpc::Compression::kGzip, cells.view(), &packed).ok());
      return FakeServer::Frame(request, response, packed.view());
    }
    return FakeServer::Frame(request, response, cells.view());
  }

  std::vector<Kept> cells_;
  const size_t cells_per_answer_;
  const Meddler meddler_;
  const bool compressed_;
  int calls_ = 0;
  int opened_ = 0;
  int closed_ = 0;
  uint64_t next_seq_ = 0;
  size_t at_ = 0;
  FakeServer server_;  // last: it calls
};

std::string NamesOf(const Result& result) {
  std::string names;
  for (const Cell& cell : result) {
    names += (names.empty() ? "" : " ") + std::string(cell.row) + "/" + std::string(cell.family) +
             std::string(cell.qualifier) + "@" + std::to_string(cell.timestamp_ms);
  }
  return names;
}

// What Next says until the end, an error by its code's name.
std::vector<std::string> ReadAll(ResultScanner* rows) {
  std::vector<std::string> seen;
  Result result;
  while (seen.size() < 20) {
    const Expected<bool> more = rows->Next(&result);
    if (more.ok() && !*more) {
      break;
    }
    seen.push_back(more.ok() ? NamesOf(result) : std::string(CodeName(more.status().code())));
  }
  return seen;
}

std::vector<std::string> Read(ScanServer* server, const Scan& scan, const std::string& options = "") {
  const auto connection = Connection::Open(server->fake().uri() + options);
  EXPECT_TRUE(connection.ok()) << connection.status().ToString();
  const auto rows = (*(*connection)->GetTable("t"))->Scan(scan);
  return ReadAll(rows->get());
}

// The second answer does not arrive, and meanwhile some cells are deleted.
std::vector<std::string> ReadWhile(const std::function<bool(const Kept&)>& go, const Scan& scan) {
  const std::vector<Kept> row = {{"r", "a", 3}, {"r", "a", 2}, {"r", "b", 1}, {"r", "c", 2}, {"r", "c", 1}, {"s", "a"}};
  std::function<void()> drop;
  ScanServer server(row, 2, [&drop](int n, const rpc::Request& request) -> std::optional<FakeServer::Answer> {
    if (n != 1) {
      return std::nullopt;
    }
    drop();
    return FakeServer::Exception(request, "exceptions.ScannerResetException", /*do_not_retry=*/true);
  });
  drop = [&] { server.Drop(go); };
  return Read(&server, scan);
}

using Pieces = std::vector<std::string>;

TEST(ScanAfterAFailure, ABatchGoesOnBehindItsLastCellWhateverWent) {
  const Scan scan = {.batch = 2};
  const auto is = [](const std::string& qualifier, int64_t timestamp_ms) {
    return [=](const Kept& cell) { return cell.qualifier == qualifier && cell.timestamp_ms == timestamp_ms; };
  };
  EXPECT_EQ(ReadWhile([](const Kept&) { return false; }, scan),
            (Pieces{"r/fa@3 r/fa@2", "r/fb@1 r/fc@2", "r/fc@1", "s/fa@1"}));
  EXPECT_EQ(ReadWhile(is("a", 3), scan), (Pieces{"r/fa@3 r/fa@2", "r/fb@1", "r/fc@2 r/fc@1", "s/fa@1"}));
  EXPECT_EQ(ReadWhile(is("a", 2), scan), (Pieces{"r/fa@3 r/fa@2", "r/fb@1", "r/fc@2 r/fc@1", "s/fa@1"}));
  EXPECT_EQ(ReadWhile(is("b", 1), scan), (Pieces{"r/fa@3 r/fa@2", "r/fc@2 r/fc@1", "s/fa@1"}));
  EXPECT_EQ(ReadWhile([](const Kept& cell) { return cell.row == "r" && cell.qualifier < "c"; }, scan),
            (Pieces{"r/fa@3 r/fa@2", "r/fc@2 r/fc@1", "s/fa@1"}));
  EXPECT_EQ(ReadWhile([](const Kept& cell) { return cell.row == "r"; }, scan), (Pieces{"r/fa@3 r/fa@2", "s/fa@1"}));
}

TEST(ScanAfterAFailure, PartialResultsToo) {
  EXPECT_EQ(ReadWhile([](const Kept& cell) { return cell.qualifier == "a" && cell.timestamp_ms == 3; },
                      {.allow_partial_results = true}),
            (Pieces{"r/fa@3 r/fa@2", "r/fb@1", "r/fc@2 r/fc@1", "s/fa@1"}));
}

// Nothing is left of the row that the limit counts: the next one is not returned in its place.
TEST(ScanAfterAFailure, ARowWhoseRestWentCounts) {
  const auto rest = [](const Kept& cell) { return cell.row == "r" && cell.qualifier != "a"; };
  EXPECT_EQ(ReadWhile(rest, {.limit_rows = 1, .batch = 2}), Pieces{"r/fa@3 r/fa@2"});
  const auto all = [](const Kept& cell) { return cell.row == "r"; };
  EXPECT_EQ(ReadWhile(all, {.limit_rows = 1, .batch = 2}), Pieces{"r/fa@3 r/fa@2"});
}

// By family, qualifier, then the newest, then the type of delete before the put that it masks.
TEST(ScanAfterAFailure, CellsStandInHBasesOrder) {
  const std::vector<Kept> row = {{"r", "", 5, "e", CellType::kDeleteFamily},
                                 {"r", "q", 7, "e", CellType::kDeleteColumn},
                                 {"r", "q", 7, "e"},
                                 {"r", "\xff", 9, "e"},
                                 {"r", "a", 1, "f"}};
  for (int lost = 1; lost < 5; ++lost) {
    ScanServer server(row, 1, [lost](int n, const rpc::Request& request) -> std::optional<FakeServer::Answer> {
      if (n != lost) {
        return std::nullopt;
      }
      return FakeServer::Exception(request, "UnknownScannerException", /*do_not_retry=*/true);
    });
    EXPECT_EQ(Read(&server, {.batch = 1}), (Pieces{"r/e@5", "r/eq@7", "r/eq@7", "r/e\xff@9", "r/fa@1"})) << lost;
  }
}

const std::vector<Kept> kRows = {{"a", "q"}, {"b", "q"}, {"c", "q"}, {"d", "q"}};

// Where the third answer is not what it should be: the rows, and the error between them.
Pieces ReadPast(const std::function<std::string(const rpc::Request&)>& third, const std::string& options = "",
                bool compressed = false) {
  const auto meddler = [&third](int n, const rpc::Request& request) -> std::optional<FakeServer::Answer> {
    if (n != 2) {
      return std::nullopt;
    }
    return third(request);
  };
  ScanServer server(kRows, 1, meddler, compressed);
  Pieces seen = Read(&server, {}, options);
  EXPECT_EQ(server.opened(), 2);
  EXPECT_EQ(server.closed(), 1) << "the scanner that was behind";
  return seen;
}

const Pieces kErrorAndAllRows = {"a/fq@1", "b/fq@1", "IoError", "c/fq@1", "d/fq@1"};

TEST(ScanAfterAFailure, AnAnswerThatIsNoneIsAskedForOnceMore) {
  EXPECT_EQ(ReadPast([](const rpc::Request& request) {
              hbase::pb::Cell other;
              other.set_row("\xff");
              return FakeServer::Frame(request, other);
            }),
            kErrorAndAllRows);
}

TEST(ScanAfterAFailure, AnAnswerWithoutItsCellsIsAskedForOnceMore) {
  EXPECT_EQ(ReadPast([](const rpc::Request& request) {
              hbase::pb::ScanResponse response;
              response.add_cells_per_result(1);
              response.set_more_results(true);
              response.set_more_results_in_region(true);
              return FakeServer::Frame(request, response);
            }),
            kErrorAndAllRows);
}

TEST(ScanAfterAFailure, DamagedCompressedCellsAreAskedForOnceMore) {
  EXPECT_EQ(ReadPast(
                [](const rpc::Request& request) {
                  hbase::pb::ScanResponse response;
                  response.add_cells_per_result(1);
                  return FakeServer::Frame(request, response, "no gzip");
                },
                "?compressor=gz", /*compressed=*/true),
            kErrorAndAllRows);
}

// The third answer does not arrive, and `scope` is the token of the reader until there is an error.
Pieces ReadGivenUp(const std::vector<Kept>& cells, const Scan& scan,
                   const std::function<CancelToken(const Pieces& seen, std::shared_future<void> there)>& scope) {
  std::promise<void> there;
  ScanServer server(cells, 1, [&there](int n, const rpc::Request&) -> std::optional<FakeServer::Answer> {
    if (n != 2) {
      return std::nullopt;
    }
    there.set_value();
    return "";
  });
  const auto connection = Connection::Open(server.fake().uri());
  EXPECT_TRUE(connection.ok()) << connection.status().ToString();
  const auto rows = *(*(*connection)->GetTable("t"))->Scan(scan);
  Pieces seen;
  {
    const CancelScope given_up(scope(seen, there.get_future().share()));
    Result result;
    Expected<bool> more = rows->Next(&result);
    for (; more.ok() && *more; more = rows->Next(&result)) {
      seen.push_back(NamesOf(result));
    }
    seen.emplace_back(CodeName(more.status().code()));
  }
  const Pieces rest = ReadAll(rows.get());
  seen.insert(seen.end(), rest.begin(), rest.end());
  return seen;
}

const std::vector<Kept> kWide = {{"r", "a"}, {"r", "b"}, {"r", "c"}, {"r", "d"}};

// Only the token that it was opened under ends a scan. The server has continued, with an answer that nobody received.
TEST(ScanAfterAFailure, AReaderThatStoppedWaitingMayContinueLater) {
  for (const int asked : {0, 1}) {  // before it waits, and while it does
    const auto scope = [asked](const Pieces& seen, std::shared_future<void> there) {
      return CancelToken::Asking([&seen, there, left = asked]() mutable {
        if (seen.size() < 2 || left-- > 0) {
          return false;
        }
        there.wait();
        return true;
      });
    };
    const Pieces rows = {"a/fq@1", "b/fq@1", "Cancelled", "c/fq@1", "d/fq@1"};
    EXPECT_EQ(ReadGivenUp(kRows, {}, scope), rows) << asked;
    EXPECT_EQ(ReadGivenUp(kRows, {.consistency = Consistency::kTimeline}, scope), rows) << asked;
    EXPECT_EQ(ReadGivenUp(kWide, {.batch = 1}, scope), (Pieces{"r/fa@1", "r/fb@1", "Cancelled", "r/fc@1", "r/fd@1"}))
        << asked;
  }
}

// The error discards the pieces that it had.
TEST(ScanAfterAFailure, AReaderThatStoppedWaitingGetsTheWholeRowLater) {
  const auto scope = [](const Pieces&, std::shared_future<void> there) {
    return CancelToken::Asking(
        [there] { return there.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
  };
  EXPECT_EQ(ReadGivenUp(kWide, {}, scope), (Pieces{"Cancelled", "r/fa@1 r/fb@1 r/fc@1 r/fd@1"}));
}

TEST(ScanOfACluster, TakesNeitherAForcedPlanNorTheOrderOfAnIndex) {
  ScanServer server(kRows, 4, [](int, const rpc::Request&) { return std::nullopt; });
  const auto connection = Connection::Open(server.fake().uri());
  const auto table = *(*connection)->GetTable("t");
  EXPECT_EQ(table->Scan({.plan = "full walk"}).status().ToString(),
            "Unsupported: scans of a cluster do not support a forced plan");
  EXPECT_EQ(table->Scan({.order_by_index = "i"}).status().ToString(),
            "Unsupported: scans of a cluster do not support the order of an index");
}

TEST(ScanAfterAFailure, RegionsThatWereNotListedAreListedOnceMore) {
  ScanServer server(kRows, 4, [](int, const rpc::Request&) { return std::nullopt; });
  const auto connection = Connection::Open(server.fake().uri());
  ASSERT_TRUE(connection.ok()) << connection.status().ToString();
  const auto rows = *(*(*connection)->GetTable("t"))->Scan({.threads = 2});
  {
    const CancelToken token = CancelToken::New();
    token.Cancel();
    const CancelScope scope(token);
    Result result;
    EXPECT_EQ(rows->Next(&result).status().code(), Code::kCancelled);
  }
  EXPECT_EQ(ReadAll(rows.get()), (Pieces{"a/fq@1", "b/fq@1", "c/fq@1", "d/fq@1"}));
}

}  // namespace
}  // namespace klip::client
