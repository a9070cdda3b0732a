// The options that scan, explain, count and export share, and their Scan; and the options for reads by replicas.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "klip/query.h"
#include "klip/row_key.h"
#include "klip/table.h"

namespace klip::cli {

class ScanOptions {
 public:
  // `with_columns`: also the options for the cells of a row; `columns_help`: what --columns may name.
  void AddTo(Arguments* args, bool with_columns,
             const std::string& columns_help = "family or family:qualifier, separated by commas");

  // Errors: kInvalidArgument for an invalid text, also one that does not match the table's row-key schema.
  Expected<Scan> Make(const Table& table) const;
  // The same without --columns, whose names mean something else to the caller.
  Expected<Scan> MakeRows(const Table& table) const;
  const std::vector<std::string>& columns() const { return columns_; }

  // The options for `python3 -m klip.files`. Errors: kInvalidArgument naming an option that it lacks.
  Expected<std::vector<std::string>> ForFiles() const;

  // For the name of a job.
  std::string Text() const;

  // True if no option restricts the scan to a part of the table.
  bool Everything() const;

 private:
  std::string start_;
  std::string stop_;
  std::string prefix_;
  std::string where_;
  std::string filter_;
  std::string plan_;
  std::vector<std::string> fuzzy_;
  std::vector<std::string> columns_;
  std::string time_range_;
  int32_t versions_ = 1;
  int64_t limit_ = 0;
  int32_t threads_ = 1;
  bool reverse_ = false;
  bool raw_ = false;
};

// Which replicas of a region may answer a get or a scan.
class ReplicaOptions {
 public:
  void AddTo(Arguments* args);

  // `request`: a Get or a Scan. Errors: kInvalidArgument.
  template <typename Request>
  Status Apply(Request* request) const {
    KLIP_RETURN_IF_ERROR(Check());
    const bool timeline = consistency_ == "timeline" || replica_ >= 0;
    request->consistency = timeline ? Consistency::kTimeline : Consistency::kStrong;
    request->replica_id = replica_;
    return Status::Ok();
  }

 private:
  Status Check() const;

  std::string consistency_;
  int32_t replica_ = -1;
};

}  // namespace klip::cli
