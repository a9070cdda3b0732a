// klip copy and klip compare: a table from one store or cluster to another, and whether both hold the same.
#include "cli/command.h"
#include "cli/copy_options.h"
#include "cli/printer.h"
#include "klip/bytes.h"

namespace klip::cli {
namespace {

// FROM and TO, opened. Two tables of one store share its connection.
struct TwoTables {
  std::string from_text;
  std::string to_text;
  TablePlace from;
  TablePlace to;
  std::unique_ptr<Connection> source;
  std::unique_ptr<Connection> own_target;

  void AddTo(Arguments* args) {
    args->Add("FROM", &from_text,
              "STORE/TABLE; a store is a directory, klip:DIRECTORY, hbase+rpc://... or hbase+zk://...")
        .Required();
    args->Add("TO", &to_text, "STORE/TABLE").Required();
  }

  Connection& target() const { return own_target ? *own_target : *source; }

  Status Open(bool create_target = true) {
    KLIP_ASSIGN_OR_RETURN(from, ParsePlace(from_text));
    KLIP_ASSIGN_OR_RETURN(to, ParsePlace(to_text));
    if (from.store == to.store && from.table == to.table) {
      return UsageError("FROM and TO are the same table");
    }
    KLIP_ASSIGN_OR_RETURN(source, OpenStore(from.store));
    if (to.store != from.store) {
      KLIP_ASSIGN_OR_RETURN(own_target, OpenStore(to.store, create_target));
    }
    return Status::Ok();
  }

  Expected<CopyOptions> Options(const PartArguments& part) const {
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> table, source->GetTable(from.table));
    return part.Make(*table);
  }
};

// Prints what differs; the exit code.
Expected<int> Compare(const Console& console, const TwoTables& tables, CopyOptions options, bool raw) {
  const int64_t start_us = MonotonicUs();
  CompareReport report;
  {
    const CopyProgressBar bar(console, "comparing", &options);
    KLIP_ASSIGN_OR_RETURN(report, CompareTables(*tables.source, tables.from.table, tables.target(), tables.to.table,
                                                options, {.raw = raw}));
  }
  for (const RowDifference& difference : report.differences) {
    console.Print("{}  {}\n", ToStringBinary(difference.row), difference.what);
  }
  if (report.differing_rows == 0) {
    console.Print("equal: {}\n", CopyText("compared", report.source, MonotonicUs() - start_us));
    return kExitOk;
  }
  const auto named = static_cast<int64_t>(report.differences.size());
  console.Print("{} rows differ{}, of {} and {}\n", FormatCount(report.differing_rows),
                report.differing_rows > named ? fmt::format(" (the first {} are named)", named) : "",
                FormatCount(report.source.rows), FormatCount(report.target.rows));
  return kExitNotFound;
}

struct CopyCommand {
  TwoTables tables;
  PartArguments part;
  MoveArguments move;
  bool verify = false;
  bool dry_run = false;

  Expected<int> operator()(const Console& console) {
    if (dry_run) {
      return DryRun(console);
    }
    KLIP_RETURN_IF_ERROR(tables.Open());
    KLIP_ASSIGN_OR_RETURN(CopyOptions options, tables.Options(part));
    const std::string job = fmt::format("{} -> {} {}", NameOf(tables.from), NameOf(tables.to), part.Text());
    KLIP_RETURN_IF_ERROR(move.Apply(job, &options));
    TellOfState(console, options);
    const int64_t start_us = MonotonicUs();
    CopyCounts counts;
    {
      CopyOptions with_bar = options;
      const CopyProgressBar bar(console, "copying", &with_bar);
      KLIP_ASSIGN_OR_RETURN(counts,
                            CopyTable(*tables.source, tables.from.table, tables.target(), tables.to.table, with_bar));
    }
    console.Print("{}\n", CopyText("copied", counts, MonotonicUs() - start_us));
    if (counts.tags_left_out > 0) {
      console.Print("{} cells have tags that are not written to a cluster\n", FormatCount(counts.tags_left_out));
    }
    return verify ? Compare(console, tables, options, /*raw=*/false) : kExitOk;
  }

  // Makes nothing, not even the target's store.
  Expected<int> DryRun(const Console& console) {
    const Status opened = tables.Open(/*create_target=*/false);
    if (tables.source == nullptr) {
      return opened;
    }
    KLIP_ASSIGN_OR_RETURN(const CopyOptions options, tables.Options(part));
    if (!opened.ok()) {
      console.Print("the target cannot be opened yet: {}\n", opened.message());
    }
    Connection& target = opened.ok() ? tables.target() : *tables.source;
    const std::string table = opened.ok() ? tables.to.table : tables.from.table;
    KLIP_ASSIGN_OR_RETURN(const CopyPlan plan, PlanCopy(*tables.source, tables.from.table, target, table, options));
    const bool makes = plan.creates_table || !opened.ok();
    console.Print("{} table '{}' in {}: {} families, {} regions\n", makes ? "makes" : "adds to", tables.to.table,
                  tables.to.store, plan.descriptor.families.size(), plan.split_keys.size() + 1);
    if (plan.size_bytes > 0) {
      console.Print("about {} on the source's disk\n", FormatBytes(plan.size_bytes));
    }
    return kExitOk;
  }
};

struct CompareCommand {
  TwoTables tables;
  PartArguments part;
  bool raw = false;

  Expected<int> operator()(const Console& console) {
    KLIP_RETURN_IF_ERROR(tables.Open(/*create_target=*/false));
    KLIP_ASSIGN_OR_RETURN(const CopyOptions options, tables.Options(part));
    return Compare(console, tables, options, raw);
  }
};

}  // namespace

Run AddCopyCommand(Arguments* args) {
  auto command = std::make_shared<CopyCommand>();
  command->tables.AddTo(args);
  command->part.AddTo(args);
  command->move.AddTo(args);
  args->AddFlag("--verify", &command->verify, "then compare both tables, as klip compare does");
  args->AddFlag("--dry-run", &command->dry_run, "only say what would be made and copied");
  return [command](const Console& console) { return (*command)(console); };
}

Run AddCompareCommand(Arguments* args) {
  auto command = std::make_shared<CompareCommand>();
  command->tables.AddTo(args);
  command->part.AddTo(args);
  args->AddFlag("--raw", &command->raw,
                "delete markers and hidden versions too, as far as both tables still have them");
  return [command](const Console& console) { return (*command)(console); };
}

}  // namespace klip::cli
