// Scans: return many rows at a time.
#include <chrono>
#include <utility>

#include "capi/call.h"
#include "capi/json.h"
#include "capi/requests.h"

using klip::Status;

namespace {

// TUNING: a call of a language binding costs some microseconds; beyond this size, that is negligible per row.
constexpr size_t kMaxBytes = 1 << 20;
// The caller may be waiting for rows that are available.
constexpr std::chrono::milliseconds kMaxWait{20};

// Reads the clock after 1, 2, 4, 8, ... rows: it waits at most about twice as long, at nearly no cost.
class Patience {
 public:
  bool EndsAt(size_t rows) const {
    return (rows & (rows - 1)) == 0 && std::chrono::steady_clock::now() - begin_ >= kMaxWait;
  }

 private:
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

Status ReadRows(klip_scanner* scanner, klip::ResultScanner* inner, size_t max_rows) {
  klip_rows& rows = scanner->rows;
  rows.Clear();
  const Patience patience;
  while (rows.size() < max_rows && rows.bytes() < kMaxBytes && !scanner->at_end) {
    const klip::Expected<bool> more = inner->Next(&scanner->row);
    if (!more.ok()) {
      scanner->at_end = true;
      scanner->failure = more.status();
      break;
    }
    if (!*more) {
      scanner->at_end = true;
      break;
    }
    rows.Add(scanner->row);
    if (patience.EndsAt(rows.size())) {
      break;
    }
  }
  rows.Finish();
  return rows.size() == 0 ? scanner->failure : Status::Ok();
}

}  // namespace

extern "C" {

klip_code klip_table_scan(klip_table* table, const klip_scan* scan, klip_scanner** scanner, klip_error** error) {
  return klip::capi::CallChild(table, error, [&](klip::Table& inner) -> Status {
    if (scanner == nullptr) {
      return klip::capi::Missing("scanner");
    }
    KLIP_ASSIGN_OR_RETURN(const klip::Scan request, klip::capi::ToScan(scan, inner));
    KLIP_ASSIGN_OR_RETURN(klip::CancelToken token, klip::capi::ToToken(scan));
    auto made = std::make_unique<klip_scanner>(table->gate, table->transaction, std::move(token));
    const klip::CancelScope scope(made->token);
    KLIP_ASSIGN_OR_RETURN(made->inner, inner.Scan(request));
    table->gate->Enlist(made.get());
    *scanner = made.release();
    return Status::Ok();
  });
}

klip_code klip_scanner_next(klip_scanner* scanner, size_t max_rows, const klip_rows** rows, klip_error** error) {
  return klip::capi::CallAlone(scanner, error, [&](klip::ResultScanner& inner) -> Status {
    if (rows == nullptr) {
      return klip::capi::Missing("rows");
    }
    if (max_rows == 0) {
      return {klip::Code::kInvalidArgument, "max_rows is 0"};
    }
    KLIP_RETURN_IF_ERROR(scanner->token.status());
    KLIP_RETURN_IF_ERROR(ReadRows(scanner, &inner, max_rows));
    *rows = &scanner->rows;
    return Status::Ok();
  });
}

void klip_scanner_cancel(klip_scanner* scanner) {
  if (scanner != nullptr) {
    scanner->Cancel();
  }
}

klip_code klip_scanner_explain(klip_scanner* scanner, int text, char** out, klip_error** error) {
  return klip::capi::CallAlone(scanner, error, [&](klip::ResultScanner& inner) {
    const klip::Explain explain = inner.explain();
    return klip::capi::GiveText(text != 0 ? explain.ToText() : explain.ToJson(), out);
  });
}

void klip_scanner_free(klip_scanner* scanner) { klip::capi::FreeChild(scanner); }

}  // extern "C"
