// The client with servers that fail, close connections or send invalid data.
#include "hbase/net/failure.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "hbase/fake_server.h"
#include "klip/connection.h"

namespace klip::client {
namespace {

ConnectionOptions Impatient() {
  ConnectionOptions options;
  options.rpc_timeout_ms = 700;
  options.operation_timeout_ms = 1500;
  return options;
}

std::string EmptyRow(const rpc::Request& request) {
  hbase::pb::GetResponse response;
  response.mutable_result()->set_associated_cell_count(0);
  return FakeServer::Frame(request, response);
}

// A get of row r on a server that answers its calls in turn; the last answer again and again.
Expected<Result> GetFrom(std::vector<FakeServer::Handler> answers, int* calls, int* connections = nullptr) {
  FakeServer server([&](const std::string& method, const rpc::Request& request) {
    const size_t turn = std::min(static_cast<size_t>((*calls)++), answers.size() - 1);
    return answers[turn](method, request);
  });
  KLIP_ASSIGN_OR_RETURN(const auto connection, Connection::Open(server.uri(), Impatient()));
  KLIP_ASSIGN_OR_RETURN(const auto table, connection->GetTable("t"));
  Expected<Result> result = table->Get(Get{.row = "r"});
  if (connections != nullptr) {
    *connections = server.connections();
  }
  return result;
}

const FakeServer::Handler kGood = [](const std::string&, const rpc::Request& request) { return EmptyRow(request); };
const FakeServer::Handler kCut = [](const std::string&, const rpc::Request&) { return std::nullopt; };

FakeServer::Handler Throws(const std::string& short_class, bool do_not_retry = false) {
  return [=](const std::string&, const rpc::Request& request) {
    return FakeServer::Exception(request, short_class, do_not_retry);
  };
}
FakeServer::Handler Sends(const std::string& bytes) {
  return [=](const std::string&, const rpc::Request&) { return bytes; };
}

TEST(Failure, ConnectionCutInTheMiddleIsMadeAnew) {
  int calls = 0;
  int connections = 0;
  const Expected<Result> result = GetFrom({kCut, kCut, kGood}, &calls, &connections);
  EXPECT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(calls, 3);
  EXPECT_GE(connections, 4);  // registry, and three of the client service
}

TEST(Failure, AnswerCutInTheMiddle) {
  int calls = 0;
  const FakeServer::Handler half = [cut = false](const std::string&,
                                                 const rpc::Request& request) mutable -> FakeServer::Answer {
    if (!std::exchange(cut, true)) {
      return EmptyRow(request).substr(0, 6);
    }
    return std::nullopt;
  };
  // Nothing follows the half answer: the call times out, or the next call on the connection ends it.
  const Expected<Result> result = GetFrom({half, kGood}, &calls);
  EXPECT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(calls, 2);
}

TEST(Failure, RegionThatMovesIsLookedUpAgain) {
  int calls = 0;
  EXPECT_TRUE(GetFrom({Throws("NotServingRegionException"), Throws("RegionTooBusyException"),
                       Throws("exceptions.RegionOpeningException"), kGood},
                      &calls)
                  .ok());
  EXPECT_EQ(calls, 4);
}

TEST(Failure, WhatCannotSucceedIsNotTriedAgain) {
  int calls = 0;
  const Expected<Result> result = GetFrom({Throws("regionserver.NoSuchColumnFamilyException", true)}, &calls);
  EXPECT_EQ(result.status().code(), Code::kNoSuchColumnFamily);
  EXPECT_EQ(result.status().message(), "as the test says");
  EXPECT_EQ(calls, 1);
}

// An endpoint's exception arrives as the cause of an IOException.
TEST(Failure, TheCauseOfAnIoExceptionTells) {
  const Failure failure =
      FailureOf("java.io.IOException",
                "java.io.IOException: org.apache.hadoop.hbase.security.visibility.ParseException: a&\n"
                "\tat A.b(A.java:1)\n"
                "Caused by: org.apache.hadoop.hbase.security.visibility.ParseException: a&\n\t... 3 more",
                /*do_not_retry=*/false);
  EXPECT_EQ(failure.status.code(), Code::kInvalidArgument);
  EXPECT_EQ(failure.recovery, Recovery::kNone);
  EXPECT_EQ(FailureOf("java.io.IOException", "java.io.IOException: disk\n\tat A.b(A.java:1)", false).recovery,
            Recovery::kRelocate);
}

// A server takes a call whose nonce it has seen for one that is done.
TEST(Failure, NoNonceIsUsedTwice) {
  std::vector<uint64_t> nonces;
  FakeServer server([&nonces](const std::string& method, const rpc::Request& request) -> FakeServer::Answer {
    const auto size = static_cast<int>(request.param.size());
    if (method == "Mutate") {
      hbase::pb::MutateRequest one;
      EXPECT_TRUE(one.ParseFromArray(request.param.data(), size));
      nonces.push_back(one.mutation().nonce());
      hbase::pb::MutateResponse done;
      done.set_processed(true);
      return FakeServer::Frame(request, done);
    }
    hbase::pb::MultiRequest several;
    EXPECT_TRUE(several.ParseFromArray(request.param.data(), size));
    hbase::pb::MultiResponse done;
    hbase::pb::RegionActionResult* result = done.add_regionactionresult();
    result->set_processed(true);
    for (const hbase::pb::Action& action : several.regionaction(0).action()) {
      nonces.push_back(action.mutation().nonce());
      result->add_resultorexception()->set_index(action.index());
    }
    return FakeServer::Frame(request, done);
  });
  const auto connection = Connection::Open(server.uri(), Impatient());
  ASSERT_TRUE(connection.ok());
  const auto table = (*connection)->GetTable("t");
  Increment increment = Increment{.row = "r"}.Add("f", "n");
  increment.return_results = false;
  const RowMutations both = {.row = "r", .mutations = {increment, increment}};
  const CheckAndMutate check = {.row = "r", .condition = RowCondition::IfNotExists("f", "q"), .action = both};
  EXPECT_TRUE((*table)->CheckAndMutate(check).ok());
  EXPECT_TRUE((*table)->Increment(increment).ok());
  EXPECT_TRUE((*table)->Mutate(both).ok());
  EXPECT_TRUE((*table)->Increment(increment).ok());
  EXPECT_EQ(nonces.size(), 6U);
  std::ranges::sort(nonces);
  EXPECT_EQ(std::ranges::adjacent_find(nonces), nonces.end());
}

// Cells name their row; so does the first action of a call, for the server's log.
TEST(Failure, RowsOfABatchAreSentOnceAndWhatIsNotAnsweredAgain) {
  std::vector<std::string> sent;
  FakeServer server([&sent](const std::string&, const rpc::Request& request) -> FakeServer::Answer {
    hbase::pb::MultiRequest several;
    EXPECT_TRUE(several.ParseFromArray(request.param.data(), static_cast<int>(request.param.size())));
    rpc::CellBlockReader cells(request.cells, rpc::CellCodec::kKeyValue);
    hbase::pb::MultiResponse done;
    hbase::pb::RegionActionResult* result = done.add_regionactionresult();
    for (const hbase::pb::Action& action : several.regionaction(0).action()) {
      const hbase::pb::MutationProto& mutation = action.mutation();
      sent.push_back(mutation.has_row() ? mutation.row() : "-");
      for (int i = 0; i < mutation.associated_cell_count(); ++i) {
        Cell cell;
        EXPECT_TRUE(cells.Next(&cell));
        sent.back() += " " + std::string(cell.row);
      }
      if (several.regionaction(0).action_size() < 4 || action.index() != 2) {
        result->add_resultorexception()->set_index(action.index());
      }
    }
    return FakeServer::Frame(request, done);
  });
  const auto connection = Connection::Open(server.uri(), Impatient());
  ASSERT_TRUE(connection.ok());
  const auto table = (*connection)->GetTable("t");
  const std::vector<Action> actions = {Put{.row = "a"}.Add("f", "q", "v").Add("f", "r", "v"),
                                       Put{.row = "b"}.Add("f", "q", "v"), Delete{.row = "c"},
                                       Increment{.row = "d"}.Add("f", "n")};
  for (const Expected<Result>& outcome : (*table)->Batch(actions)) {
    EXPECT_TRUE(outcome.ok()) << outcome.status().ToString();
  }
  EXPECT_EQ(sent, (std::vector<std::string>{"a a a", "- b", "c", "- d", "c"}));
}

// Gets of so many rows from a server that answers at most `at_once` of a call, and makes the client resend the rest at once.
std::vector<Code> GetMany(int rows, int at_once, int* calls) {
  FakeServer server([=](const std::string&, const rpc::Request& request) -> FakeServer::Answer {
    ++*calls;
    hbase::pb::MultiRequest several;
    EXPECT_TRUE(several.ParseFromArray(request.param.data(), static_cast<int>(request.param.size())));
    hbase::pb::MultiResponse response;
    hbase::pb::RegionActionResult* result = response.add_regionactionresult();
    for (const hbase::pb::Action& action : several.regionaction(0).action()) {
      hbase::pb::ResultOrException* one = result->add_resultorexception();
      one->set_index(action.index());
      if (static_cast<int>(action.index()) < at_once) {
        one->mutable_result();
      } else {
        one->mutable_exception()->set_name("org.apache.hadoop.hbase.MultiActionResultTooLarge");
      }
    }
    return FakeServer::Frame(request, response);
  });
  const auto connection = Connection::Open(server.uri(), Impatient());
  EXPECT_TRUE(connection.ok()) << connection.status().ToString();
  std::vector<Action> actions;
  for (int i = 0; i < rows; ++i) {
    actions.emplace_back(Get{.row = "r" + std::to_string(i)});
  }
  std::vector<Code> codes;
  for (const Expected<Result>& outcome : (*(*connection)->GetTable("t"))->Batch(actions)) {
    codes.push_back(outcome.status().code());
  }
  return codes;
}

// With a pause before each, the calls would exceed the client's timeout.
TEST(Failure, ABatchThatIsTooLargeGoesOnAtOnce) {
  int calls = 0;
  EXPECT_EQ(GetMany(/*rows=*/40, /*at_once=*/2, &calls), std::vector<Code>(40, Code::kOk));
  EXPECT_EQ(calls, 20);
}

TEST(Failure, ABatchOfWhichNothingWasDoneWaits) {
  int calls = 0;
  EXPECT_EQ(GetMany(/*rows=*/2, /*at_once=*/0, &calls), std::vector<Code>(2, Code::kRegionTooBusy));
  EXPECT_LT(calls, 10);
}

// For a single action, only the exception's class says whether to retry.
TEST(Failure, QuotasOfSpaceAreFinalThoseOfRequestsAreNot) {
  const auto failure_of = [](const std::string& short_class) {
    hbase::pb::NameBytesPair exception;
    exception.set_name("org.apache.hadoop.hbase." + short_class);
    exception.set_value(exception.name() + ": no room\n\tat A.b(A.java:1)");
    const Failure failure = FailureOf(exception);
    EXPECT_EQ(failure.status.message(), "no room");
    return std::pair(failure.status.code(), failure.recovery);
  };
  EXPECT_EQ(failure_of("quotas.SpaceLimitingException"), std::pair(Code::kDoNotRetry, Recovery::kNone));
  EXPECT_EQ(failure_of("quotas.QuotaExceededException"), std::pair(Code::kDoNotRetry, Recovery::kNone));
  EXPECT_EQ(failure_of("client.RowTooBigException"), std::pair(Code::kRowTooBig, Recovery::kNone));
  EXPECT_EQ(failure_of("quotas.RpcThrottlingException"), std::pair(Code::kRegionTooBusy, Recovery::kRetry));
}

// Neither skipped nor read twice.
TEST(Failure, ADamagedRowOfAScanIsAnErrorAndAskedForOnceMore) {
  int opened = 0;
  FakeServer server([&opened](const std::string& method, const rpc::Request& request) -> FakeServer::Answer {
    EXPECT_EQ(method, "Scan");
    hbase::pb::ScanRequest scan;
    EXPECT_TRUE(scan.ParseFromArray(request.param.data(), static_cast<int>(request.param.size())));
    hbase::pb::ScanResponse answer;
    answer.set_scanner_id(7);
    answer.set_more_results(false);
    rpc::Buffer cells;
    for (const std::string row : {"a", "b", "c"}) {
      if (scan.scan().include_start_row() ? row >= scan.scan().start_row() : row > scan.scan().start_row()) {
        const bool damaged = opened == 0 && row == "b";
        rpc::AppendCell({.row = row, .family = "f", .qualifier = "q", .type = CellType(damaged ? 99 : 4), .value = "v"},
                        rpc::CellCodec::kKeyValue, &cells);
        answer.add_cells_per_result(1);
        answer.add_partial_flag_per_result(false);
      }
    }
    ++opened;
    return FakeServer::Frame(request, answer, cells.view());
  });
  const auto connection = Connection::Open(server.uri(), Impatient());
  ASSERT_TRUE(connection.ok());
  const auto rows = (*(*connection)->GetTable("t"))->Scan(Scan{});
  ASSERT_TRUE(rows.ok());
  std::vector<std::string> seen;
  Result row;
  for (int i = 0; i < 5; ++i) {
    const Expected<bool> more = (*rows)->Next(&row);
    seen.push_back(!more.ok() ? more.status().ToString() : *more ? std::string(row.row()) : "end");
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"a", "IoError: cell block, offset 28: no cell can have type 99", "b", "c",
                                            "end"}));
  EXPECT_EQ(opened, 2);
}

