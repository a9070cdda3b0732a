// The gateway over real sockets: the generated client in each dialect, clients of other protocols, limits, and garbage.
#include "thrift/gateway.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/protocol/TCompactProtocol.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/TSSLSocket.h>
#include <thrift/transport/TSocket.h>

#include "base/identity_test.h"
#include "base/temp_directory_test.h"
#include "klip/bytes.h"
#include "klip/connection.h"
#include "thrift/listener.h"
#include "thrift1/Hbase.h"
#include "thrift2/THBaseService.h"

namespace klip::thrift {
namespace {

using apache::thrift::TApplicationException;
using apache::thrift::TException;
using apache::thrift::protocol::TBinaryProtocol;
using apache::thrift::protocol::TCompactProtocol;
using apache::thrift::protocol::TProtocol;
using apache::thrift::transport::TBufferedTransport;
using apache::thrift::transport::TFramedTransport;
using apache::thrift::transport::TSocket;
using apache::thrift::transport::TSSLSocketFactory;
using apache::thrift::transport::TTransport;
using std::string_literals::operator""s;

class GatewayTest : public testing::Test {
 protected:
  void SetUp() override {
    ConnectionOptions options;
    options.sync_wal = false;
    auto connection = Connection::Open("klip:" + directory_.Sub("store"), options);
    ASSERT_TRUE(connection.ok()) << connection.status().ToString();
    connection_ = *std::move(connection);
    Start({});
  }

  void Start(const GatewayOptions& options) {
    gateway_ = nullptr;
    auto gateway = Gateway::Start(connection_.get(), options);
    ASSERT_TRUE(gateway.ok()) << gateway.status().ToString();
    gateway_ = *std::move(gateway);
  }

