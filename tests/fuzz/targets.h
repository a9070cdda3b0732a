// The fuzz targets. Each accepts any bytes. It must not crash, and aborts if a property that it checks does not hold.
// `fuzz` preset: one libFuzzer program per target. fuzz_test.cc runs all of them in the ordinary test run.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace klip::fuzz {

inline void Check(bool holds) {
  if (!holds) {
    abort();
  }
}

// "schema text" NUL "query text" NUL "row key".
void FuzzSchema(std::string_view bytes);
// A stored cell key, a stored value and stored key statistics, each of the whole input.
void FuzzStored(std::string_view bytes);
// A filter and rows built from the bytes: the cursor over its row set must agree with testing every row.
void FuzzRowSet(std::string_view bytes);
// A text of the filter language; and "class name" NUL message.
void FuzzFilter(std::string_view bytes);
// What a client may send: an opening, a connection header, a request frame, a cell block, a compressed one. And a server's answer.
void FuzzRpc(std::string_view bytes);
// What a client of the Thrift gateway may send: calls in any dialect.
void FuzzThrift(std::string_view bytes);
// What a client of the REST gateway may ask for, a few requests in a row: verb, kinds of body, its length by 4 | target NUL | body.
// An empty target is where the last answer's Location led.
void FuzzRest(std::string_view bytes);

// A file of the engine's log, as it is and with its checksums mended; and a record of one.
void FuzzLog(std::string_view bytes);

// A data block and an index of RocksDB's tables; and changes of a table, whose checksums are mended.
void FuzzBlocks(std::string_view bytes);

// Calls of a running server's services, with messages of the right types made of the bytes: each must be answered once.
void FuzzCalls(std::string_view bytes);
// What a client sends to one of a running server's ports, in pieces of a size: port | size - 1 | bytes. The connection ends once it is
// answered.
void FuzzPorts(std::string_view bytes);
// An HFile; and a block of cells behind a byte of flags.
void FuzzHFile(std::string_view bytes);

// A statement of SQL, an expression, a script.
void FuzzSql(std::string_view bytes);

struct Target {
  const char* name;
  void (*run)(std::string_view);
  int test_inputs = 30000;  // in the ordinary test run
};
inline constexpr Target kTargets[] = {{"schema", FuzzSchema},   {"stored", FuzzStored},     {"row_set", FuzzRowSet},
                                      {"filter", FuzzFilter},   {"rpc", FuzzRpc},           {"hfile", FuzzHFile},
                                      {"log", FuzzLog},         {"thrift", FuzzThrift},     {"calls", FuzzCalls, 1000},
                                      {"rest", FuzzRest, 1000}, {"ports", FuzzPorts, 2000}, {"sql", FuzzSql},
                                      {"blocks", FuzzBlocks}};

}  // namespace klip::fuzz
