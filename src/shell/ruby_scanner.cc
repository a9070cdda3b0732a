// Klip::Scanner and Klip::Cell.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shell/blocking.h"
#include "shell/objects.h"
#include "shell/ruby_value.h"

namespace klip::shell {
namespace {

VALUE scanner_class = Qnil;
VALUE cell_class = Qnil;

// Rows fetched at a time: enough to make changing threads cheap, few enough to show rows as they are found.
constexpr int64_t kMaxRows = 256;
constexpr auto kMaxWait = std::chrono::milliseconds(50);

Status CheckFree(const RubyScanner& scan) {
  if (scan.scanner == nullptr) {
    return {Code::kInvalidArgument, "the scan was interrupted"};
  }
  if (scan.busy) {
    return {Code::kInvalidArgument, "another thread is using the scanner"};
  }
  return {};
}

// Passes rows to `take`, which outlives the call, until it returns false, the time is over or there are no more.
template <typename Take>
Status FetchRows(VALUE self, Take take) {
  RubyScanner& scan = Wrapped<RubyScanner>::Of(self);
  KLIP_RETURN_IF_ERROR(CheckFree(scan));
  scan.busy = true;
  Status status = Blocking([scan, take]() -> Status {
    const auto until = std::chrono::steady_clock::now() + kMaxWait;
    while (true) {
      Result row;
      KLIP_ASSIGN_OR_RETURN(bool more, scan.scanner->Next(&row));
      if (!more || !take(&row) || std::chrono::steady_clock::now() >= until) {
        return Status();
      }
    }
  });
  scan.busy = false;
  if (status.code() == Code::kCancelled) {
    scan.scanner.reset();
  }
  return status;
}

// next_rows(max) -> [[row, cells, stale], ...], at most so many, fewer if they take long; nil at the end
Answer NextRows(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(int64_t max, ToInt(args[0], "max"));
  auto fetched = std::make_shared<std::vector<Result>>();
  KLIP_RETURN_IF_ERROR(FetchRows(self, [fetched, most = std::min(kMaxRows, max)](Result* row) {
    fetched->push_back(std::move(*row));
    return std::ssize(*fetched) < most;
  }));
  if (fetched->empty()) {
    return Qnil;
  }
  VALUE rows = rb_ary_new_capa(static_cast<long>(fetched->size()));
  for (const Result& row : *fetched) {
    rb_ary_push(rows, FromResult(row));
  }
  return rows;
}

// pass_rows(max) -> [number of skipped rows, the last one's key]; nil at the end
Answer PassRows(VALUE self, Arguments args) {
  struct Passed {
    int64_t rows = 0;
    std::string last;
  };
  KLIP_ASSIGN_OR_RETURN(int64_t max, ToInt(args[0], "max"));
  auto passed = std::make_shared<Passed>();
  KLIP_RETURN_IF_ERROR(FetchRows(self, [passed, max](Result* row) {
    ++passed->rows;
    passed->last = row->row();
    return passed->rows < max;
  }));
  return passed->rows == 0 ? Qnil : rb_ary_new_from_args(2, FromInt(passed->rows), FromBytes(passed->last));
}

// The work of the scan so far, as text.
Answer ExplainScanner(VALUE self, Arguments) {
  const RubyScanner& scan = Wrapped<RubyScanner>::Of(self);
  KLIP_RETURN_IF_ERROR(CheckFree(scan));
  return FromText(scan.scanner->explain().ToText());
}

// {rows_returned:, rows_read:, ...}
Answer Statistics(VALUE self, Arguments) {
  const RubyScanner& scan = Wrapped<RubyScanner>::Of(self);
  KLIP_RETURN_IF_ERROR(CheckFree(scan));
  const ScanStatistics statistics = scan.scanner->statistics();
  VALUE hash = rb_hash_new();
  const std::pair<const char*, int64_t> members[] = {{"rows_returned", statistics.rows_returned},
                                                     {"rows_read", statistics.rows_read},
                                                     {"cells_read", statistics.cells_read},
                                                     {"steps", statistics.steps},
                                                     {"seeks", statistics.seeks},
                                                     {"blocks_read", statistics.blocks_read},
                                                     {"elapsed_us", statistics.elapsed_us}};
  for (const auto& [name, value] : members) {
    rb_hash_aset(hash, Symbol(name), FromInt(value));
  }
  return hash;
}

}  // namespace

VALUE FromResult(const Result& result) {
  VALUE row = FromBytes(result.row());
  VALUE cells = rb_ary_new_capa(static_cast<long>(result.size()));
  for (const Cell& cell : result) {
    rb_ary_push(cells,
                rb_struct_new(cell_class, row, FromBytes(cell.family), FromBytes(cell.qualifier),
                              FromInt(cell.timestamp_ms), INT2FIX(static_cast<int>(cell.type)), FromBytes(cell.value)));
  }
  return rb_ary_new_from_args(3, row, cells, result.stale() ? Qtrue : Qfalse);
}

VALUE WrapScanner(RubyScanner scanner) { return Wrapped<RubyScanner>::Wrap(scanner_class, std::move(scanner)); }

void DefineScanner(VALUE module) {
  cell_class =
      rb_struct_define_under(module, "Cell", "row", "family", "qualifier", "timestamp", "type", "value", nullptr);
  rb_gc_register_mark_object(cell_class);
  scanner_class = rb_define_class_under(module, "Scanner", rb_cObject);
  rb_gc_register_mark_object(scanner_class);
  rb_undef_alloc_func(scanner_class);
  DefineMethod<NextRows, 1>(scanner_class, "next_rows");
  DefineMethod<PassRows, 1>(scanner_class, "pass_rows");
  DefineMethod<ExplainScanner, 0>(scanner_class, "explain");
  DefineMethod<Statistics, 0>(scanner_class, "statistics");
}

}  // namespace klip::shell