  std::shared_ptr<TSocket> Connect() const {
    auto socket = std::make_shared<TSocket>("127.0.0.1", gateway_->port());
    socket->setRecvTimeout(60'000);
    socket->open();
    return socket;
  }

  struct Client : thrift1::HbaseClient {
    explicit Client(std::shared_ptr<TProtocol> protocol) : thrift1::HbaseClient(std::move(protocol)) {}
  };
  std::unique_ptr<Client> NewClient(bool framed = false, bool compact = false, bool strict = true) const {
    std::shared_ptr<TTransport> transport;
    if (framed) {
      transport = std::make_shared<TFramedTransport>(Connect());
    } else {
      transport = std::make_shared<TBufferedTransport>(Connect());
    }
    if (compact) {
      return std::make_unique<Client>(std::make_shared<TCompactProtocol>(transport));
    }
    return std::make_unique<Client>(std::make_shared<TBinaryProtocol>(transport, 0, 0, false, strict));
  }

  // The gateway's answer to these bytes until it closes the connection.
  std::string Exchange(const std::string& bytes) const {
    auto socket = Connect();
    socket->write(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<uint32_t>(bytes.size()));
    ::shutdown(socket->getSocketFD(), SHUT_WR);
    std::string answer;
    uint8_t buffer[4096];
    try {
      while (uint32_t size = socket->read(buffer, sizeof(buffer))) {
        answer.append(reinterpret_cast<const char*>(buffer), size);
      }
    } catch (const TException&) {  // it was closed with bytes of ours unread
    }
    return answer;
  }

  static thrift1::ColumnDescriptor Family(const std::string& name) {
    thrift1::ColumnDescriptor family;
    family.__set_name(name);
    return family;
  }
  static thrift1::Mutation Write(const std::string& column, const std::string& value) {
    thrift1::Mutation mutation;
    mutation.__set_column(column);
    mutation.__set_value(value);
    return mutation;
  }
  static void Load(Client* client, int rows) {
    client->createTable("t", {Family("f:")});
    std::vector<thrift1::BatchMutation> batch(static_cast<size_t>(rows));
    for (size_t i = 0; i < batch.size(); ++i) {
      batch[i].__set_row("row" + std::to_string(1000 + i));
      batch[i].__set_mutations({Write("f:q", std::to_string(i))});
    }
    client->mutateRows("t", batch, {});
  }
  // The peak memory of this process so far.
  static int64_t PeakBytes() {
    rusage usage = {};
    ::getrusage(RUSAGE_SELF, &usage);
    return int64_t{usage.ru_maxrss} << 10;
  }
  static int32_t OpenScanner(Client* client) { return client->scannerOpen("t", "", {}, {}); }

  TempDirectory directory_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Gateway> gateway_;
};

TEST_F(GatewayTest, AnswersInTheDialectItIsAskedIn) {
  Load(NewClient().get(), 3);
  struct Case {
    bool framed, compact, strict;
  };
  for (const Case& dialect : {Case{false, false, true}, Case{false, true, true}, Case{true, false, true},
                              Case{true, true, true}, Case{false, false, false}, Case{true, false, false}}) {
    SCOPED_TRACE(testing::Message() << dialect.framed << dialect.compact << dialect.strict);
    auto client = NewClient(dialect.framed, dialect.compact, dialect.strict);
    std::vector<std::string> tables;
    client->getTableNames(tables);
    EXPECT_EQ(tables, std::vector<std::string>{"t"});
    int32_t scanner = OpenScanner(client.get());
    std::vector<thrift1::TRowResult> rows;
    client->scannerGetList(rows, scanner, 10);
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[2].row, "row1002");
    EXPECT_EQ(rows[2].columns.at("f:q").value, "2");
    client->scannerClose(scanner);
    EXPECT_THROW(client->scannerClose(scanner), thrift1::IllegalArgument);
  }
}

TEST_F(GatewayTest, SaysHBasesExceptions) {
  auto client = NewClient();
  try {
    std::vector<thrift1::TRowResult> rows;
    client->getRow(rows, "none", "r", {});
    ADD_FAILURE() << "no exception";
  } catch (const thrift1::IOError& error) {
    EXPECT_TRUE(error.message.starts_with("org.apache.hadoop.hbase.TableNotFoundException: ")) << error.message;
    EXPECT_FALSE(error.canRetry);
  }
  Load(client.get(), 1);
  try {
    client->createTable("t", {Family("f")});
    ADD_FAILURE() << "no exception";
  } catch (const thrift1::AlreadyExists& error) {
    EXPECT_EQ(error.message, "table name already in use");
  }
  std::vector<thrift1::TRowResult> rows;
  EXPECT_THROW(client->getRow(rows, "t", "", {}), TApplicationException);  // an empty row
  EXPECT_THROW(client->createTable("u", {Family("")}), thrift1::IllegalArgument);
  client->getRow(rows, "t", "row1000", {});  // the connection is still usable
  EXPECT_EQ(rows.size(), 1u);
}

TEST_F(GatewayTest, WritesWithATimeToLive) {
  auto client = NewClient();
  client->createTable("t", {Family("f:")});
  client->mutateRow("t", "r", {Write("f:q", "v")}, {{"_ttl", BigEndian<int64_t>(1)}});
  client->mutateRow("t", "r", {Write("f:kept", "v")}, {{"_ttl", BigEndian<int64_t>(3'600'000)}});
  std::vector<thrift1::TCell> cells;
  do {  // until its millisecond is over
    cells.clear();
    client->get(cells, "t", "r", "f:q", {});
  } while (!cells.empty());
  client->get(cells, "t", "r", "f:kept", {});
  EXPECT_EQ(cells.size(), 1u);
}

TEST_F(GatewayTest, WhatFollowsTheStepsOfACounterIsSeen) {
  auto client = NewClient();
  client->createTable("t", {Family("f:")});
  for (int64_t step = 1; step <= 20; ++step) {
    EXPECT_EQ(client->atomicIncrement("t", "r", "f:n", 1), step);
  }
  client->mutateRow("t", "r", {Write("f:n", BigEndian<int64_t>(100))}, {});
  EXPECT_EQ(client->atomicIncrement("t", "r", "f:n", 1), 101);
  client->deleteAllRow("t", "r", {});
  std::vector<thrift1::TRowResult> rows;
  client->getRow(rows, "t", "r", {});
  EXPECT_TRUE(rows.empty());
}

TEST_F(GatewayTest, ScansByQuery) {
  const auto client = NewClient();
  Load(client.get(), 9);
  std::vector<thrift1::TRowResult> rows;
  client->scannerGetList(rows, client->scannerOpen("t", "", {}, {{"klip.where", "f:q=3,5"}}), 10);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].row + rows[1].row, "row1003row1005");
  EXPECT_THROW(client->scannerOpen("t", "", {}, {{"klip.where", "nofield=3"}}), apache::thrift::TApplicationException);
}

