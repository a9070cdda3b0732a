// The observer of src/session/Twin.java as a module.
#include <klip/wasm/coprocessor.h>

using klip::wasm::Bytes;
using klip::wasm::Cell;
using klip::wasm::Decimal;
using klip::wasm::Join;
using klip::wasm::Put;
using klip::wasm::Row;
using klip::wasm::ScanRequest;
using klip::wasm::Span;
using klip::wasm::Status;
using klip::wasm::Stored;

static char Last(Bytes row) { return row[row.size() - 1]; }

KLIP_HOOK(prePut) {
  const Row put = event.rows()[0];
  const Cell& cell = *put.Find("f", "q");
  if (cell.value == "no") {
    return "no";
  }
  if (cell.value == "skip") {
    return event.Bypass(0);
  }
  klip::wasm::Mutation seen = Put(put.row());
  for (const Cell& one : put.cells()) {
    seen.Add(one);
  }
  return event.Replace(0, seen.Add("f", "seen", Join("by ", cell.value), cell.timestamp_ms));
}

KLIP_HOOK(preDelete) { return Last(event.rows()[0].row()) == '0' ? event.Bypass(0) : Status(); }

KLIP_HOOK(preIncrement) { return Last(event.rows()[0].row()) == '1' ? Status("no") : Status(); }

KLIP_HOOK(preCheckAndMutate) {
  const char last = Last(event.rows()[0].row());
  if (last == '2' || last == '3') {
    event.AnswerCondition(last == '2');
  }
  return {};
}

KLIP_HOOK(preCheckAndMutateAfterRowLock) {
  if (Last(event.rows()[0].row()) == '4') {
    event.AnswerCondition(false);
  }
  return {};
}

KLIP_HOOK(postCheckAndMutate) {
  if (Last(event.rows()[0].row()) == '5') {
    event.AnswerCondition(!event.condition().held);
  }
  return {};
}

KLIP_HOOK(preScannerOpen) {
  ScanRequest scan = event.scan();
  if (scan.limit_rows == 0 && scan.start_row == "narrow") {
    scan.start_row = "r05";
    scan.include_start = false;
    scan.stop_row = "r19";
    scan.include_stop = true;
    event.SetScan(scan);
  }
  return {};
}

KLIP_HOOK(postScannerNext) {
  const Span<Row> rows = event.rows();
  for (uint32_t i = 0; i < rows.size(); ++i) {
    const char last = Last(rows[i].row());
    Status status;
    if (last == '7') {
      status = event.Bypass(i);
    } else if (last == '8') {
      status =
          event.Replace(i, Stored(rows[i].row()).Add("f", "n", Join("cells ", Decimal(rows[i].cells().size())), 1));
    }
    if (!status.ok()) {
      return status;
    }
  }
  return {};
}
