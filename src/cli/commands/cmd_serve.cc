// klip serve: serves HBase's clients until a signal stops it.
#include <csignal>
#include <cstdlib>
#include <limits>
#include <thread>

#include <unistd.h>

#include "cli/command.h"
#include "cli/coprocessor_options.h"
#include "cli/gateways.h"
#include "console/service.h"
#include "klip/advise.h"
#include "server/rpc/log.h"
#include "server/server.h"
#include "table/embedded_connection.h"

namespace klip::cli {
namespace {

// Stopping flushes and closes. After this time, the rest is recovered from the log at the next start.
constexpr time_t kStopSeconds = 10;

sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

// Ends the process if stopping takes too long, or after a second signal. No acknowledged write is lost.
void BoundStopping(const Console& console) {
  std::thread([err = console.err] {
    const sigset_t signals = StopSignals();
    const auto arrives = [&signals](time_t seconds) {
      const timespec limit = {.tv_sec = seconds, .tv_nsec = 0};
      return sigtimedwait(&signals, nullptr, &limit) > 0;
    };
    arrives(1);  // the same signal once more: timeout(1) sends it to the process and to its group
    const bool again = arrives(kStopSeconds - 1);
    std::fputs(again ? "klip: second signal to stop; exiting without a clean shutdown\n"
                     : "klip: stopping took too long; exiting without a clean shutdown\n",
               err);
    std::fflush(err);
    std::_Exit(kExitError);
  }).detach();
}

// Writes slow operations to the server's log.
std::function<void(const SlowOperation&)> SlowOperationLog(server::LogFormat format) {
  return [log = server::Log(format)](const SlowOperation& slow) {
    log.Write("slow_operation", {{"operation", slow.kind},
                                 {"table", slow.table},
                                 {"user", slow.caller.user},
                                 {"client", slow.caller.address},
                                 {"door", NameOf(slow.caller.door)},
                                 {"ms", slow.took_us / 1000},
                                 {"rows", slow.rows}});
  };
}

Expected<QueryLog> QueryLogTo(const std::string& path, server::LogFormat format) {
  return WriteQueryLog(path, [log = server::Log(format)](const Status& failed) {
    log.Write("query_log", {{"error", failed.message()}});
  });
}

struct Serve {
  Arguments arguments;
  std::string config;
  std::string store;  // by position, as the other commands take it
  std::string data = "klip-data";
  server::ServerOptions options;
  int32_t rpc_port = 16020;
  int32_t zookeeper_port = 2181;
  int32_t http_port = -1;
  bool json_log = false;
  std::string query_log;
  GatewayPorts gateway_ports;
  CoprocessorOptions coprocessor_options;
  bool no_fsync = false;
  bool no_sanity_checks = false;

  // The start and the end of the server, in the log.
  void Log(const Console& console, const std::string& what) const {
    if (!json_log) {
      std::fputs(("klip serve: " + what + "\n").c_str(), console.err);
      std::fflush(console.err);
    }
  }

  void SetPorts(const klip::console::Service* pages) {
    options.rpc_port = static_cast<uint16_t>(rpc_port);
    options.zookeeper_port = static_cast<uint16_t>(zookeeper_port);
    if (http_port >= 0) {
      options.http_port = static_cast<uint16_t>(http_port);
    }
    // Only if no other machine can reach the port, and if the RPC port does not require certificates. Otherwise
    // --console-port serves the console, with certificates.
    if (options.tls.client_ca.empty() && CheckListen(options.http_listen, options.insecure, {}).ok()) {
      options.more_pages = [pages](const net::HttpRequest& request) {
        return klip::console::Service::Handles(request.target) ? std::optional(pages->Answer(request)) : std::nullopt;
      };
    }
  }

  // Other addresses than loopback require client certificates or --insecure.
  std::string GatewayListen() const {
    return options.insecure || !options.tls.client_ca.empty() ? options.listen : "127.0.0.1";
  }

  Status CheckPortsFree() const {
    PortCheck check;
    KLIP_RETURN_IF_ERROR(check.Take(options.listen, rpc_port, "--rpc-port"));
    KLIP_RETURN_IF_ERROR(check.Take(options.listen, zookeeper_port, "--zk-port"));
    KLIP_RETURN_IF_ERROR(check.Take(options.http_listen, http_port, "--http-port"));
    return gateway_ports.CheckFree(GatewayListen(), /*in_serve=*/true, &check);
  }

  Expected<ConnectionOptions> StoreSettings() const {
    ConnectionOptions settings;
    settings.sync_wal = !no_fsync;
    server::LimitStoreMemory(options.memory_limit, &settings);
    settings.table_sanity_checks = !no_sanity_checks;
    settings.slow_operation_ms = options.slow_call_ms;
    settings.slow_operation_log = SlowOperationLog(options.log_format);
    if (!query_log.empty()) {
      KLIP_ASSIGN_OR_RETURN(settings.query_log, QueryLogTo(query_log, options.log_format));
    }
    settings.wasm_runtime = coprocessor_options.wasm_runtime;
    settings.ignore_coprocessors = coprocessor_options.off;
    return settings;
  }

