#include "sweep/door.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include <httplib.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/TSocket.h>

#include "hbase/net/channel.h"
#include "klip/bytes.h"
#include "ops/op_language.h"
#include "proto/Admin.pb.h"
#include "rest/gateway.h"
#include "rpc/cell_block.h"
#include "thrift/gateway.h"
#include "thrift1/Hbase.h"

namespace klip::sweep {
namespace {

using Words = std::vector<std::string>;

template <typename Started>
class GatewayOf final : public Gateway {
 public:
  explicit GatewayOf(std::unique_ptr<Started> started) : started_(std::move(started)) {}
  uint16_t port() const override { return started_->port(); }

 private:
  const std::unique_ptr<Started> started_;
};

template <typename Started>
Expected<std::unique_ptr<Gateway>> Wrap(Expected<std::unique_ptr<Started>> started) {
  if (!started.ok()) {
    return started.status();
  }
  return std::unique_ptr<Gateway>(std::make_unique<GatewayOf<Started>>(*std::move(started)));
}

// "METHOD PATH BODY", with JSON: the status and the body of the answer.
std::string Request(uint16_t port, const std::string& line) {
  const size_t path = line.find(' ') + 1;
  const size_t end = std::min(line.find(' ', path), line.size());
  httplib::Client client("127.0.0.1", port);
  client.set_read_timeout(kClientMs / 1000);
  httplib::Request request;
  request.method = line.substr(0, path - 1);
  request.path = line.substr(path, end - path);
  request.body = line.substr(std::min(end + 1, line.size()));
  request.headers = {{"Accept", "application/json"},
                     {"Content-Type", request.body.starts_with('{') ? "application/json" : "application/octet-stream"}};
  const httplib::Result answer = client.send(request);
  if (!answer) {
    return "error no answer";
  }
  constexpr int kFirstError = 400;
  return (answer->status < kFirstError ? "" : "error ") + std::to_string(answer->status) + "\n" + answer->body;
}

// The lines of words between the words ";".
std::vector<Words> Parts(const std::string& line) {
  std::vector<Words> parts(1);
  for (std::string& word : ops::Tokens(line)) {
    if (word == ";") {
      parts.emplace_back();
    } else {
      parts.back().push_back(std::move(word));
    }
  }
  return parts;
}

// "family:qualifier=value".
std::pair<std::string, std::string> ColumnAndValue(const std::string& word) {
  const size_t equals = word.find('=');
  return {word.substr(0, equals), word.substr(equals + 1)};
}

// By HBase's first Thrift interface; Run has the lines.
class ThriftClient {
 public:
  explicit ThriftClient(uint16_t port)
      : socket_(std::make_shared<apache::thrift::transport::TSocket>("127.0.0.1", port)) {
    socket_->setRecvTimeout(static_cast<int>(kClientMs));
  }

  // put TABLE ROW COLUMN=VALUE..., put TABLE ROW COLUMN=VALUE... ; ROW COLUMN=VALUE..., delete-row TABLE ROW,
  // increment TABLE ROW COLUMN=STEP, get TABLE ROW, create TABLE FAMILY..., disable TABLE, drop TABLE.
  std::string Run(const std::string& line) {
    try {
      if (!socket_->isOpen()) {
        socket_->open();
      }
      return Call(Parts(line));
    } catch (const apache::thrift::TException& error) {
      socket_->close();
      return std::string("error ") + error.what();
    }
  }

 private:
  std::string Call(const std::vector<Words>& parts) {
    const Words& words = parts.front();
    const std::string& table = words[1];
    if (words[0] == "put" && parts.size() == 1) {
      client_.mutateRow(table, words[2], Mutations(words, 3), {});
      return "ok";
    }
    if (words[0] == "put") {
      client_.mutateRows(table, Rows(parts), {});
      return "ok";
    }
    if (words[0] == "delete-row") {
      client_.deleteAllRow(table, words[2], {});
      return "ok";
    }
    if (words[0] == "increment") {
      const auto [column, step] = ColumnAndValue(words[3]);
      return std::to_string(client_.atomicIncrement(table, words[2], column, std::stoll(step)));
    }
    if (words[0] == "get") {
      return Get(table, words[2]);
    }
    return ChangeTable(words);
  }

  std::string Get(const std::string& table, const std::string& row) {
    std::vector<thrift1::TRowResult> rows;
    client_.getRow(rows, table, row, {});
    std::string said;
    for (const thrift1::TRowResult& found : rows) {
      for (const auto& [column, cell] : found.columns) {
        said += column + "=" + ToStringBinary(cell.value) + " ";
      }
    }
    return said;
  }