// After a region server died, HBase knows that an increment was done, but not its result.
TEST(Failure, IncrementThatWasDoneBeforeGivesItsValue) {
  FakeServer server([](const std::string& method, const rpc::Request& request) {
    if (method == "Mutate") {
      hbase::pb::MutateResponse done;
      done.set_processed(true);
      return FakeServer::Frame(request, done);
    }
    hbase::pb::GetResponse response;
    hbase::pb::Cell* cell = response.mutable_result()->add_cell();
    cell->set_row("r");
    cell->set_family("f");
    cell->set_qualifier("n");
    cell->set_cell_type(hbase::pb::PUT);
    cell->set_value(BigEndian(int64_t{7}));
    return FakeServer::Frame(request, response);
  });
  const auto connection = Connection::Open(server.uri(), Impatient());
  ASSERT_TRUE(connection.ok());
  const auto table = (*connection)->GetTable("t");
  Increment increment = Increment{.row = "r"}.Add("f", "n");
  const Expected<Result> counted = (*table)->Increment(increment);
  ASSERT_TRUE(counted.ok()) << counted.status().ToString();
  EXPECT_EQ(counted->Value("f", "n"), BigEndian(int64_t{7}));
  increment.return_results = false;
  EXPECT_TRUE((*table)->Increment(increment)->empty());
}