  Expected<int> operator()(const Console& console) {
    if (!config.empty()) {
      KLIP_RETURN_IF_ERROR(arguments.ReadFile(config));
    }
    if (!store.empty()) {
      if (store.starts_with("hbase+")) {
        return UsageError("klip serve serves a store in a directory, not a cluster");
      }
      data = store.starts_with("klip:") ? store.substr(5) : store;
    }
    const base::TlsFiles tls = {.certificate = options.tls.certificate,
                                .key = options.tls.key,
                                .ca = options.tls.client_ca,
                                .crl = options.tls.client_crl};
    KLIP_RETURN_IF_ERROR(CheckTlsFiles(tls));
    if (options.memory_limit > 0 && options.memory_limit < server::kLeastMemoryLimit) {
      return UsageError(fmt::format("memory-limit must be {} MB or more", server::kLeastMemoryLimit >> 20U));
    }
    KLIP_RETURN_IF_ERROR(CheckPortsFree());
    // Before any thread starts, so that no thread receives the signals.
    const sigset_t signals = StopSignals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);

    options.log_format = json_log ? server::LogFormat::kJson : server::LogFormat::kText;
    KLIP_ASSIGN_OR_RETURN(const ConnectionOptions settings, StoreSettings());
    KLIP_ASSIGN_OR_RETURN(coprocessor::HostOptions host, coprocessor_options.Read());
    coprocessor::Coprocessors coprocessors(std::move(host), coprocessor_options.off);
    Expected<std::unique_ptr<table::EmbeddedConnection>> opened =
        table::OpenEmbedded(data, settings, coprocessors.ForStore());
    if (!opened.ok()) {
      return WithRemedy(opened.status(), data);
    }
    std::unique_ptr<table::EmbeddedConnection> connection = *std::move(opened);
    options.coprocessors = &coprocessors;
    options.stop = [] { ::kill(::getpid(), SIGTERM); };
    Connection* const shared = connection.get();
    net::MemoryBudget statements;
    statements.Limit(
        server::StatementBytes(options.memory_limit > 0 ? options.memory_limit : server::DefaultMemoryLimit()),
        /*large=*/0);
    const klip::console::Service pages(shared, gateway_ports.console_changes, /*counts=*/nullptr, &statements);
    SetPorts(&pages);
    KLIP_ASSIGN_OR_RETURN(std::unique_ptr<server::Server> server,
                          server::Server::Start(std::move(connection), options));
    const std::string http = server->http_port() == 0 ? "" : fmt::format(" http={}", server->http_port());
    KLIP_ASSIGN_OR_RETURN(RunningGateways gateways,
                          gateway_ports.Start(shared, GatewayListen(), tls, console, server->memory(), &statements));
    const base::Address zookeeper = {.host = server->advertised().host, .port = server->zookeeper_port()};
    console.Print("ready rpc={} zookeeper={}{}{}{} data={}\n", server->advertised().ToString(), zookeeper.ToString(),
                  http, gateways.ready.empty() ? "" : " ", gateways.ready, data);
    std::fflush(console.out);
    Log(console, fmt::format("version {}, process {}, store {}", KLIP_VERSION, ::getpid(), data));
    int signal = 0;
    sigwait(&signals, &signal);
    Log(console, fmt::format("stopping, on {}", signal == SIGTERM ? "SIGTERM" : "SIGINT"));
    BoundStopping(console);
    gateways = {};  // they use the server's connection
    server.reset();
    Log(console, "stopped");
    if (const std::string why = coprocessors.abort_reason(); !why.empty()) {
      return Status(Code::kIoError,
                    "a coprocessor ended the server, as hbase.coprocessor.abortonerror is true: " + why);
    }
    return kExitOk;
  }
};

// Options on who may connect to the server.
void AddSecurityOptions(Arguments* args, Serve* serve) {
  args->Add("--tls-cert", &serve->options.tls.certificate, "PEM file of the server's certificate: RPC over TLS");
  args->Add("--tls-key", &serve->options.tls.key, "PEM file of its key");
  args->Add("--tls-client-ca", &serve->options.tls.client_ca,
            "PEM file of the authority that signs client certificates; clients then need one");
  args->Add("--tls-crl", &serve->options.tls.client_crl,
            "PEM file of the authority's revocation list; read again when it changes, and must not have expired");
  args->AddFlag("--tls-plaintext", &serve->options.tls.allow_plaintext,
                "also serve clients without TLS on the same port (HBase: hbase.server.netty.tls.supportplaintext)");
  args->AddFlag("--insecure", &serve->options.insecure,
                "listen on any address without client certificates: anyone who reaches it can read and write");
}

void AddCoprocessorArguments(Arguments* args, CoprocessorOptions* options) {
  args->Add("--coprocessor-class-path", &options->class_path,
            "jars of the JVM that runs Java coprocessors, e.g. /opt/klip-coprocessor-host/* (default: no JVM)");
  args->Add("--coprocessor-host", &options->socket,
            "Unix socket of such a JVM that is already running, instead of starting one");
  args->Add("--hbase-site", &options->site,
            "hbase-site.xml with settings for coprocessors, e.g. hbase.coprocessor.region.classes");
  args->Add("--wasm-runtime", &options->wasm_runtime,
            "wasmtime's library, for tables that name WebAssembly modules (default: where pip installs it)");
  args->AddFlag("--no-coprocessors", &options->off,
                "open tables without their coprocessors (HBase: hbase.coprocessor.enabled = false)");
}

}  // namespace