  std::string ChangeTable(const Words& words) {
    if (words[0] == "create") {
      std::vector<thrift1::ColumnDescriptor> families(words.size() - 2);
      for (size_t i = 0; i < families.size(); ++i) {
        families[i].__set_name(words[i + 2]);
      }
      client_.createTable(words[1], families);
    } else if (words[0] == "disable") {
      client_.disableTable(words[1]);
    } else if (words[0] == "drop") {
      client_.deleteTable(words[1]);
    } else {
      return "error no such line: " + words[0];
    }
    return "ok";
  }

  static std::vector<thrift1::Mutation> Mutations(const Words& words, size_t first) {
    std::vector<thrift1::Mutation> mutations;
    for (size_t i = first; i < words.size(); ++i) {
      const auto [column, value] = ColumnAndValue(words[i]);
      mutations.emplace_back();
      mutations.back().__set_column(column);
      mutations.back().__set_value(value);
    }
    return mutations;
  }

  static std::vector<thrift1::BatchMutation> Rows(const std::vector<Words>& parts) {
    std::vector<thrift1::BatchMutation> rows(parts.size());
    for (size_t i = 0; i < parts.size(); ++i) {
      const size_t row = i == 0 ? 2 : 0;
      rows[i].__set_row(parts[i][row]);
      rows[i].__set_mutations(Mutations(parts[i], row + 1));
    }
    return rows;
  }

  const std::shared_ptr<apache::thrift::transport::TSocket> socket_;
  thrift1::HbaseClient client_{std::make_shared<apache::thrift::protocol::TBinaryProtocol>(
      std::make_shared<apache::thrift::transport::TBufferedTransport>(socket_))};
};

// Edits as another cluster sends them: each part is an entry of its log, "TABLE ROW COLUMN=VALUE...", and a column without a value is
// deleted. The edits are as old as the call, as if the clusters' clocks agreed.
class ReplicatingCluster {
 public:
  explicit ReplicatingCluster(uint16_t port) : server_{"127.0.0.1", port} {}

  std::string Run(const std::string& line) {
    const auto now =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch());
    hbase::pb::ReplicateWALEntryRequest request;
    rpc::Buffer block;
    for (const Words& words : Parts(line)) {
      hbase::pb::WALEntry* const entry = request.add_entry();
      entry->mutable_key()->set_encoded_region_name("region");
      entry->mutable_key()->set_table_name(words[0]);
      entry->mutable_key()->set_log_sequence_number(1);
      entry->mutable_key()->set_write_time(static_cast<uint64_t>(now.count()));
      entry->set_associated_cell_count(static_cast<int32_t>(words.size() - 2));
      for (size_t i = 2; i < words.size(); ++i) {
        AppendEdit(words[1], words[i], now.count(), &block);
      }
    }
    return Send(request, block.view());
  }

 private:
  static void AppendEdit(const std::string& row, const std::string& word, int64_t now_ms, rpc::Buffer* block) {
    const bool deleted = word.find('=') == std::string::npos;
    const auto [column, value] = ColumnAndValue(word);
    const size_t colon = column.find(':');
    const std::string family = column.substr(0, colon);
    const std::string qualifier = column.substr(colon + 1);
    Cell cell = {.row = row, .family = family, .qualifier = qualifier, .timestamp_ms = now_ms, .value = value};
    if (deleted) {
      cell.type = CellType::kDeleteColumn;
      cell.value = {};
    }
    rpc::AppendCell(cell, rpc::CellCodec::kKeyValue, block);
  }

  std::string Send(const hbase::pb::ReplicateWALEntryRequest& request, std::string_view cells) {
    if (channel_ == nullptr || channel_->broken()) {
      channel_ = std::make_shared<client::Channel>(server_, "AdminService", &security_);
    }
    const client::CallPtr call =
        channel_->Start({.method = "ReplicateWALEntry",
                         .request = &request,
                         .cells = cells,
                         .deadline = client::Clock::now() + std::chrono::milliseconds(kClientMs)});
    const Status status = call->Wait().failure.status;
    return status.ok() ? "ok" : "error " + status.ToString();
  }

  const client::Address server_;
  const client::Security security_;
  std::shared_ptr<client::Channel> channel_;
};

}  // namespace

Expected<std::unique_ptr<Gateway>> StartGateway(Way way, Connection* connection) {
  switch (way) {
    case Way::kRest:
      return Wrap(rest::StartGateway(connection));
    case Way::kThrift:
      return Wrap(thrift::Gateway::Start(connection, {}));
    default:
      return std::unique_ptr<Gateway>();
  }
}

RunLine ClientOf(Way way, const Ports& ports) {
  switch (way) {
    case Way::kRest:
      return [port = ports.gateway](const std::string& line) { return Request(port, line); };
    case Way::kThrift:
      return [client = std::make_shared<ThriftClient>(ports.gateway)](const std::string& line) {
        return client->Run(line);
      };
    case Way::kReplication:
      return [cluster = std::make_shared<ReplicatingCluster>(ports.rpc)](const std::string& line) {
        return cluster->Run(line);
      };
    default:
      return nullptr;
  }
}

}  // namespace klip::sweep
