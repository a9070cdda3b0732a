// Advise: computes findings and designs from a table or records.
#include "klip/advise.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "advise/findings.h"
#include "advise/lab.h"
#include "advise/lab_costs.h"
#include "advise/lab_query.h"
#include "advise/migration.h"
#include "advise/sample.h"
#include "advise/verify.h"
#include "rowkey/planner.h"

namespace klip {
namespace {

Expected<Advice> AdviseOn(const advise::LabInput& asked, const AdviseOptions& options) {
  const advise::Sample& sample = asked.sample;
  if (sample.size() == 0) {
    const std::string schema = "the row-key schema \"" + sample.schema.ToString() + "\"";
    return Status(Code::kInvalidArgument, sample.unfit == 0
                                              ? "the table or sample has no rows"
                                              : "none of " + std::to_string(sample.unfit) + " rows fits " + schema);
  }
  Advice advice;
  advice.schema = sample.schema.ToString();
  advice.rows = sample.rows;
  advice.sampled_rows = static_cast<int64_t>(sample.size());
  advice.unfit_rows = sample.unfit;
  advise::LabInput input = asked;
  if (!options.fixed_costs) {
    KLIP_ASSIGN_OR_RETURN(input.costs, advise::MeasureCosts(asked));
  }
  KLIP_ASSIGN_OR_RETURN(advise::LabResult lab, advise::RunLab(input));
  advice.designs = std::move(lab.designs);
  advice.findings = advise::FindingsOf(sample, input.queries, advice.designs);
  advice.queries = input.queries.logged;
  advice.left_out = input.queries.left_out;
  std::ranges::move(lab.left_out, std::back_inserter(advice.left_out));
  const rowkey::CostModel& read = input.costs.read;
  advice.costs = {.measured = input.costs.measured,
                  .seek_us = read.seek_us,
                  .far_seek_us = read.far_seek_us,
                  .step_us = read.step_us,
                  .return_us = read.return_us,
                  .look_us = read.look_us,
                  .put_us = input.costs.put_us,
                  .byte_us = input.costs.byte_us,
                  .entry_us = input.costs.entry_us};
  if (options.verify) {
    KLIP_RETURN_IF_ERROR(advise::Verify(input, &advice.designs));
  }
  return advice;
}

advise::LabQueries QueriesOf(const AdviseOptions& options, const rowkey::QueryNames& table,
                             const RecordSample* records) {
  return advise::QueriesFor(options.queries, table, records, options.max_queries, options.seed);
}

}  // namespace

std::string_view KeyPrincipleName(KeyPrinciple principle) {
  constexpr std::string_view kNames[] = {"conciseness", "uniqueness", "distribution", "accessibility", "tall or wide"};
  return kNames[static_cast<size_t>(principle)];
}

Expected<Advice> Advise(Connection& connection, std::string_view uri, std::string_view table,
                        const AdviseOptions& options) {
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> open, connection.GetTable(table));
  std::optional<RowKeySchema> schema = open->row_key_schema();
  if (!options.schema.empty()) {
    KLIP_ASSIGN_OR_RETURN(schema, RowKeySchema::Parse(options.schema));
  }
  if (!schema) {
    return Status(Code::kInvalidArgument,
                  "table '" + std::string(table) + "' has no row-key schema: give one with --schema");
  }
  KLIP_ASSIGN_OR_RETURN(const TableDescriptor descriptor, connection.admin().GetDescriptor(table));
  KLIP_ASSIGN_OR_RETURN(rowkey::QueryNames names, rowkey::QueryNamesOf(descriptor));
  names.schema = schema;
  const advise::LabQueries queries = QueriesOf(options, names, /*records=*/nullptr);
  KLIP_ASSIGN_OR_RETURN(const advise::Sample sample,
                        advise::ReadSample(open.get(), *schema, options.max_rows, advise::ColumnsOf(queries)));
  KLIP_ASSIGN_OR_RETURN(Advice advice, AdviseOn({sample, queries, advise::IndexesOf(descriptor)}, options));
  advice.table = table;
  const std::string target = options.target.empty() ? advice.table + "_new" : options.target;
  for (KeyDesign& design : advice.designs) {
    if (!design.present) {
      design.commands = design.schema == advice.schema
                            ? advise::IndexCommands(uri, advice.table, design.indexes)
                            : advise::MigrationOf(uri, advice.table, target, design, descriptor);
    }
  }
  return advice;
}

Expected<Advice> AdviseOnRecords(const RecordSample& records, std::string_view uri, std::string_view table,
                                 const AdviseOptions& options) {
  KLIP_ASSIGN_OR_RETURN(const RowKeySchema schema, RowKeySchema::Parse(options.schema));
  const std::string family(advise::kRecordFamily);
  const advise::LabQueries queries =
      QueriesOf(options, {.table = std::string(table), .schema = schema, .families = {family}, .types = {}}, &records);
  KLIP_ASSIGN_OR_RETURN(const advise::Sample sample, advise::SampleOf(records, schema, advise::ColumnsOf(queries)));
  KLIP_ASSIGN_OR_RETURN(Advice advice, AdviseOn({sample, queries}, options));
  advice.table = table;
  for (KeyDesign& design : advice.designs) {
    const std::string_view target = options.target.empty() ? table : options.target;
    design.commands = advise::IndexCommands(uri, target, design.indexes);
    design.commands.insert(design.commands.begin(),
                           advise::CreateCommand(uri, target, design, {.name = {}, .families = {{.name = family}}}));
  }
  return advice;
}

}  // namespace klip