TEST_F(GatewayTest, DropsScannersThatNobodyReads) {
  Start({.scanner_idle_ms = 1});
  auto client = NewClient();
  Load(client.get(), 3);
  int32_t scanner = OpenScanner(client.get());
  try {  // within a tenth of a second or so
    for (int i = 1;; ++i) {
      std::vector<std::string> tables;
      client->getTableNames(tables);
      std::vector<thrift1::TRowResult> rows;
      if (i % 64 == 0) {
        client->scannerGet(rows, scanner);
      }
    }
  } catch (const thrift1::IllegalArgument& error) {
    EXPECT_EQ(error.message, "scanner ID is invalid");
  }
}

TEST_F(GatewayTest, TellsStrangersWhereTheyAre) {
  EXPECT_TRUE(Exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n").starts_with("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_TRUE(Exchange("ruok").starts_with("This is klip's Thrift gateway."));
  EXPECT_TRUE(Exchange("HBas\x00\x50").starts_with("This is klip's Thrift gateway."));
}

TEST_F(GatewayTest, RefusesLengthsAboveItsLimitsBeforeTakingMemory) {
  // A frame, a string and a list of two thousand million.
  EXPECT_EQ(Exchange("\x7f\xff\xff\xff\x80\x01\x00\x01"s), "");
  const std::string call = "\x80\x01\x00\x01\x00\x00\x00\x0b"s + "enableTable" + "\x00\x00\x00\x01"s;
  EXPECT_EQ(Exchange(call + "\x0b\x00\x01\x7f\xff\xff\xff"s), "");
  const std::string rows = "\x80\x01\x00\x01\x00\x00\x00\x0a"s + "mutateRows" + "\x00\x00\x00\x01"s;
  EXPECT_EQ(Exchange(rows + "\x0f\x00\x02\x0c\x7f\xff\xff\xff"s), "");
  std::vector<std::string> tables;
  NewClient()->getTableNames(tables);
  EXPECT_TRUE(tables.empty());
}

TEST_F(GatewayTest, TakesNoMemoryForWhatIsOnlyAnnounced) {
  // Strings of 64 MB and lists of a million elements, in each dialect, from as many clients at once.
  const std::string binary = "\x80\x01\x00\x01\x00\x00\x00\x0b"s + "enableTable" + "\x00\x00\x00\x01"s;
  const std::string rows = "\x80\x01\x00\x01\x00\x00\x00\x0a"s + "mutateRows" + "\x00\x00\x00\x01"s;
  const std::string announced[] = {
      binary + "\x0b\x00\x01\x04\x00\x00\x00"s,
      rows + "\x0f\x00\x02\x0c\x00\x10\x00\x00"s,
      "\x82\x21\x01\x0b"
      "enableTable\x18\x80\x80\x80\x20"s,
      "\x82\x21\x01\x0amutateRows\x29\xfc\x80\x80\x40"s,
      "\x05\xf5\xe1\x00"s + binary,  // a frame of 100,000,000 bytes
      "\x00\x00\x00\x1e"s + binary + "\x0b\x00\x01\x04\x00\x00\x00"s,
  };
  const int64_t before = PeakBytes();
  std::vector<std::shared_ptr<TSocket>> sockets;
  for (size_t i = 0; i < 200; ++i) {
    const std::string& bytes = announced[i % std::size(announced)];
    sockets.push_back(Connect());
    sockets.back()->write(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<uint32_t>(bytes.size()));
  }
  for (const auto& socket : sockets) {
    ::shutdown(socket->getSocketFD(), SHUT_WR);
    uint8_t byte = 0;
    EXPECT_EQ(socket->read(&byte, 1), 0u);
  }
  EXPECT_LT(PeakBytes() - before, 200 << 20);
}

TEST_F(GatewayTest, TakesAnyNumberOfBytesOverOneConnection) {
  auto client = NewClient();
  Load(client.get(), 1);
  const std::string small(20'000, 'x');
  for (int64_t sent = 0; sent <= kMaxMessageBytes; sent += 50 * 20'000) {
    client->mutateRow("t", "small", std::vector<thrift1::Mutation>(50, Write("f:q", small)), {});
  }
  const std::string value(5 << 20, 'x');
  for (int64_t sent = 0; sent <= kMaxMessageBytes; sent += 5 << 20) {  // limits apply to each call
    client->mutateRow("t", "big", {Write("f:q", value)}, {});
  }
  std::vector<thrift1::TCell> cells;
  client->get(cells, "t", "big", "f:q", {});
  ASSERT_EQ(cells.size(), 1u);
  EXPECT_EQ(cells[0].value.size(), value.size());
}

TEST_F(GatewayTest, GarbageEndsItsOwnConnectionOnly) {
  auto client = NewClient();
  Load(client.get(), 10);
  // Calls with changed bytes, and random bytes after a valid beginning; from one seed.
  const std::string seeds[] = {
      "\x80\x01\x00\x01\x00\x00\x00\x06getRow\x00\x00\x00\x01\x0b\x00\x01\x00\x00\x00\x01t\x0b\x00\x02\x00\x00\x00\x07row1001\x00"s,
      "\x82\x21\x01\x06getRow\x18\x01t\x18\x07row1001\x00"s,
      "\x00\x00\x00\x15\x82\x21\x01\x06getRow\x18\x01t\x18\x07row1001\x00"s,
      "\x80\x01\x00\x01\x00\x00\x00\x13scannerOpenWithScan\x00\x00\x00\x01\x0b\x00\x01\x00\x00\x00\x01t\x0c\x00\x02\x00\x00"s,
  };
  uint32_t random = 7;
  auto next = [&random](uint32_t below) {
    random = random * 1664525 + 1013904223;
    return (random >> 8) % below;
  };
  for (int i = 0; i < 500; ++i) {
    std::string bytes = seeds[next(std::size(seeds))];
    for (uint32_t changes = next(6); changes > 0; --changes) {
      bytes[next(static_cast<uint32_t>(bytes.size()))] = static_cast<char>(next(256));
    }
    for (uint32_t more = next(3) * next(20); more > 0; --more) {
      bytes.push_back(static_cast<char>(next(256)));
    }
    Exchange(bytes);
  }
  std::vector<thrift1::TRowResult> rows;
  client->scannerGetList(rows, OpenScanner(client.get()), 100);
  EXPECT_EQ(rows.size(), 10u);
}

TEST_F(GatewayTest, AnswersThrift2AtItsOwnPort) {
  Start({.port2 = 0});
  ASSERT_TRUE(gateway_->port2().has_value());
  auto socket = std::make_shared<TSocket>("127.0.0.1", *gateway_->port2());
  socket->open();
  thrift2::THBaseServiceClient client(std::make_shared<TCompactProtocol>(std::make_shared<TFramedTransport>(socket)));
  thrift2::TTableDescriptor table;
  table.tableName.qualifier = "t";
  table.__set_columns(std::vector<thrift2::TColumnFamilyDescriptor>(1));
  table.columns[0].name = "f";
  client.createTable(table, {"m"});
  thrift2::TPut put;
  put.row = "r";
  put.columnValues.resize(1);
  put.columnValues[0].family = "f";
  put.columnValues[0].qualifier = "q";
  put.columnValues[0].value = "v";
  client.put("t", put);
  thrift2::TGet get;
  get.row = "r";
  thrift2::TResult result;
  client.get(result, "t", get);
  ASSERT_EQ(result.columnValues.size(), 1u);
  EXPECT_EQ(result.columnValues[0].value, "v");
  std::vector<thrift2::THRegionLocation> regions;
  client.getAllRegionLocations(regions, "t");
  EXPECT_EQ(regions.size(), 2u);
  std::vector<thrift2::TTableName> names;
  client.getTableNamesByPattern(names, "t|u", false);
  EXPECT_EQ(names.size(), 1u);
  EXPECT_TRUE(client.isTableAvailable(table.tableName));
  client.disableTable(table.tableName);
  EXPECT_FALSE(client.isTableAvailable(table.tableName));
  client.enableTable(table.tableName);
  EXPECT_TRUE(client.isTableAvailable(table.tableName));
  thrift2::TTableName none;
  none.qualifier = "none";
  EXPECT_FALSE(client.isTableAvailable(none));
  get.__set_filterBytes("x");
  EXPECT_THROW(client.get(result, "t", get), thrift2::TIOError);
}

// The attributes of calls reach the table, which rejects those it cannot honour and obeys the others.
TEST_F(GatewayTest, PassesOnWhatCallsSay) {
  TableDescriptor descriptor = {.name = "t", .families = {{.name = "f"}}};
  ASSERT_TRUE(connection_->admin().CreateTable(descriptor).ok());
  Start({.port2 = 0});
  auto socket = std::make_shared<TSocket>("127.0.0.1", *gateway_->port2());
  socket->open();
  thrift2::THBaseServiceClient client(std::make_shared<TCompactProtocol>(std::make_shared<TFramedTransport>(socket)));
  thrift2::TPut put;
  put.row = "r";
  put.columnValues.resize(1);
  put.columnValues[0].family = "f";
  put.columnValues[0].value = "v";
  client.put("t", put);
  const auto refused = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const thrift2::TIOError& error) {
      return error.message;
    } catch (const TApplicationException& error) {  // of arguments
      return error.what();
    }
    return "";
  };
  thrift2::TCellVisibility visibility;
  visibility.__set_expression("a|b");
  thrift2::TPut labelled = put;
  labelled.__set_cellVisibility(visibility);
  EXPECT_NE(refused([&] { client.put("t", labelled); }).find("attribute 'VISIBILITY'"), std::string::npos);
  thrift2::TDelete del;
  del.row = "r";
  del.__set_attributes({{"acl", "x"}});
  EXPECT_NE(refused([&] { client.deleteSingle("t", del); }).find("attribute 'acl'"), std::string::npos);
  thrift2::TAccessControlEntity entity;
  entity.username = "u";
  entity.actions = "R";
  EXPECT_NE(refused([&] { client.grant(entity); }).find("tableName is missing"), std::string::npos);
  entity.scope = thrift2::TPermissionScope::NAMESPACE;
  EXPECT_NE(refused([&] { client.revoke(entity); }).find("nsName is missing"), std::string::npos);
  entity.__set_nsName("n");
  EXPECT_NE(refused([&] { client.revoke(entity); }).find("Security features"), std::string::npos);
  thrift2::TGet get;
  get.row = "r";
  thrift2::TAuthorization authorizations;
  authorizations.__set_labels({"a"});
  get.__set_authorizations(authorizations);
  thrift2::TResult result;
  client.get(result, "t", get);
  EXPECT_EQ(result.columnValues.size(), 1U);
}

