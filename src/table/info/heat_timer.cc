#include "table/info/heat_timer.h"

#include <chrono>

#include "table/info/table_heat.h"

namespace klip::table {
namespace {

int64_t SteadyNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

HeatCell CellOf(int64_t weight, size_t bytes, int64_t start_ns) {
  const auto times = static_cast<double>(weight);
  HeatCell cell = {.bytes = times * static_cast<double>(bytes)};
  if (start_ns != 0) {
    constexpr double kNsPerUs = 1000;
    cell.latency_us = times * static_cast<double>(SteadyNs() - start_ns) / kNsPerUs;
    cell.timed = times;
  }
  return cell;
}

size_t BytesOf(const Result& result) {
  size_t bytes = 0;
  for (const Cell& cell : result) {
    bytes += cell.row.size() + cell.family.size() + cell.qualifier.size() + cell.value.size();
  }
  return bytes;
}

}  // namespace

void HeatTimer::Start() { start_ns_ = SteadyNs(); }

void HeatTimer::RecordGot(const TableInfo& table, std::string_view row, const Result& result, int64_t weight) const {
  HeatCell cell = CellOf(weight, BytesOf(result), start_ns_);
  cell.reads = static_cast<double>(weight);
  table.heat->Record(row, cell);
}

void HeatTimer::RecordWrote(const TableInfo& table, std::string_view row, size_t bytes, int64_t weight) const {
  HeatCell cell = CellOf(weight, bytes, start_ns_);
  cell.writes = static_cast<double>(weight);
  table.heat->Record(row, cell);
}

void HeatOfScan::Record(const Result& result, int64_t weight) const { Record(result.row(), BytesOf(result), weight); }

void HeatOfScan::Record(std::string_view row, size_t bytes, int64_t weight) const {
  HeatCell cell = CellOf(weight, bytes, 0);
  cell.reads = static_cast<double>(weight);
  table_.heat->Record(row, cell);
}

}  // namespace klip::table