TEST(Failure, RetriesEndAtTheDeadlineAndSayWhy) {
  int calls = 0;
  const Expected<Result> result = GetFrom({Throws("RegionTooBusyException")}, &calls);
  EXPECT_EQ(result.status().code(), Code::kTimedOut);
  EXPECT_NE(result.status().message().find("RegionTooBusy: as the test says"), std::string::npos)
      << result.status().message();
  EXPECT_GT(calls, 3);
}

TEST(Failure, FrameAboveTheLimitEndsTheConnection) {
  int calls = 0;
  const Expected<Result> result = GetFrom({Sends(std::string("\x7F\xFF\xFF\xFF junk", 9))}, &calls);
  EXPECT_EQ(result.status().code(), Code::kTimedOut);
  EXPECT_NE(result.status().message().find("exceeds the limit"), std::string::npos) << result.status().message();
}

TEST(Failure, GarbageIsAnErrorNotACrash) {
  const std::string garbage[] = {std::string(4, '\0'), std::string("\0\0\0\x03\xFF\xFF\xFF", 7),
                                 std::string("\0\0\0\x06\x02\x08\x01\x7F\x01\x02", 10)};
  for (const std::string& bytes : garbage) {
    int calls = 0;
    const Expected<Result> result = GetFrom({Sends(bytes), kGood}, &calls);
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    EXPECT_EQ(calls, 2);
  }
}