// Otherwise everybody could read a restricted cell, and a restricted delete would apply to all.
TEST_F(GatewayTest, EachWriteOfThrift1PassesOnItsAttributes) {
  auto client = NewClient();
  client->createTable("t", {Family("f:")});
  client->mutateRow("t", "r", {Write("f:q", "v")}, {});
  const thrift1::Mutation write = Write("f:p", "v");
  thrift1::Mutation erase = Write("f:q", "");
  erase.__set_isDelete(true);
  thrift1::BatchMutation batch;
  batch.__set_row("r");
  for (const auto& attributes :
       {thrift1::Attributes{{"VISIBILITY", "\x0a\x06secret"}}, thrift1::Attributes{{"acl", "x"}}}) {
    SCOPED_TRACE(attributes.begin()->first);
    for (const thrift1::Mutation& mutation : {write, erase}) {
      batch.__set_mutations({mutation});
      EXPECT_THROW(client->mutateRow("t", "r", {mutation}, attributes), thrift1::IOError);
      EXPECT_THROW(client->mutateRowTs("t", "r", {mutation}, 5, attributes), thrift1::IOError);
      EXPECT_THROW(client->mutateRows("t", {batch}, attributes), thrift1::IOError);
      EXPECT_THROW(client->mutateRowsTs("t", {batch}, 5, attributes), thrift1::IOError);
    }
    EXPECT_THROW(client->checkAndPut("t", "r", "f:q", "v", write, attributes), thrift1::IOError);
    EXPECT_THROW(client->deleteAll("t", "r", "f:q", attributes), thrift1::IOError);
    EXPECT_THROW(client->deleteAll("t", "r", "f", attributes), thrift1::IOError);
    EXPECT_THROW(client->deleteAllTs("t", "r", "f:q", kLatestTimestamp, attributes), thrift1::IOError);
    EXPECT_THROW(client->deleteAllRow("t", "r", attributes), thrift1::IOError);
    EXPECT_THROW(client->deleteAllRowTs("t", "r", kLatestTimestamp, attributes), thrift1::IOError);
    std::vector<thrift1::TRowResult> rows;
    client->getRow(rows, "t", "r", {});
    ASSERT_EQ(rows.size(), 1U);
    ASSERT_EQ(rows[0].columns.size(), 1U);
    EXPECT_EQ(rows[0].columns["f:q"].value, "v");
  }
}

