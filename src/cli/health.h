// The checks of `klip doctor`: this machine, a store's directory, TLS files, a cluster. Each check reports what it found
// and, unless that is fine, what to do.
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

// Checks that the directory exists and is usable, its free space, the speed of its disk, the logs kept for replication,
// that the store opens, and the requirements of its coprocessors. `deep`: also that indexes match the rows.
void CheckStore(const std::string& directory, const coprocessor::HostOptions& host, const std::string& wasm_runtime,
                bool deep, Findings* findings);

// Checks that all files of the store are intact. The store must not be open.
bool CheckFiles(const std::string& directory, Findings* findings);

// Checks Java, a class path with the host, and the jars that the tables name. Skipped if no table has a Java coprocessor
// and there is no class path.
void CheckCoprocessors(const std::vector<TableDescriptor>& tables, const coprocessor::HostOptions& host,
                       Findings* findings);

// Checks wasmtime, and that each WebAssembly module that a table names is usable. Skipped if no table names one.
void CheckModules(const std::vector<TableDescriptor>& tables, const std::string& wasm_runtime, Findings* findings);

// Checks a cluster's registry, its tables, and a get.
void CheckCluster(const std::string& uri, Findings* findings);

// Checks that no program listens on it on 127.0.0.1.
void CheckPort(int port, const std::string& option, Findings* findings);

// `is_key`: a private key, which others must not be able to read; otherwise a certificate, which must not expire soon.
void CheckTlsFile(const std::string& path, bool is_key, Findings* findings);

}  // namespace klip::cli
