// klip explain: the plan of a scan; with --run also what the scan did.
#include "cli/command.h"
#include "cli/scan_options.h"

namespace klip::cli {
namespace {

// The scan has read its blocks into the cache: what matters is what was in it before.
PlanCost WithBlocksOf(const PlanCost& before, PlanCost cost) {
  cost.cold_time_us = before.cold_time_us;
  cost.blocks = before.blocks;
  cost.blocks_read = before.blocks_read;
  return cost;
}

// Explains first: that measures what the scan then knows, and samples a cluster's table, which a scan does not.
Expected<Explain> RunAndExplain(Table* table, const Scan& scan) {
  KLIP_ASSIGN_OR_RETURN(Explain expected, table->Explain(scan));
  KLIP_ASSIGN_OR_RETURN(auto scanner, table->Scan(scan));
  Result result;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(bool more, scanner->Next(&result));
    if (!more) {
      Explain explain = scanner->explain();
      expected.actual = explain.actual;
      if (explain.kind == expected.kind && explain.index == expected.index) {
        explain.estimated = WithBlocksOf(expected.estimated, explain.estimated);
      }
      return explain.has_statistics || !expected.has_statistics ? std::move(explain) : std::move(expected);
    }
  }
}

}  // namespace

Run AddExplainCommand(Arguments* args) {
  struct ExplainScan {
    TableArguments arguments;
    ScanOptions options;
    bool run = false;
    bool json = false;
  };
  auto explain = std::make_shared<ExplainScan>();
  explain->arguments.AddTo(args);
  explain->options.AddTo(args, /*with_columns=*/true);
  args->AddFlag("--run", &explain->run, "run the scan, and show estimated and actual figures");
  args->AddFlag("--json", &explain->json, "one JSON object");
  return [explain](const Console& console) -> Expected<int> {
    KLIP_ASSIGN_OR_RETURN(OpenTable open, Open(explain->arguments));
    KLIP_ASSIGN_OR_RETURN(Scan scan, explain->options.Make(*open.table));
    KLIP_ASSIGN_OR_RETURN(Explain plan,
                          explain->run ? RunAndExplain(open.table.get(), scan) : open.table->Explain(scan));
    std::string text = explain->json ? plan.ToJson() : plan.ToText();
    console.Write(text);
    if (!text.ends_with('\n')) {
      console.Write("\n");
    }
    return kExitOk;
  };
}

}  // namespace klip::cli
