// The lab: lays out the sample with each choice of keys, and asks the planner for the cost of the queries. Then it tries
// indexes on the columns in the queries' conditions: for the present keys and the best others, it adds the index that saves
// the most time, then the next one, as long as that pays.
//
// Example: the key "user day" and the logged query "day=...", 1,000 times. With the present keys, the planner estimates
// 1,000 seeks per query; with "day user" it estimates one. If a second query needs "user=...", each design is better for
// one query: both are in the Pareto set.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "advise/key_choices.h"
#include "advise/key_layout.h"
#include "advise/lab_query.h"
#include "advise/sample.h"
#include "klip/advise.h"
#include "klip/index.h"
#include "rowkey/planner.h"

namespace klip::advise {

// What operations cost on this machine. Writes: rows in batches, not synced; TUNING: the defaults are those of rows with one cell.
struct LabCosts {
  bool measured = false;  // otherwise the defaults
  rowkey::CostModel read;
  double put_us = 4;       // a row with its present key, without entries
  double byte_us = 0.002;  // each further byte of it
  double entry_us = 4;     // an entry of an index, with the look-up of the row's previous entry
};

// What the lab tries keys and indexes on.
struct LabInput {
  const Sample& sample;
  const LabQueries& queries;
  std::vector<IndexDescriptor> indexes = {};  // of the table
  LabCosts costs = {};
};

// Evaluates one choice. Errors: kInvalidArgument: it cannot represent the rows, merges two of them, or cannot answer a
// query.
Expected<KeyDesign> Try(const KeyChoice& choice, const LabInput& input);

struct LabResult {
  std::vector<KeyDesign> designs;
  std::vector<std::string> left_out;  // indexes that the rows do not fit: "index by_city (d:city u8): why"
};

// Designs: the present keys first, then the Pareto set by time, then the others by time.
Expected<LabResult> RunLab(const LabInput& input);

// Sets KeyDesign::pareto for designs that no other one beats in every respect.
void MarkPareto(std::vector<KeyDesign>* designs);

}  // namespace klip::advise
