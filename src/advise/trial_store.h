// A store in a temporary directory, in which the lab tries designs with sampled rows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "advise/lab.h"
#include "klip/connection.h"

namespace klip::advise {

class TrialStore {
 public:
  TrialStore() = default;
  TrialStore(const TrialStore&) = delete;
  TrialStore& operator=(const TrialStore&) = delete;
  ~TrialStore();  // removes the directory

  // Call it first. Errors: kIoError.
  Status Open();

  // Creates a table with keys of this design, its indexes and those of the input, and loads the sampled rows. At most `most` of
  // them: then some stretches of neighbours in key order. Errors: those of creating tables and of writing.
  Expected<std::unique_ptr<Table>> Load(const LabInput& input, const KeyDesign& design, const std::string& name,
                                        size_t most = SIZE_MAX);

  // The time to put one of up to `most` sampled rows into an empty table of the design, in the fastest of its batches, not synced, in
  // microseconds. `more_bytes`: added to a value of each row. Errors: as above.
  Expected<double> TimePuts(const LabInput& input, const KeyDesign& design, const std::string& name, size_t most,
                            size_t more_bytes = 0);

 private:
  std::string path_;
  std::unique_ptr<Connection> connection_;
};

// The statistics of the fastest of some runs of the scan. Its elapsed_us is at most what this thread has used, so that other programs
// matter less.
Expected<ScanStatistics> TimeScan(const klip::Scan& scan, Table* table);

}  // namespace klip::advise