Run AddServeCommand(Arguments* args) {
  const std::shared_ptr<Serve> serve(new Serve{.arguments = *args});
  constexpr int64_t kMaxPort = std::numeric_limits<uint16_t>::max();
  args->Add("--config", &serve->config, "configuration file, one `option = value` per line (also: KLIP_CONFIG)");
  args->Add("STORE", &serve->store, "directory of the store; created if it does not exist (default klip-data)");
  args->Add("--data", &serve->data,
            "the same as STORE, also for the configuration file and the environment (KLIP_DATA)");
  args->Add("--listen", &serve->options.listen, "address to listen on (default 127.0.0.1: this machine only)");
  args->Add("--advertise", &serve->options.advertise,
            "host[:port] that clients should connect to (default: --listen, --rpc-port)");
  args->Add("--rpc-port", &serve->rpc_port,
            "port of HBase's RPC, for master and region server (default 16020; 0: any free port)")
      .Between(0, kMaxPort);
  args->Add("--zk-port", &serve->zookeeper_port,
            "port of the ZooKeeper protocol, where clients find the cluster (default 2181; 0: any free port)")
      .Between(0, kMaxPort);
  args->Add("--http-port", &serve->http_port, "port of /metrics, /health and /console (default: none)")
      .Between(0, kMaxPort);
  args->Add("--http-listen", &serve->options.http_listen, "address of these pages (default 127.0.0.1)");
  args->Add("--memory-limit", &serve->options.memory_limit,
            "memory limit of the process, e.g. 2GB (default: half of the available memory)")
      .Bytes();
  args->Add("--scanner-timeout-ms", &serve->options.scanner_timeout_ms,
            "scanner lease: close a scanner that its client has not used for this long (default 60000)")
      .Between(1, std::numeric_limits<int32_t>::max());
  args->Add("--slow-call-ms", &serve->options.slow_call_ms,
            "log and keep calls that take this long or longer (default 10000)")
      .Between(0, std::numeric_limits<int32_t>::max());
  args->Add("--large-response", &serve->options.large_response_bytes,
            "log and keep calls with responses this large or larger (default 100MB)")
      .Bytes();
  args->Add("--query-log", &serve->query_log,
            "append the queries on row keys to this file, for klip advise --queries (default: none)");
  args->Add("--scrub-rate", &serve->options.scrub_bytes_per_second,
            "bytes per second of the daily check of the store's files for damage (default 4MB; 0: no check)")
      .Bytes();
  args->AddFlag("--json-log", &serve->json_log, "log JSON lines instead of time=... event=...");
  args->Add("--thrift-port", &serve->gateway_ports.thrift,
            "also serve HBase's first Thrift interface on this port (0: any free port; default: off)")
      .Between(0, kMaxPort);
  args->Add("--thrift2-port", &serve->gateway_ports.thrift2, "also serve the second Thrift interface")
      .Between(0, kMaxPort);
  args->Add("--rest-port", &serve->gateway_ports.rest,
            "also serve HBase's REST resources over HTTP (0: any free port; default: off)")
      .Between(0, kMaxPort);
  args->Add("--sql-port", &serve->gateway_ports.sql,
            "also serve SQL to the drivers of Phoenix's query server, over HTTP (0: any free port; default: off)")
      .Between(0, kMaxPort);
  args->Add("--statement-timeout", &serve->gateway_ports.statement_timeout_ms,
            "end statements of SQL that run for longer, in milliseconds (default 600000, 10 minutes; 0: no limit)")
      .Between(0, std::numeric_limits<int32_t>::max());
  args->Add(
          "--console-port", &serve->gateway_ports.console,
          "also serve the console on this port, with the certificates of --tls-* (0: any free port; default: off, and "
          "at "
          "/console of --http-port)")
      .Between(0, kMaxPort);
  args->AddFlag("--allow-changes", &serve->gateway_ports.console_changes,
                "the console may change rows, tables and indexes (default: it only reads)");
  AddCoprocessorArguments(args, &serve->coprocessor_options);
  AddSecurityOptions(args, serve.get());
  args->AddFlag("--no-fsync", &serve->no_fsync, "do not fsync the log on each write, which is HBase's default");
  args->AddFlag("--no-sanity-checks", &serve->no_sanity_checks,
                "skip table sanity checks (HBase: hbase.table.sanity.checks = false)");
  args->ReadEnvironment("KLIP");
  return [serve](const Console& console) { return (*serve)(console); };
}

}  // namespace klip::cli
