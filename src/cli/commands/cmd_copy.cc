// klip copy and klip compare: copies a table from one store or cluster to another, and compares two tables.
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
  bool ignore_coprocessors = false;
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
    ConnectionOptions open = {.create_if_missing = false, .ignore_coprocessors = ignore_coprocessors};
    KLIP_ASSIGN_OR_RETURN(source, OpenStore(from.store, open));
    if (to.store != from.store) {
      open.create_if_missing = create_target;
      KLIP_ASSIGN_OR_RETURN(own_target, OpenStore(to.store, open));
    }
    return Status::Ok();
  }

  Expected<CopyOptions> Options(const PartArguments& part) const {
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> table, source->GetTable(from.table));
    return part.Make(*table);
  }
};

struct Comparison {
  CompareReport report;
  int64_t elapsed_us = 0;

  bool equal() const { return report.differing_rows == 0; }
  int exit_code() const { return equal() ? kExitOk : kExitNotFound; }
};

Expected<Comparison> Compare(const Console& console, const TwoTables& tables, CopyOptions options, bool raw) {
  const int64_t start_us = MonotonicUs();
  const CopyProgressBar bar(console, "comparing", &options);
  Comparison done;
  KLIP_ASSIGN_OR_RETURN(done.report, CompareTables(*tables.source, tables.from.table, tables.target(), tables.to.table,
                                                   options, {.raw = raw}));
  done.elapsed_us = MonotonicUs() - start_us;
  return done;
}

void PrintText(const Console& console, const Comparison& done) {
  const CompareReport& report = done.report;
  for (const RowDifference& difference : report.differences) {
    console.Print("{}  {}\n", ToStringBinary(difference.row), difference.what);
  }
  if (done.equal()) {
    console.Print("equal: {}\n", CopyText("compared", report.source, done.elapsed_us));
    return;
  }
  const auto named = static_cast<int64_t>(report.differences.size());
  console.Print("{} rows differ{}, of {} and {}\n", FormatCount(report.differing_rows),
                report.differing_rows > named ? fmt::format(" (the first {} are listed)", named) : "",
                FormatCount(report.source.rows), FormatCount(report.target.rows));
}

// --- --json: docs/copy.md has the members ---

Json ToJson(const CopyCounts& counts) {
  return {{"rows", counts.rows},
          {"cells", counts.cells},
          {"delete_markers", counts.delete_markers},
          {"bytes", counts.bytes}};
}

Json ToJson(const Comparison& done) {
  Json differences = Json::array();
  for (const RowDifference& difference : done.report.differences) {
    differences.push_back({{"row", ToStringBinary(difference.row)}, {"what", difference.what}});
  }
  return {{"equal", done.equal()},
          {"source", ToJson(done.report.source)},
          {"target", ToJson(done.report.target)},
          {"differing_rows", done.report.differing_rows},
          {"differences", std::move(differences)},
          {"elapsed_us", done.elapsed_us}};
}

