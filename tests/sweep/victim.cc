#include "sweep/victim.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/command.h"
#include "ops/op_language.h"
#include "ops/random.h"
#include "ops/store_session.h"
#include "server/server.h"
#include "sweep/child.h"
#include "sweep/door.h"
#include "sweep/waits.h"
#include "table/embedded_connection.h"

namespace klip::sweep {
namespace {

using simulate::Call;
using simulate::Disk;

constexpr int64_t kLongestMs = 90'000;

bool IsError(const std::string& said) {
  return said.starts_with("error ") || said.find("\nerror ") != std::string::npos;
}

Counts CountsOf(const Disk& disk) {
  Counts counts = {.failed = disk.failed(), .off = disk.is_off(), .changes = disk.changes()};
  for (const Call call : disk.history()) {
    ++counts.calls[static_cast<size_t>(call)];
  }
  return counts;
}

// Begins and ends the trouble of the disk that the operation's store is on.
class Trouble {
 public:
  virtual ~Trouble() = default;
  virtual void Begin(const Plan& plan) = 0;
  virtual Counts Now() = 0;
  virtual Counts End() = 0;  // after a power cut it stays off
};

class OwnTrouble final : public Trouble {
 public:
  void Begin(const Plan& plan) override {
    Disk::The().Plan(plan.fault.number > 0 ? std::vector<simulate::Fault>{plan.fault} : std::vector<simulate::Fault>());
    Disk::The().CutAt(plan.cut_at > 0 ? plan.cut_at : -1);
  }
  Counts Now() override { return CountsOf(Disk::The()); }
  Counts End() override {
    const Counts counts = Now();
    Disk::The().Plan({});
    return counts;
  }
};

// Of the server, which is asked over a socket (Obey).
class ServersTrouble final : public Trouble {
 public:
  explicit ServersTrouble(int socket) : socket_(socket) {}
  void Begin(const Plan& /*plan*/) override { (void)Ask('b'); }
  Counts Now() override { return Ask('n'); }
  Counts End() override { return Ask('e'); }

