// AggregateService: minimum, maximum, sum, count, average, deviation and median over the rows of one region. The client
// combines the regions' answers.
#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "klip/bytes.h"
#include "klip/filter.h"
#include "messages/decode.h"
#include "proto/Aggregate.pb.h"
#include "server/region/aggregate_numbers.h"
#include "server/region/endpoints.h"

namespace klip::server {
namespace {

using hbase::pb::AggregateRequest;
using hbase::pb::AggregateResponse;

// The scan of the region, and which of its columns count.
class RegionRows {
 public:
  // `call` outlives the rows: when nobody waits for it any more, they end.
  explicit RegionRows(const Call* call) : call_(call) {}

  rpc::Error Open(const ScanRegion& scan_region, const hbase::pb::Scan& message, bool count_only) {
    Expected<klip::Scan> scan = messages::ToScan(message);
    if (!scan.ok()) {
      return scan.status();
    }
    columns_ = scan->columns;
    if (count_only && scan->filter == nullptr && (columns_.empty() || !columns_.front().qualifier.has_value())) {
      scan->filter = FirstKeyOnlyFilter();
    }
    Expected<std::unique_ptr<ResultScanner>> rows = scan_region(&*scan);
    if (!rows.ok()) {
      return rows.status();
    }
    rows_ = *std::move(rows);
    return {};
  }

  Expected<bool> Next(Result* row) {
    if (rows_ == nullptr) {
      return false;
    }
    KLIP_RETURN_IF_ERROR(CheckWanted(*call_));
    return rows_->Next(row);
  }

  const std::vector<ColumnSpec>& columns() const { return columns_; }

 private:
  const Call* const call_;
  std::vector<ColumnSpec> columns_;
  std::unique_ptr<ResultScanner> rows_;
};

// Calls `fold(cell, number)` for each cell that is a number, and `end_row` after each row.
template <typename Numbers, typename Fold, typename EndRow>
Status ForEachNumber(RegionRows* rows, Fold fold, EndRow end_row) {
  Result row;
  for (;;) {
    KLIP_ASSIGN_OR_RETURN(const bool more, rows->Next(&row));
    if (!more) {
      return Status::Ok();
    }
    for (const Cell& cell : row) {
      KLIP_ASSIGN_OR_RETURN(const std::optional<typename Numbers::Value> number, Numbers::Read(cell.value));
      if (number.has_value()) {
        fold(cell, *number);
      }
    }
    end_row();
  }
}

template <typename Numbers>
class Aggregation {
 public:
  using Value = typename Numbers::Value;

  Aggregation(RegionRows* rows, AggregateResponse* response) : rows_(rows), response_(response) {}

  Status Extreme(bool highest) {
    Total found;
    KLIP_RETURN_IF_ERROR(ForEachNumber<Numbers>(
        rows_,
        [&](const Cell&, const Value& value) {
          if (!found.any || (highest ? found.value < value : value < found.value)) {
            found = {value, true};
          }
        },
        [] {}));
    if (found.any) {
      response_->add_first_part(Numbers::Message(found.value));
    }
    return Status::Ok();
  }

  // The sum; with `squares` also the sum of the rows' squares; with `count` the number of rows.
  Status Sum(bool squares, bool count) {
    Total sum;
    Total square_sum;
    Total of_row;
    int64_t row_count = 0;
    KLIP_RETURN_IF_ERROR(ForEachNumber<Numbers>(
        rows_, [&](const Cell&, const Value& value) { of_row.Add(value); },
        [&] {
          ++row_count;
          if (of_row.any) {
            sum.Add(of_row.value);
            square_sum.Add(Numbers::Square(of_row.value));
            of_row.any = false;
          }
        }));
    if (!sum.any) {
      return Status::Ok();
    }
    response_->add_first_part(Numbers::Message(sum.value));
    if (squares) {
      response_->add_first_part(Numbers::Message(square_sum.value));
    }
    if (count) {
      response_->set_second_part(BigEndian(row_count));
    }
    return Status::Ok();
  }