void PrintJson(const Console& console, const Json& json) {
  console.Write(json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

struct CopyCommand {
  TwoTables tables;
  PartArguments part;
  MoveArguments move;
  std::string row_key;
  bool verify = false;
  bool dry_run = false;
  bool json = false;

  Expected<int> operator()(const Console& console) {
    if (verify && !row_key.empty()) {
      return UsageError("--verify cannot be used with --row-key, because it compares rows by their keys");
    }
    if (dry_run) {
      return DryRun(console);
    }
    KLIP_RETURN_IF_ERROR(tables.Open());
    KLIP_ASSIGN_OR_RETURN(CopyOptions options, tables.Options(part));
    options.row_key = row_key;
    const std::string job = fmt::format("{} -> {} {}{}", NameOf(tables.from), NameOf(tables.to), part.Text(), row_key);
    KLIP_RETURN_IF_ERROR(move.Apply(job, &options));
    const bool resumed = HasState(options);
    if (!json) {
      TellOfState(console, options);
    }
    const int64_t start_us = MonotonicUs();
    CopyCounts counts;
    {
      CopyOptions with_bar = options;
      const CopyProgressBar bar(console, "copying", &with_bar);
      KLIP_ASSIGN_OR_RETURN(counts,
                            CopyTable(*tables.source, tables.from.table, tables.target(), tables.to.table, with_bar));
    }
    const int64_t elapsed_us = MonotonicUs() - start_us;
    if (!json) {
      console.Print("{}\n", CopyText("copied", counts, elapsed_us));
      if (counts.tags_left_out > 0) {
        console.Print("{} cells have tags, which cannot be written to a cluster\n", FormatCount(counts.tags_left_out));
      }
    }
    Comparison comparison;
    if (verify) {
      KLIP_ASSIGN_OR_RETURN(comparison, Compare(console, tables, options, /*raw=*/false));
    }
    if (json) {
      Json object = ToJson(counts);
      object.update({{"tags_left_out", counts.tags_left_out},
                     {"resumed", resumed},
                     {"elapsed_us", elapsed_us},
                     {"comparison", verify ? ToJson(comparison) : Json()}});
      PrintJson(console, object);
    } else if (verify) {
      PrintText(console, comparison);
    }
    return comparison.exit_code();
  }

  // Creates nothing, not even the target's store.
  Expected<int> DryRun(const Console& console) {
    const Status opened = tables.Open(/*create_target=*/false);
    if (tables.source == nullptr) {
      return opened;
    }
    KLIP_ASSIGN_OR_RETURN(CopyOptions options, tables.Options(part));
    options.row_key = row_key;
    if (!opened.ok() && !json) {
      console.Print("the target cannot be opened yet: {}\n", opened.message());
    }
    Connection& target = opened.ok() ? tables.target() : *tables.source;
    const std::string table = opened.ok() ? tables.to.table : tables.from.table;
    KLIP_ASSIGN_OR_RETURN(const CopyPlan plan, PlanCopy(*tables.source, tables.from.table, target, table, options));
    const bool makes = plan.creates_table || !opened.ok();
    if (json) {
      PrintJson(console, {{"creates_table", makes},
                          {"families", plan.descriptor.families.size()},
                          {"regions", plan.split_keys.size() + 1},
                          {"size_bytes", plan.size_bytes},
                          {"target_error", opened.ok() ? Json() : Json(opened.message())}});
      return kExitOk;
    }
    console.Print("{} table '{}' in {}: {} families, {} regions\n", makes ? "creates" : "adds to", tables.to.table,
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
  bool json = false;

  Expected<int> operator()(const Console& console) {
    KLIP_RETURN_IF_ERROR(tables.Open(/*create_target=*/false));
    KLIP_ASSIGN_OR_RETURN(const CopyOptions options, tables.Options(part));
    KLIP_ASSIGN_OR_RETURN(const Comparison done, Compare(console, tables, options, raw));
    if (json) {
      PrintJson(console, ToJson(done));
    } else {
      PrintText(console, done);
    }
    return done.exit_code();
  }
};

}  // namespace

Run AddCopyCommand(Arguments* args) {
  auto command = std::make_shared<CopyCommand>();
  command->tables.AddTo(args);
  AddIgnoreCoprocessors(args, &command->tables.ignore_coprocessors);
  command->part.AddTo(args);
  command->move.AddTo(args);
  args->Add("--row-key", &command->row_key,
            "encode the row keys with this schema, which has the same fields as that of FROM");
  args->AddFlag("--verify", &command->verify, "compare both tables after the copy, like klip compare");
  args->AddFlag("--dry-run", &command->dry_run, "only print what would be created and copied");
  args->AddFlag("--json", &command->json,
                "one JSON object at the end, with counts and the result of --verify (docs/copy.md)");
  return [command](const Console& console) { return (*command)(console); };
}

Run AddCompareCommand(Arguments* args) {
  auto command = std::make_shared<CompareCommand>();
  command->tables.AddTo(args);
  command->part.AddTo(args);
  args->AddFlag("--raw", &command->raw, "also compare delete markers and hidden versions that both tables still have");
  args->AddFlag("--json", &command->json,
                "one JSON object at the end, with counts and the first differences (docs/copy.md)");
  return [command](const Console& console) { return (*command)(console); };
}

}  // namespace klip::cli