 private:
  Counts Ask(char what) const {
    Counts counts;
    if (send(socket_, &what, 1, MSG_NOSIGNAL) != 1 ||
        recv(socket_, &counts, sizeof(counts), MSG_WAITALL) != sizeof(counts)) {
      counts.failed = -1;  // it has died
    }
    return counts;
  }
  const int socket_;
};

// In the server: does what its client asks for, until that closes the socket.
void Obey(int socket, const Plan& plan) {
  OwnTrouble trouble;
  char what = 0;
  while (recv(socket, &what, 1, 0) == 1) {
    if (what == 'b') {
      trouble.Begin(plan);
    }
    const Counts counts = what == 'e' ? trouble.End() : trouble.Now();
    if (send(socket, &counts, sizeof(counts), MSG_NOSIGNAL) != sizeof(counts)) {
      return;
    }
  }
}

void Probe(Connection& connection, Report* report) {
  const Expected<std::unique_ptr<Table>> table = connection.GetTable(kProbeTable);
  const Status status = table.ok() ? (*table)->Put(Put{.row = "probe"}.Add("f", "q", "1")) : table.status();
  report->probed = status.ok();
  if (!status.ok() && status.code() != Code::kReadOnly && status.code() != Code::kIoError &&
      status.code() != Code::kTimedOut) {
    report->wrong += "after the fault a put says " + status.ToString() + "\n";
  }
}

// The fault is over: the store of this process is read, and written or refuses that.
void LookAgain(ops::StoreSession* session, Report* report) {
  if (!session->is_open()) {
    if (const std::string error = session->Reopen(); !error.empty()) {
      report->wrong += "after the fault the store does not open: " + error;
      return;
    }
  }
  Expected<State> seen = ReadState(session->connection());
  if (seen.ok()) {
    report->seen = *std::move(seen);
  } else {
    report->wrong += "after the fault a read says " + seen.status().ToString() + "\n";
  }
  Probe(session->connection(), report);
}

// `run_line`: null: the session.
Report RunLines(const Operation& operation, size_t lines, const Plan& plan, ops::StoreSession* session,
                Trouble* trouble, const RunLine& run_line = nullptr) {
  Report report;
  for (const std::string& line : operation.before) {
    session->Run(line);
  }
  trouble->Begin(plan);
  for (size_t i = 0; i < lines && report.error.empty(); ++i) {
    std::string said = run_line != nullptr ? run_line(operation.lines[i]) : session->Run(operation.lines[i]);
    if (trouble->Now().off) {  // a machine without power answers nobody
      break;
    }
    if (IsError(said)) {
      report.error = std::move(said);
    } else {
      report.said.push_back(std::move(said));
    }
  }
  report.counts = trouble->End();
  if (!report.counts.off) {
    LookAgain(session, &report);
  }
  return report;
}

std::string Pack(const Report& report) {
  return nlohmann::json({{"said", report.said},
                         {"error", report.error},
                         {"failed", report.counts.failed},
                         {"off", report.counts.off},
                         {"changes", report.counts.changes},
                         {"calls", report.counts.calls},
                         {"seen", report.seen},
                         {"probed", report.probed},
                         {"wrong", report.wrong}})
      .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

Report Unpack(const Ended& ended) {
  Report report;
  report.died = ended.What();
  const nlohmann::json json = nlohmann::json::parse(ended.said, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    report.died = report.died.empty() ? "ends without a report: " + ended.noise : report.died;
    return report;
  }
  report.said = json["said"];
  report.error = json["error"];
  report.counts = {json["failed"], json["off"], json["changes"], json["calls"]};
  report.seen = json["seen"];
  report.probed = json["probed"];
  report.wrong = json["wrong"];
  return report;
}

void LosePower(const Plan& plan) {
  ops::Random random(static_cast<uint64_t>(plan.cut_at));
  Disk::The().LosePower(plan.loss, &random);
}

ConnectionOptions SmallOptions() { return {.block_cache_bytes = 1 << 10, .memtable_bytes = 4 << 20}; }

// The open itself is not part of the operation. Left open when the process is to be killed.
std::string RunLibrary(const Operation& operation, size_t lines, const Plan& plan, const std::string& directory) {
  Disk::The().Mount(directory + "/disk");
  ShortenWaits();
  auto session = std::make_unique<ops::StoreSession>(StoreOf(directory), SmallOptions());
  OwnTrouble trouble;
  const Report report = RunLines(operation, lines, plan, session.get(), &trouble);
  if (plan.killed) {
    (void)session.release();
    return Pack(report);
  }
  session.reset();
  if (report.counts.off) {
    LosePower(plan);
  }
  return Pack(report);
}

std::string RunCommands(const Operation& operation, size_t lines, const Plan& plan, const std::string& directory) {
  Disk::The().Mount(directory + "/disk");
  ShortenWaits();
  OwnTrouble trouble;
  trouble.Begin(plan);
  Report report;
  for (size_t i = 0; i < lines && report.error.empty(); ++i) {
    std::string said;
    const int code = RunCommand(operation.lines[i], directory, &said);
    if (Disk::The().is_off()) {
      break;
    }
    if (code == cli::kExitOk) {
      report.said.push_back(std::move(said));
    } else {
      report.error = "exit code " + std::to_string(code) + ": " + said;
    }
  }
  report.counts = trouble.End();
  if (report.counts.off) {
    LosePower(plan);
  }
  return Pack(report);
}

// Serves until the client has gone.
std::string Serve(Way way, const Plan& plan, const std::string& directory, int socket) {
  Disk::The().Mount(directory + "/disk");
  Expected<std::unique_ptr<table::EmbeddedConnection>> connection =
      table::OpenEmbedded(StoreOf(directory), SmallOptions());
  if (!connection.ok()) {
    return connection.status().ToString();
  }
  Connection* const shared = connection->get();
  Expected<std::unique_ptr<server::Server>> server = server::Server::Start(*std::move(connection), {});
  if (!server.ok()) {
    return server.status().ToString();
  }
  Expected<std::unique_ptr<Gateway>> gateway = StartGateway(way, shared);
  if (!gateway.ok()) {
    return gateway.status().ToString();
  }
  const Ports ports = {(*server)->rpc_port(), *gateway == nullptr ? uint16_t{0} : (*gateway)->port()};
  (void)send(socket, &ports, sizeof(ports), MSG_NOSIGNAL);
  Obey(socket, plan);
  const bool off = Disk::The().is_off();
  if (plan.killed) {
    (void)gateway->release();
    (void)server->release();
    return "ended";
  }
  gateway->reset();
  server->reset();
  if (off) {
    LosePower(plan);
  }
  return "ended";
}

std::string BeClient(const Operation& operation, size_t lines, const Plan& plan, int socket) {
  Ports ports;
  if (recv(socket, &ports, sizeof(ports), MSG_WAITALL) != sizeof(ports)) {
    return "";
  }
  const ConnectionOptions options = {.rpc_timeout_ms = kClientMs, .operation_timeout_ms = kClientMs};
  ops::StoreSession session(
      [&] { return Connection::Open("hbase+rpc://127.0.0.1:" + std::to_string(ports.rpc), options); },
      std::make_shared<std::atomic<int64_t>>(0));
  ServersTrouble trouble(socket);
  return Pack(RunLines(operation, lines, plan, &session, &trouble, ClientOf(operation.way, ports)));
}

Report RunOnServer(const Operation& operation, size_t lines, const Plan& plan, const std::string& directory) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    abort();
  }
  Child server([&] {
    close(ends[1]);
    return Serve(operation.way, plan, directory, ends[0]);
  });
  close(ends[0]);
  Child client([&] { return BeClient(operation, lines, plan, ends[1]); });
  close(ends[1]);
  Report report = Unpack(client.Wait(kLongestMs));
  const Ended ended = server.Wait(kLongestMs);
  if (!ended.ok() || ended.said != "ended") {
    report.died = "the server: " + ended.What() + " " + ended.said + " " + ended.noise.substr(0, 2000);
  }
  return report;
}

std::vector<std::string> Words(const std::string& line, const std::string& directory) {
  std::vector<std::string> words = ops::Tokens(line);
  for (std::string& word : words) {
    if (word.starts_with("STORE")) {
      word = StoreOf(directory) + word.substr(5);
    } else if (word.starts_with("OUT")) {
      word = directory + "/disk/out" + word.substr(3);
    }
  }
  return words;
}

}  // namespace

