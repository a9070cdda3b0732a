// Coprocessors in WebAssembly, written in C++: an observer or endpoint that klip runs in a sandbox (docs/coprocessors.md).
//
//   #include <klip/wasm/coprocessor.h>
//
//   KLIP_HOOK(postPut) {                                     // keeps INDEX_TBL: day, then the visit's row
//     const klip::wasm::Row put = event.rows()[0];
//     klip::wasm::Mutation index = klip::wasm::Put(klip::wasm::Join(put.Value("d", "day"), put.row()));
//     return event.Mutate("INDEX_TBL", index.Add("d", "", ""));
//   }
//
//   clang++ --target=wasm32 -std=c++20 -O2 -ffreestanding -fno-exceptions -fno-rtti -nostdlib
//       -Wl,--no-entry -I /usr/local/include index.cc -o index.wasm
//
// It needs no library, not even the standard one or a C library. Memory comes from an arena that is reset when the next hook is called;
// nothing is freed. Bytes from an event are valid until the hook returns. If a hook fails (its Status is not ok), the operation fails. A
// trap (__builtin_trap, a null pointer, no memory left) also fails the operation, and discards the module's memory.
#pragma once

#ifndef __wasm__
#error "klip/wasm/coprocessor.h is for modules: compile with --target=wasm32"
#endif

#include <stddef.h>
#include <stdint.h>

// Functions that compilers call implicitly.
extern "C" {
__attribute__((weak, used, no_builtin)) inline void* memcpy(void* to, const void* from, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    static_cast<char*>(to)[i] = static_cast<const char*>(from)[i];
  }
  return to;
}
__attribute__((weak, used, no_builtin)) inline void* memset(void* to, int byte, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    static_cast<char*>(to)[i] = static_cast<char>(byte);
  }
  return to;
}
__attribute__((weak, used, no_builtin)) inline int memcmp(const void* left, const void* right, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    const int difference = static_cast<const unsigned char*>(left)[i] - static_cast<const unsigned char*>(right)[i];
    if (difference != 0) {
      return difference;
    }
  }
  return 0;
}
__attribute__((weak, used, no_builtin)) inline size_t strlen(const char* text) {
  size_t size = 0;
  while (text[size] != 0) {
    ++size;
  }
  return size;
}
}

namespace klip::wasm {

// --- klip's imports; the functions below are easier to use ---

namespace host {
#define KLIP_IMPORT(name) __attribute__((import_module("klip"), import_name(#name)))
KLIP_IMPORT(get) int32_t Get(const char* table, size_t table_size, const char* row, size_t row_size);
KLIP_IMPORT(scan)
int32_t Scan(const char* table, size_t table_size, const char* start, size_t start_size, const char* stop,
             size_t stop_size, uint32_t limit);
KLIP_IMPORT(mutate) int32_t Mutate(const char* table, size_t table_size, const char* row, size_t row_size);
KLIP_IMPORT(replace) int32_t Replace(uint32_t index, const char* row, size_t row_size);
KLIP_IMPORT(bypass) int32_t Bypass(uint32_t index);
KLIP_IMPORT(answer) void Answer(const char* bytes, size_t size);
KLIP_IMPORT(fail) void Fail(const char* text, size_t size);
KLIP_IMPORT(setting) int32_t Setting(const char* key, size_t size);
KLIP_IMPORT(size) size_t Size();
KLIP_IMPORT(take) void Take(char* to);
KLIP_IMPORT(log) void Log(const char* text, size_t size);
KLIP_IMPORT(metric) void Metric(const char* name, size_t size, int64_t add);
KLIP_IMPORT(now) int64_t Now();
#undef KLIP_IMPORT
}  // namespace host

// --- Memory ---

extern "C" char __heap_base;  // where the linker's data ends

inline char* arena_next = nullptr;

inline char* Allocate(size_t size) {
  constexpr size_t kPage = 65536;
  char* const at = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(arena_next) + 7) / 8 * 8);
  const size_t have = __builtin_wasm_memory_size(0) * kPage - reinterpret_cast<uintptr_t>(at);
  if (size > have && __builtin_wasm_memory_grow(0, (size - have + kPage - 1) / kPage) == SIZE_MAX) {
    __builtin_trap();  // the memory limit is reached
  }
  arena_next = at + size;
  return at;
}