  // Sums of the first column and of the last, which contains weights. The client uses them to find the region of the
  // median.
  Status Median() {
    if (rows_->columns().empty()) {
      return {Code::kDoNotRetry, "GetMedian needs a scan of one family"};
    }
    const ColumnSpec& value_column = rows_->columns().front();
    const ColumnSpec& weight_column = rows_->columns().back();
    const bool weighted = rows_->columns().size() > 1;
    Total sum;
    Total weights;
    const auto is = [](const Cell& cell, const ColumnSpec& column) {
      return !column.qualifier.has_value() || *column.qualifier == cell.qualifier;
    };
    KLIP_RETURN_IF_ERROR(ForEachNumber<Numbers>(
        rows_,
        [&](const Cell& cell, const Value& value) {
          if (is(cell, value_column)) {
            sum.Add(value);
          }
          if (weighted && is(cell, weight_column)) {
            weights.Add(value);
          }
        },
        [] {}));
    if (sum.any) {
      response_->add_first_part(Numbers::Message(sum.value));
      response_->add_first_part(Numbers::Message(weights.any ? weights.value : Numbers::Lowest()));
    }
    return Status::Ok();
  }

 private:
  struct Total {
    Value value = {};
    bool any = false;

    void Add(const Value& one) {
      value = any ? Numbers::Add(value, one) : one;
      any = true;
    }
  };

  RegionRows* rows_;
  AggregateResponse* response_;
};

Status CountRows(RegionRows* rows, AggregateResponse* response) {
  int64_t count = 0;
  Result row;
  for (;;) {
    KLIP_ASSIGN_OR_RETURN(const bool more, rows->Next(&row));
    if (!more) {
      response->add_first_part(BigEndian(count));
      return Status::Ok();
    }
    ++count;
  }
}

template <typename Numbers>
rpc::Error Run(std::string_view method, RegionRows* rows, AggregateResponse* response) {
  Aggregation<Numbers> aggregation(rows, response);
  if (method == "GetMax" || method == "GetMin") {
    return aggregation.Extreme(method == "GetMax");
  }
  if (method == "GetSum" || method == "GetAvg" || method == "GetStd") {
    return aggregation.Sum(/*squares=*/method == "GetStd", /*count=*/method != "GetSum");
  }
  if (method == "GetMedian") {
    return aggregation.Median();
  }
  return NoEndpointMethod(method, "AggregateService");
}

rpc::Error RunWith(const std::string& interpreter, std::string_view method, RegionRows* rows,
                   AggregateResponse* response) {
  constexpr std::string_view kPackage = "org.apache.hadoop.hbase.client.coprocessor.";
  const std::string_view name =
      interpreter.starts_with(kPackage) ? std::string_view(interpreter).substr(kPackage.size()) : interpreter;
  if (method == "GetRowNum") {
    return CountRows(rows, response);
  }
  if (name == "LongColumnInterpreter") {
    return Run<LongNumbers>(method, rows, response);
  }
  if (name == "DoubleColumnInterpreter") {
    return Run<DoubleNumbers>(method, rows, response);
  }
  if (name == "BigDecimalColumnInterpreter") {
    return Run<DecimalNumbers>(method, rows, response);
  }
  return Status(Code::kUnsupported, "klip does not support the column interpreter " + interpreter);
}

}  // namespace

rpc::Error CallAggregate(const Call& call, const ScanRegion& scan_region, std::string_view method,
                         std::string_view request_bytes, EndpointResult* result) {
  AggregateRequest request;
  if (!request.ParsePartialFromArray(request_bytes.data(), static_cast<int>(request_bytes.size())) ||
      !request.IsInitialized()) {
    return Status(Code::kDoNotRetry, "the AggregateRequest is invalid");
  }
  RegionRows rows(&call);
  KLIP_RPC_RETURN_IF_ERROR(rows.Open(scan_region, request.scan(), method == "GetRowNum"));
  AggregateResponse response;
  KLIP_RPC_RETURN_IF_ERROR(RunWith(request.interpreter_class_name(), method, &rows, &response));
  result->java_class = "org.apache.hadoop.hbase.protobuf.generated.AggregateProtos$AggregateResponse";
  result->bytes = response.SerializeAsString();
  return {};
}

}  // namespace klip::server
