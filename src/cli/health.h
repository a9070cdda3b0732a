// What `klip doctor` looks at: this machine, a store's directory, files of TLS, a cluster. Each check reports what it saw
// and, unless that is well, what to do.
#pragma once

#include <string>
#include <vector>

#include "coprocessor/host.h"
#include "klip/admin.h"

namespace klip::cli {

enum class Health { kOk, kWarn, kFail };

struct Finding {
  const char* check;  // "free space"
  Health health = Health::kOk;
  std::string seen;         // "12.3 GB of 50 GB"
  std::string advice = {};  // what to do; empty when all is well
};
using Findings = std::vector<Finding>;

// Open files, memory, huge pages, the clock.
void CheckMachine(Findings* findings);

// That the directory is there and may be used, how much room and how quick its disk is, what replication keeps, that
// the store opens, and what its coprocessors need. `deep`: also that indexes say what the rows do.
void CheckStore(const std::string& directory, const coprocessor::HostOptions& host, const std::string& wasm_runtime,
                bool deep, Findings* findings);

// That all files of the store are whole. It must not be open.
bool CheckFiles(const std::string& directory, Findings* findings);

// That there is a Java, a class path with the host, and the jars that the tables name; nothing, where no table has a
// Java coprocessor and no class path is given.
void CheckCoprocessors(const std::vector<TableDescriptor>& tables, const coprocessor::HostOptions& host,
                       Findings* findings);

// That wasmtime is there, and that each WebAssembly module that a table names can be used; nothing, where no table names one.
void CheckModules(const std::vector<TableDescriptor>& tables, const std::string& wasm_runtime, Findings* findings);

// A cluster's registry, its tables, and a get.
void CheckCluster(const std::string& uri, Findings* findings);

// That nobody listens on it on 127.0.0.1.
void CheckPort(int port, const std::string& option, Findings* findings);

// `is_key`: a private key, which others must not read; else a certificate, which must not end soon.
void CheckTlsFile(const std::string& path, bool is_key, Findings* findings);

}  // namespace klip::cli