inline void Copy(char* to, const char* from, size_t size) { __builtin_memcpy(to, from, size); }

// --- Bytes ---

// A view of bytes that something else owns.
class Bytes {
 public:
  constexpr Bytes() = default;
  constexpr Bytes(const char* data, size_t size) : data_(data), size_(size) {}
  constexpr Bytes(const char* text) : data_(text), size_(__builtin_strlen(text)) {}  // NOLINT: reads as intended

  constexpr const char* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr char operator[](size_t index) const { return data_[index]; }
  constexpr Bytes Part(size_t from, size_t size = SIZE_MAX) const {
    from = from < size_ ? from : size_;
    return {data_ + from, size < size_ - from ? size : size_ - from};
  }
  constexpr bool operator==(const Bytes& other) const {
    return size_ == other.size_ && (size_ == 0 || __builtin_memcmp(data_, other.data_, size_) == 0);
  }

 private:
  const char* data_ = "";
  size_t size_ = 0;
};

// The concatenation of the parts, in memory of the arena.
template <typename... Parts>
Bytes Join(const Parts&... parts) {
  const size_t size = (Bytes(parts).size() + ... + 0);
  char* const joined = Allocate(size);
  char* to = joined;
  ((Copy(to, Bytes(parts).data(), Bytes(parts).size()), to += Bytes(parts).size()), ...);
  return {joined, size};
}

