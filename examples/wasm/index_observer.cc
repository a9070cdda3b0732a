// Maintains an index: each put to the table also writes a row to another one, by default INDEX_TBL (setting `index`). Its
// key is the day of the visit, then the visit's row key. Both writes are one commit, so neither exists without the other.
//
//   clang++ --target=wasm32 -std=c++20 -O2 -ffreestanding -fno-exceptions -fno-rtti -nostdlib -Wl,--no-entry \
//     -I include examples/wasm/index_observer.cc -o /opt/index.wasm
//   klip shell store: alter 'visits', METHOD => 'table_att', 'coprocessor' => 'file:///opt/index.wasm|index|1001|index=INDEX_TBL'
#include <klip/wasm/coprocessor.h>

using klip::wasm::Bytes;
using klip::wasm::Join;
using klip::wasm::Kind;
using klip::wasm::Put;
using klip::wasm::Row;
using klip::wasm::Status;

KLIP_HOOK(preBatchMutate) {
  Bytes index;
  if (!event.Setting("index", &index)) {
    index = "INDEX_TBL";
  }
  for (const Row& row : event.rows()) {
    const Bytes day = row.Value("d", "day");
    if (row.kind() != Kind::kPut || day.empty()) {
      continue;
    }
    if (const Status status = event.Mutate(index, Put(Join(day, row.row())).Add("d", "", "")); !status.ok()) {
      return status;
    }
    event.Metric("index_rows", 1);
  }
  return {};
}
