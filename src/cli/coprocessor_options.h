// The options for coprocessors of klip serve and klip doctor.
#pragma once

#include <string>

#include "coprocessor/host.h"
#include "klip/status.h"

namespace klip::cli {

struct CoprocessorOptions {
  std::string class_path;
  std::string socket;
  std::string site;  // an hbase-site.xml
  std::string wasm_runtime;
  bool off = false;

  // Java is that of JAVA_HOME, else of PATH. Errors: kIoError, kInvalidArgument naming the file of settings.
  Expected<coprocessor::HostOptions> Read() const;
};

}  // namespace klip::cli
