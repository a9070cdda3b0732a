#include "table/read/brief_run.h"

#include <chrono>
#include <memory>
#include <utility>

namespace klip::table {
namespace {

constexpr std::chrono::milliseconds kMostTime{
    50};  // if blocks are not in the cache: more than a busy machine lets it wait

}  // namespace

int64_t WorkOf(const ScanStatistics& read) {
  constexpr int64_t kStepsOfSeek = 8;
  return read.steps + kStepsOfSeek * read.seeks;
}

rowkey::BriefRun RunBriefly(const RowSource& source, const TableInfo& keys, engine::RowScanSpec spec,
                            int64_t most_steps) {
  engine::RowScanner* running = nullptr;
  const auto end = std::chrono::steady_clock::now() + kMostTime;
  std::string stopped_at;
  spec.watch = [&running, &stopped_at, end, most_steps](std::string_view row) {
    const bool enough = WorkOf(running->statistics()) >= most_steps || std::chrono::steady_clock::now() > end;
    if (enough) {
      stopped_at = row;
    }
    return enough ? engine::ScanAdvice::kEnd : engine::ScanAdvice::kGoOn;
  };
  const auto limit = static_cast<double>(spec.scan.limit_rows);
  const Expected<std::unique_ptr<engine::RowScanner>> scanner = source.Open(keys, std::move(spec));
  if (!scanner.ok()) {
    return {};
  }
  running = scanner->get();
  const Expected<int64_t> count = running->CountRows();
  const ScanStatistics& read = running->statistics();
  rowkey::BriefRun run = {.rows = static_cast<double>(read.rows_returned),
                          .rows_read = static_cast<double>(read.rows_read),
                          .seeks = static_cast<double>(read.seeks),
                          .limit = limit,
                          .stopped_at = std::move(stopped_at)};
  run.ended = count.ok() && !run.reached_limit();
  return run;
}

}  // namespace klip::table