TEST_F(GatewayTest, RevokedCertificatesAreRefused) {
  const std::string root = directory_.Sub("");
  const Identity ca(root + "ca", "ca", 1);
  const Identity server(root + "server", "server", 2, &ca, "DNS:localhost,IP:127.0.0.1");
  const Identity client(root + "client", "client", 3, &ca);
  WriteRevocations(root + "crl", ca, {});
  Start({.tls = {.certificate = root + "server.pem",
                 .key = root + "server.key",
                 .ca = root + "ca.pem",
                 .crl = root + "crl"}});
  auto factory = std::make_shared<TSSLSocketFactory>();
  factory->loadTrustedCertificates((root + "ca.pem").c_str());
  factory->authenticate(true);
  factory->loadCertificate((root + "client.pem").c_str());
  factory->loadPrivateKey((root + "client.key").c_str());
  auto tables = [&] {
    std::shared_ptr<TSocket> socket = factory->createSocket("127.0.0.1", gateway_->port());
    socket->setRecvTimeout(60'000);
    socket->open();
    std::vector<std::string> names;
    Client(std::make_shared<TCompactProtocol>(std::make_shared<TFramedTransport>(socket))).getTableNames(names);
    return names.size();
  };
  EXPECT_EQ(tables(), 0u);
  WriteRevocations(root + "crl", ca, {3});
  EXPECT_THROW(tables(), TException);
}

TEST_F(GatewayTest, Tls) {
  const std::string root = directory_.Sub("");
  const Identity ca(root + "ca", "ca", 1);
  const Identity server(root + "server", "server", 2, &ca, "DNS:localhost,IP:127.0.0.1");
  const Identity client(root + "client", "client", 3, &ca);
  Start({.tls = {.certificate = root + "server.pem", .key = root + "server.key", .ca = root + "ca.pem"}});
  auto factory = std::make_shared<TSSLSocketFactory>();
  factory->loadTrustedCertificates((root + "ca.pem").c_str());
  factory->authenticate(true);
  auto tables = [&] {
    std::shared_ptr<TSocket> socket = factory->createSocket("127.0.0.1", gateway_->port());
    socket->setRecvTimeout(60'000);
    socket->open();
    std::vector<std::string> names;
    Client(std::make_shared<TCompactProtocol>(std::make_shared<TFramedTransport>(socket))).getTableNames(names);
    return names.size();
  };
  EXPECT_THROW(tables(), TException);  // it shows no certificate
  factory->loadCertificate((root + "client.pem").c_str());
  factory->loadPrivateKey((root + "client.key").c_str());
  EXPECT_EQ(tables(), 0u);
  EXPECT_TRUE(Exchange("\x80\x01\x00\x01"s).starts_with("\x15"));  // an alert: not TLS
  EXPECT_EQ(tables(), 0u);
  const Identity other_ca(root + "other", "other", 4);
  const Identity next(root + "next", "server", 5, &other_ca, "DNS:localhost,IP:127.0.0.1");
  std::filesystem::rename(root + "next.key", root + "server.key");
  EXPECT_EQ(tables(), 0u) << "a key without its certificate: as before";
  std::filesystem::rename(root + "next.pem", root + "server.pem");
  EXPECT_THROW(tables(), TException) << "the client does not know this CA";
  factory->loadTrustedCertificates((root + "other.pem").c_str());
  EXPECT_EQ(tables(), 0u);
  std::filesystem::rename(root + "other.pem", root + "ca.pem");
  EXPECT_THROW(tables(), TException) << "the client's certificate is not of this CA";
  EXPECT_FALSE(Gateway::Start(connection_.get(), {.tls = {.certificate = root + "none.pem", .key = "x"}}).ok());
}

TEST_F(GatewayTest, SlowClientsShutNobodyOut) {
  std::vector<std::shared_ptr<TSocket>> slow;
  const uint8_t half[] = {0x80, 0x01, 0x00, 0x01, 0x00};
  for (size_t i = 0; i < kMaxConnections + 20; ++i) {
    slow.push_back(Connect());
    if (i % 2 == 0) {
      slow.back()->write(half, sizeof(half));
    }
  }
  auto client = NewClient();
  Load(client.get(), 10);
  std::vector<std::string> tables;
  client->getTableNames(tables);
  EXPECT_EQ(tables.size(), 1U);
  uint8_t byte = 0;
  EXPECT_EQ(slow.front()->read(&byte, 1), 0U) << "it made room";
}

TEST_F(GatewayTest, StopsWithClientsConnected) {
  auto client = NewClient();
  Load(client.get(), 10);
  auto idle = Connect();
  gateway_->Stop();
  std::vector<std::string> tables;
  EXPECT_THROW(client->getTableNames(tables), TException);
  EXPECT_FALSE(Gateway::Start(connection_.get(), {.listen = "192.0.2.1"}).ok());  // nobody has that address
}

}  // namespace
}  // namespace klip::thrift