std::string Plan::ToString() const {
  static constexpr const char* kLosses[] = {"nothing", "unsynced", "prefix", "pages"};
  if (cut_at > 0) {
    return "cut " + std::to_string(cut_at) + " " + kLosses[static_cast<size_t>(loss)];
  }
  return fault.number == 0 ? "none"
                           : std::string(NameOf(fault.call)) + " " + std::to_string(fault.number) + " " +
                                 (fault.error == 0 ? "short" : strerrorname_np(fault.error)) +
                                 (fault.lasting ? " lasting" : "") + (killed ? ", killed" : "");
}

std::string StoreOf(const std::string& directory) { return directory + "/disk/store"; }

int RunCommand(const std::string& line, const std::string& directory, std::string* said) {
  char* out = nullptr;
  char* err = nullptr;
  size_t out_bytes = 0;
  size_t err_bytes = 0;
  cli::Console console;
  std::string none = "\n";
  console.in = fmemopen(none.data(), none.size(), "r");
  console.out = open_memstream(&out, &out_bytes);
  console.err = open_memstream(&err, &err_bytes);
  const int code = cli::RunCli(Words(line, directory), console);
  std::fclose(console.in);
  std::fclose(console.out);
  std::fclose(console.err);
  *said = code == cli::kExitOk ? std::string(out, out_bytes) : std::string(err, err_bytes);
  free(out);
  free(err);
  return code;
}

std::string MakeStore(const Operation& operation, const std::string& directory) {
  const Ended ended = RunInChild(kLongestMs, [&]() -> std::string {
    if (!operation.setup.empty()) {
      ops::StoreSession session(StoreOf(directory), SmallOptions());
      for (const std::string& line : operation.setup) {
        if (const std::string said = session.Run(line); IsError(said)) {
          return line + ": " + said;
        }
      }
    }
    for (const std::string& line : operation.prepare) {
      std::string said;
      if (RunCommand(line, directory, &said) != cli::kExitOk) {
        return line + ": " + said;
      }
    }
    return "made";
  });
  return ended.said == "made" ? "" : ended.said + ended.What();
}

Report RunVictim(const Operation& operation, size_t lines, const Plan& plan, const std::string& directory) {
  switch (operation.way) {
    case Way::kServer:
    case Way::kRest:
    case Way::kThrift:
    case Way::kReplication:
      return RunOnServer(operation, lines, plan, directory);
    case Way::kCommand:
      return Unpack(RunInChild(kLongestMs, [&] { return RunCommands(operation, lines, plan, directory); }));
    case Way::kLibrary:
      break;
  }
  return Unpack(RunInChild(kLongestMs, [&] { return RunLibrary(operation, lines, plan, directory); }));
}

}  // namespace klip::sweep