inline Bytes Decimal(int64_t number) {
  constexpr size_t kMost = 20;
  char* const text = Allocate(kMost);
  uint64_t rest = number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
  size_t at = kMost;
  do {
    text[--at] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  if (number < 0) {
    text[--at] = '-';
  }
  return {text + at, kMost - at};
}

// --- Results of calls ---

// Ok, or the reason of a failure.
class Status {
 public:
  Status() = default;
  Status(Bytes why) : failed_(true), why_(why) {}  // NOLINT: `return "no day";` reads as intended
  Status(const char* why) : Status(Bytes(why)) {}  // NOLINT

  bool ok() const { return !failed_; }
  Bytes why() const { return why_; }

 private:
  bool failed_ = false;
  Bytes why_;
};

// The pending value of klip: a result, or the text of an error.
inline Bytes TakeAnswer() {
  const size_t size = host::Size();
  char* const bytes = Allocate(size);
  host::Take(bytes);
  return {bytes, size};
}

inline Status Outcome(int32_t code) { return code == 0 ? Status() : Status(TakeAnswer()); }

// --- Cells and rows ---

// HBase's types of cells.
inline constexpr uint8_t kPutCell = 4;
inline constexpr uint8_t kDeleteCell = 8;
inline constexpr uint8_t kDeleteFamilyVersionCell = 10;
inline constexpr uint8_t kDeleteColumnCell = 12;
inline constexpr uint8_t kDeleteFamilyCell = 14;
inline constexpr int64_t kLatest = INT64_MAX;  // the time of the commit

struct Cell {
  uint8_t type = kPutCell;
  Bytes family;
  Bytes qualifier;
  int64_t timestamp_ms = kLatest;
  Bytes value;
  Bytes tags;
};

enum class Kind : uint8_t { kPut, kDelete, kIncrement, kAppend, kStored };

class Reader {
 public:
  Reader(const char* at) : at_(at) {}  // NOLINT: klip writes complete data

  uint8_t U8() { return static_cast<uint8_t>(*at_++); }
  uint32_t U32() { return Number<uint32_t>(); }
  int64_t I64() { return Number<int64_t>(); }
  klip::wasm::Bytes Bytes() {
    const uint32_t size = U32();
    at_ += size;
    return {at_ - size, size};
  }

 private:
  template <typename T>
  T Number() {
    T number;
    __builtin_memcpy(&number, at_, sizeof(number));
    at_ += sizeof(number);
    return number;
  }

  const char* at_;
};

// A list in the arena.
template <typename T>
class Span {
 public:
  Span() = default;
  Span(T* data, size_t size) : data_(data), size_(size) {}
  size_t size() const { return size_; }
  T& operator[](size_t index) const { return data_[index]; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

// A mutation, or a stored row.
class Row {
 public:
  Row() = default;
  explicit Row(Reader* in) : kind_(static_cast<Kind>(in->U8())), row_(in->Bytes()) {
    const uint32_t count = in->U32();
    cells_ = {reinterpret_cast<Cell*>(Allocate(count * sizeof(Cell))), count};
    for (Cell& cell : cells_) {
      cell.type = in->U8();
      cell.family = in->Bytes();
      cell.qualifier = in->Bytes();
      cell.timestamp_ms = in->I64();
      cell.value = in->Bytes();
      cell.tags = in->Bytes();
    }
  }

  Kind kind() const { return kind_; }
  Bytes row() const { return row_; }
  Span<Cell> cells() const { return cells_; }
  // Null: no such cell.
  const Cell* Find(Bytes family, Bytes qualifier) const {
    for (const Cell& cell : cells_) {
      if (cell.family == family && cell.qualifier == qualifier) {
        return &cell;
      }
    }
    return nullptr;
  }
  // Empty if the row has no such cell.
  Bytes Value(Bytes family, Bytes qualifier) const {
    const Cell* const cell = Find(family, qualifier);
    return cell == nullptr ? Bytes() : cell->value;
  }

 private:
  Kind kind_ = Kind::kStored;
  Bytes row_;
  Span<Cell> cells_;
};

// Bytes that the module writes, in the arena.
class Writer {
 public:
  Writer& U8(uint8_t number) { return Append(&number, sizeof(number)); }
  Writer& U32(uint32_t number) { return Append(&number, sizeof(number)); }
  Writer& I64(int64_t number) { return Append(&number, sizeof(number)); }
  Writer& Bytes(klip::wasm::Bytes bytes) { return U32(bytes.size()).Append(bytes.data(), bytes.size()); }
  // In place of what was written at `at`.
  void SetU32(size_t at, uint32_t number) { __builtin_memcpy(data_ + at, &number, sizeof(number)); }
  klip::wasm::Bytes bytes() const { return {data_, size_}; }

 private:
  Writer& Append(const void* from, size_t size) {
    if (size_ + size > capacity_) {
      capacity_ = (size_ + size) * 2 + 64;
      char* const larger = Allocate(capacity_);
      Copy(larger, data_, size_);
      data_ = larger;
    }
    __builtin_memcpy(data_ + size_, from, size);
    size_ += size;
    return *this;
  }

  char* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

// A row that the module creates.
class Mutation {
 public:
  Mutation(Kind kind, Bytes row) {
    out_.U8(static_cast<uint8_t>(kind)).Bytes(row);
    count_at_ = out_.bytes().size();
    out_.U32(0);
  }

  Mutation& Add(Bytes family, Bytes qualifier, Bytes value, int64_t timestamp_ms = kLatest) {
    return Add({kPutCell, family, qualifier, timestamp_ms, value, {}});
  }
  Mutation& Add(const Cell& cell) {
    out_.U8(cell.type).Bytes(cell.family).Bytes(cell.qualifier).I64(cell.timestamp_ms);
    out_.Bytes(cell.value).Bytes(cell.tags).SetU32(count_at_, ++count_);
    return *this;
  }
  Bytes bytes() const { return out_.bytes(); }

 private:
  Writer out_;
  size_t count_at_ = 0;
  uint32_t count_ = 0;
};

inline Mutation Put(Bytes row) { return {Kind::kPut, row}; }
inline Mutation Delete(Bytes row) { return {Kind::kDelete, row}; }  // add cells of the types of deletes
inline Mutation Append(Bytes row) { return {Kind::kAppend, row}; }
inline Mutation Stored(Bytes row) { return {Kind::kStored, row}; }
// Adds `amount` to a column.
inline Mutation Increment(Bytes row, Bytes family, Bytes qualifier, int64_t amount) {
  char* const bytes = Allocate(sizeof(amount));
  const uint64_t swapped = __builtin_bswap64(static_cast<uint64_t>(amount));
  __builtin_memcpy(bytes, &swapped, sizeof(swapped));
  Mutation increment(Kind::kIncrement, row);
  increment.Add(family, qualifier, Bytes(bytes, sizeof(amount)));
  return increment;
}

// The request of a scan, as far as a module may change it.
struct ScanRequest {
  struct Column {
    Bytes family;
    bool whole_family = true;
    Bytes qualifier;  // unless whole_family
  };

  ScanRequest() = default;
  explicit ScanRequest(Reader* in) {
    start_row = in->Bytes();
    include_start = in->U8() != 0;
    stop_row = in->Bytes();
    include_stop = in->U8() != 0;
    reversed = in->U8() != 0;
    max_versions = in->U32();
    limit_rows = in->I64();
    min_ms = in->I64();
    max_ms = in->I64();
    const uint32_t count = in->U32();
    columns = {reinterpret_cast<Column*>(Allocate(count * sizeof(Column))), count};
    for (Column& column : columns) {
      column.family = in->Bytes();
      column.whole_family = in->U8() != 0;
      column.qualifier = in->Bytes();
    }
  }

  void Write(Writer* out) const {
    out->Bytes(start_row).U8(include_start ? 1 : 0).Bytes(stop_row).U8(include_stop ? 1 : 0).U8(reversed ? 1 : 0);
    out->U32(max_versions).I64(limit_rows).I64(min_ms).I64(max_ms).U32(columns.size());
    for (const Column& column : columns) {
      out->Bytes(column.family).U8(column.whole_family ? 1 : 0).Bytes(column.qualifier);
    }
  }

  Bytes start_row;  // empty: the first row (reversed: the last)
  bool include_start = true;
  Bytes stop_row;  // empty: to the end
  bool include_stop = false;
  bool reversed = false;
  uint32_t max_versions = 1;
  int64_t limit_rows = 0;  // 0: no limit
  int64_t min_ms = 0;
  int64_t max_ms = kLatest;  // exclusive
  Span<Column> columns;      // none: all
};

// The condition of a CheckAndMutate.
struct Condition {
  enum class Kind : uint8_t { kValue, kComparator, kFilter };  // kFilter: the fields below, except `held`, are not set
  enum class Op : uint8_t { kLess, kLessOrEqual, kEqual, kNotEqual, kGreaterOrEqual, kGreater, kNoOp };

  explicit Condition(Reader* in)
      : kind(static_cast<Kind>(in->U8())),
        family(in->Bytes()),
        qualifier(in->Bytes()),
        op(static_cast<Op>(in->U8())),
        value(in->Bytes()),
        min_ms(in->I64()),
        max_ms(in->I64()),
        held(in->U8() != 0) {}

  Kind kind;
  Bytes family;
  Bytes qualifier;
  Op op;
  Bytes value;  // of kValue
  int64_t min_ms;
  int64_t max_ms;
  bool held;  // postCheckAndMutate: the mutations are written
};

// --- The context of a hook, and its calls ---

class Event {
 public:
  explicit Event(const char* argument) : in_(argument) {
    table_ = in_.Bytes();
    user_ = in_.Bytes();
    locked_ = in_.U8() != 0;
  }

  Bytes table() const { return table_; }
  Bytes user() const { return user_; }     // empty: unknown
  bool locked() const { return locked_; }  // then only preBatchMutate and postBatchMutate can read, with Get

  // prePut and similar: the mutation. postIncrementBeforeWAL, postAppendBeforeWAL: it, the cells that it replaces, and the new cells.
  // postIncrement, postAppend: it and the result, if the caller requested one. Batches, conditions: all mutations. Bulk loads: the first
  // key of the region, with a cell for each file: its family, and its path as the value. preGetOp: the row without cells; postGetOp: with
  // the cells that were read. postScannerNext: the next rows of a scan, up to 1,024; in a scan that returns rows in pieces, a piece each.
  Span<Row> rows() {
    if (!read_) {
      read_ = true;
      const uint32_t count = in_.U32();
      rows_ = {reinterpret_cast<Row*>(Allocate(count * sizeof(Row))), count};
      for (Row& row : rows_) {
        row = Row(&in_);
      }
    }
    return rows_;
  }

  // preCheckAndMutate and similar: the condition of the mutations.
  klip::wasm::Condition condition() {
    rows();
    Reader in = in_;
    return klip::wasm::Condition(&in);
  }
  // Before the write: answers in place of the condition, and nothing is written. postCheckAndMutate: changes the caller's answer.
  void AnswerCondition(bool held) const {
    const char answer = held ? 1 : 0;
    host::Answer(&answer, sizeof(answer));
  }
  // preScannerOpen: the scan's request.
  ScanRequest scan() {
    rows();
    Reader in = in_;
    return ScanRequest(&in);
  }
  // preScannerOpen: scans this instead.
  void SetScan(const ScanRequest& scan) const {
    Writer out;
    scan.Write(&out);
    host::Answer(out.bytes().data(), out.bytes().size());
  }

  // A row of any table, with its newest cells.
  Status Get(Bytes table, Bytes row, Row* result) const {
    const Status status = Outcome(host::Get(table.data(), table.size(), row.data(), row.size()));
    if (status.ok()) {
      Reader in(TakeAnswer().data());
      *result = Row(&in);
    }
    return status;
  }
  // Rows from `start` to before `stop` (empty: to the end), at most `limit` (0: all), and at most about 1 MB. *more: more rows may exist;
  // continue after the last one.
  Status Scan(Bytes table, Bytes start, Bytes stop, uint32_t limit, Span<Row>* rows, bool* more) const {
    const Status status =
        Outcome(host::Scan(table.data(), table.size(), start.data(), start.size(), stop.data(), stop.size(), limit));
    if (status.ok()) {
      Reader in(TakeAnswer().data());
      *more = in.U8() != 0;
      const uint32_t count = in.U32();
      *rows = {reinterpret_cast<Row*>(Allocate(count * sizeof(Row))), count};
      for (Row& row : *rows) {
        row = Row(&in);
      }
    }
    return status;
  }
  // preBatchMutate: adds a change to the commit. Other hooks: writes at once, if no rows are locked.
  Status Mutate(Bytes table, const Mutation& mutation) const {
    const Bytes bytes = mutation.bytes();
    return Outcome(host::Mutate(table.data(), table.size(), bytes.data(), bytes.size()));
  }
  // Before the write: replaces the cells of a mutation, keeping its row and kind; or skips the mutation. postScannerNext: replaces the
  // cells of a row, or leaves it out.
  Status Replace(uint32_t index, const Mutation& mutation) const {
    const Bytes bytes = mutation.bytes();
    return Outcome(host::Replace(index, bytes.data(), bytes.size()));
  }
  Status Bypass(uint32_t index) const { return Outcome(host::Bypass(index)); }
  // For preGetOp the result instead of a read; for postGetOp, postIncrement and postAppend the new result; for postIncrementBeforeWAL and
  // postAppendBeforeWAL the cells to store: a row from Stored.
  void Answer(const Mutation& stored) const { host::Answer(stored.bytes().data(), stored.bytes().size()); }
  // KEY=VALUE of the table's attribute. False: no such key.
  bool Setting(Bytes key, Bytes* value) const {
    const bool found = host::Setting(key.data(), key.size()) == 0;
    *value = found ? TakeAnswer() : Bytes();
    return found;
  }
  void Log(Bytes text) const { host::Log(text.data(), text.size()); }
  void Metric(Bytes name, int64_t add) const { host::Metric(name.data(), name.size(), add); }
  int64_t NowMs() const { return host::Now(); }

 protected:
  Reader in_;

 private:
  Bytes table_;
  Bytes user_;
  bool locked_ = false;
  bool read_ = false;
  Span<Row> rows_;
};

// A call of an endpoint for one region.
class EndpointCall : public Event {
 public:
  explicit EndpointCall(const char* argument) : Event(argument) {
    start_key_ = in_.Bytes();
    end_key_ = in_.Bytes();
    method_ = in_.Bytes();
    request_ = in_.Bytes();
  }

  Bytes start_key() const { return start_key_; }  // empty: from the first row
  Bytes end_key() const { return end_key_; }      // not in the region; empty: to the end
  Bytes method() const { return method_; }
  Bytes request() const { return request_; }
  void Answer(Bytes bytes) const { host::Answer(bytes.data(), bytes.size()); }

 private:
  Bytes start_key_;
  Bytes end_key_;
  Bytes method_;
  Bytes request_;
};

inline int32_t Finish(const Status& status) {
  if (!status.ok()) {
    host::Fail(status.why().data(), status.why().size());
  }
  return status.ok() ? 0 : 1;
}

}  // namespace klip::wasm

// --- The exports that klip needs ---

// The module implements version 1 of the interface.
extern "C" __attribute__((export_name("klip_abi_1"), used)) inline void klip_abi_1() {}
// Memory for the argument of the next call: the arena is reset.
extern "C" __attribute__((export_name("klip_alloc"), used)) inline char* klip_alloc(size_t size) {
  klip::wasm::arena_next = &klip::wasm::__heap_base;
  return klip::wasm::Allocate(size);
}

// KLIP_HOOK(prePut) { ... }: one of prePut, preDelete, preIncrement, preAppend, preBatchMutate, postIncrementBeforeWAL,
// postAppendBeforeWAL, postBatchMutate, postPut, postDelete, postIncrement, postAppend, preGetOp, postGetOp, preScannerOpen,
// postScannerNext, postScannerClose, preCheckAndMutate, preCheckAndMutateAfterRowLock, postCheckAndMutate, preBulkLoadHFile,
// postBulkLoadHFile. `event` is the Event; returns a Status.
#define KLIP_HOOK(hook)                                                                                     \
  static klip::wasm::Status klip_hook_##hook(klip::wasm::Event& event);                                     \
  extern "C" __attribute__((export_name(#hook))) int32_t klip_export_##hook(const char* argument, size_t) { \
    klip::wasm::Event event(argument);                                                                      \
    return klip::wasm::Finish(klip_hook_##hook(event));                                                     \
  }                                                                                                         \
  static klip::wasm::Status klip_hook_##hook(klip::wasm::Event& event)

// KLIP_ENDPOINT { ... }: the module's endpoint. `call` is the EndpointCall; returns a Status.
#define KLIP_ENDPOINT                                                                                      \
  static klip::wasm::Status klip_endpoint(klip::wasm::EndpointCall& call);                                 \
  extern "C" __attribute__((export_name("call"))) int32_t klip_export_call(const char* argument, size_t) { \
    klip::wasm::EndpointCall call(argument);                                                               \
    return klip::wasm::Finish(klip_endpoint(call));                                                        \
  }                                                                                                        \
  static klip::wasm::Status klip_endpoint(klip::wasm::EndpointCall& call)
