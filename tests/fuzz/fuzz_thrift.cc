#include <memory>
#include <string>

#include <thrift/TProcessor.h>
#include <thrift/protocol/TProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include "fuzz/targets.h"
#include "thrift/dialect.h"
#include "thrift/protocol.h"
#include "thrift1/Hbase.h"
#include "thrift2/THBaseService.h"

namespace klip::fuzz {
namespace {

// The calls in the bytes, answered by handlers that do nothing. What cannot be read ends them with an exception of Thrift's.
void Answer(apache::thrift::TProcessor* processor, const thrift::Dialect& dialect, const std::string& bytes) {
  using apache::thrift::transport::TMemoryBuffer;
  const auto source =
      std::make_shared<TMemoryBuffer>(reinterpret_cast<uint8_t*>(const_cast<char*>(bytes.data())),
                                      static_cast<uint32_t>(bytes.size()), TMemoryBuffer::COPY, thrift::Limits());
  const auto protocol = thrift::MakeProtocol(dialect, source, thrift::Limits());
  const auto answers = thrift::MakeProtocol(dialect, std::make_shared<TMemoryBuffer>(), thrift::Limits());
  try {  // tidy-allow: exceptions are how Thrift ends a connection
    while (protocol->getTransport()->peek() && processor->process(protocol, answers, nullptr)) {
    }
  } catch (const apache::thrift::TException&) {
  }
}

}  // namespace

void FuzzThrift(std::string_view bytes) {
  if (bytes.empty()) {  // of which Thrift's own buffer cannot be made
    return;
  }
  static thrift1::HbaseProcessor thrift1(std::make_shared<thrift1::HbaseNull>());
  static thrift2::THBaseServiceProcessor thrift2(std::make_shared<thrift2::THBaseServiceNull>());
  const auto guess = thrift::GuessDialect(bytes.substr(0, thrift::kBytesToGuess));
  const auto* dialect = std::get_if<thrift::Dialect>(&guess);
  // A beginning that fits no dialect is read in the dialect that accepts most beginnings.
  const thrift::Dialect read_as = dialect != nullptr ? *dialect : thrift::Dialect{.framed = false, .compact = true};
  Answer(&thrift1, read_as, std::string(bytes));
  Answer(&thrift2, read_as, std::string(bytes));
}

}  // namespace klip::fuzz