TEST(Failure, AnotherProtocolIsNamed) {
  for (const char* answer : {"HTTP/1.1 400 Bad Request\r\n\r\n", "<!DOCTYPE HTML>", "SSH-2.0-OpenSSH"}) {
    int calls = 0;
    const Status status = GetFrom({Sends(answer)}, &calls).status();
    EXPECT_NE(
        status.message().find("does not speak HBase's RPC, since its answer begins with '" + std::string(answer, 4)),
        std::string::npos)
        << status.message();
  }
}

// The library of ZooKeeper would try it until the deadline.
TEST(Failure, ZooKeeperOnAClosedPortIsAnErrorAtOnce) {
  ConnectionOptions options;
  options.operation_timeout_ms = 3'600'000;
  for (const char* uri : {"hbase+zk://127.0.0.1:1", "hbase+zk://127.0.0.1:1,127.0.0.1:2/hbase"}) {
    const auto connection = Connection::Open(uri, options);
    const Status status = connection.ok() ? (*connection)->admin().ListTables().status() : connection.status();
    EXPECT_EQ(status.code(), Code::kIoError);
    EXPECT_NE(status.message().find("cannot connect to 127.0.0.1:1: Connection refused"), std::string::npos)
        << status.message();
  }
}

TEST(Failure, CellsThatAreNoneAreAnError) {
  int calls = 0;
  const FakeServer::Handler short_block = [](const std::string&, const rpc::Request& request) {
    hbase::pb::GetResponse response;
    response.mutable_result()->set_associated_cell_count(1000000000);
    return FakeServer::Frame(request, response, std::string("\0\0\0\x02zz", 6));
  };
  const Expected<Result> result = GetFrom({short_block}, &calls);
  EXPECT_EQ(result.status().code(), Code::kIoError);
  EXPECT_NE(result.status().message().find("offset 0"), std::string::npos) << result.status().message();
}

TEST(Failure, NobodyThere) {
  std::string uri;
  {
    uri = FakeServer(kGood).uri();
  }
  const auto connection = Connection::Open(uri, Impatient());
  ASSERT_FALSE(connection.ok());
  EXPECT_NE(connection.status().message().find("cannot connect to 127.0.0.1:"), std::string::npos)
      << connection.status().message();
}

TEST(Failure, UrisThatAreNone) {
  for (const char* uri : {"hbase+rpc://", "hbase+rpc://host:99999", "hbase+rpc://host:1/path", "hbase+zk://a:1//b",
                          "hbase+http://host:1", "hbase+rpc://[::1:5"}) {
    EXPECT_EQ(Connection::Open(uri).status().code(), Code::kInvalidArgument) << uri;
  }
}

}  // namespace
}  // namespace klip::client
