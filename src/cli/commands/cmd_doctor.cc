// klip doctor: checks what klip needs, and prints what to do.
#include <algorithm>

#include "cli/command.h"
#include "cli/coprocessor_options.h"
#include "cli/health.h"
#include "cli/printer.h"

namespace klip::cli {
namespace {

constexpr const char* kWords[] = {"OK", "warn", "FAIL"};
constexpr int kRpcPort = 16020;
constexpr int kZooKeeperPort = 2181;

void Print(const Console& console, const Findings& findings, OutputForm form) {
  if (form == OutputForm::kCsv) {
    console.Write("check,health,seen,advice\n");
  }
  for (const Finding& finding : findings) {
    const char* const word = kWords[static_cast<int>(finding.health)];
    if (form == OutputForm::kCsv) {
      console.Write(CsvLine({finding.check, word, finding.seen, finding.advice}));
      continue;
    }
    if (form == OutputForm::kJson) {
      Json line = {{"check", finding.check}, {"health", word}, {"seen", finding.seen}};
      if (!finding.advice.empty()) {
        line["advice"] = finding.advice;
      }
      console.Write(line.dump() + "\n");
      continue;
    }
    const std::string shown = finding.health == Health::kOk ? word : console.Bold(word);
    console.Print("{}{:{}}{:<16}{}\n", shown, "", 6 - std::string_view(word).size(), finding.check, finding.seen);
    if (!finding.advice.empty()) {
      console.Print("{:22}{}\n", "", finding.advice);
    }
  }
}

}  // namespace

Run AddDoctorCommand(Arguments* args) {
  struct Doctor {
    std::string store;
    std::string certificate;
    std::string key;
    std::string client_ca;
    CoprocessorOptions coprocessors;
    std::vector<std::string> ports;
    bool deep = false;
    OutputForm form = OutputForm::kText;
  };
  auto doctor = std::make_shared<Doctor>();
  args->Add("STORE", &doctor->store, "a directory, klip:DIRECTORY, or a cluster; default: check only this machine");
  args->AddFlag(
      "--deep", &doctor->deep,
      "read all files of the store, check all checksums and compare indexes with rows; no process may have it "
      "open");
  args->Add("--port", &doctor->ports, "a port that a server will use; repeatable (default: those of klip serve)")
      .Commas();
  args->Add("--tls-cert", &doctor->certificate, "PEM file of the server's certificate");
  args->Add("--tls-key", &doctor->key, "PEM file of its key");
  args->Add("--tls-client-ca", &doctor->client_ca, "PEM file of the authority that signs client certificates");
  args->Add("--coprocessor-class-path", &doctor->coprocessors.class_path,
            "jars of the JVM that runs Java coprocessors, as for klip serve");
  args->Add("--wasm-runtime", &doctor->coprocessors.wasm_runtime, "wasmtime's library, as for klip serve");
  args->AddForm(&doctor->form, "one JSON object per check", "one line per check");
  return [doctor](const Console& console) -> Expected<int> {
    Findings findings;
    CheckMachine(&findings);
    const std::string& store = doctor->store;
    if (store.starts_with("hbase+")) {
      CheckCluster(store, &findings);
    } else if (!store.empty()) {
      KLIP_ASSIGN_OR_RETURN(const coprocessor::HostOptions host, doctor->coprocessors.Read());
      const std::string directory = store.starts_with("klip:") ? store.substr(5) : store;
      if (!doctor->deep || CheckFiles(directory, &findings)) {  // a damaged one is left as it is
        CheckStore(directory, host, doctor->coprocessors.wasm_runtime, doctor->deep, &findings);
      }
    }
    for (const std::string& text : doctor->ports) {
      const int port = std::atoi(text.c_str());
      if (port < 1 || port > 65535) {
        return UsageError("'" + text + "' is not a port");
      }
      CheckPort(port, "its option", &findings);
    }
    if (doctor->ports.empty() && !store.starts_with("hbase+")) {
      CheckPort(kRpcPort, "--rpc-port", &findings);
      CheckPort(kZooKeeperPort, "--zk-port", &findings);
    }
    for (const std::string* path : {&doctor->certificate, &doctor->client_ca, &doctor->key}) {
      if (!path->empty()) {
        CheckTlsFile(*path, path == &doctor->key, &findings);
      }
    }
    Print(console, findings, doctor->form);
    const bool fails = std::any_of(findings.begin(), findings.end(),
                                   [](const Finding& finding) { return finding.health == Health::kFail; });
    return fails ? kExitError : kExitOk;
  };
}

}  // namespace klip::cli
