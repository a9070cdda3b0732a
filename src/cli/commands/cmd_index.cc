// klip index: secondary indexes of a table.
#include <algorithm>

#include "cli/command.h"
#include "cli/descriptor_text.h"
#include "cli/printer.h"
#include "klip/index.h"
#include "rowkey/index_definition.h"

namespace klip::cli {
namespace {

struct IndexOptions {
  std::string action;
  TableArguments arguments;
  std::string name;
  std::string declaration;
  bool repair = false;
  bool json = false;
};

class IndexCommand {
 public:
  IndexCommand(const Console& console, const IndexOptions& options, const OpenTable& open, IndexAdmin* indexes)
      : console_(console), options_(options), table_(*open.table), indexes_(*indexes) {}

  Expected<int> Run() {
    if (options_.action == "list") {
      return List();
    }
    if (options_.name.empty()) {
      return UsageError("NAME is missing: which index?");
    }
    if (options_.action == "create") {
      return Create();
    }
    KLIP_RETURN_IF_ERROR(Find().status());
    if (options_.action == "verify") {
      return Verify();
    }
    return options_.action == "rebuild" ? Rebuild() : Drop();
  }

 private:
  const std::string& table() const { return options_.arguments.table; }

  Expected<IndexInfo> Find() {
    KLIP_ASSIGN_OR_RETURN(const std::vector<IndexInfo> all, indexes_.ListIndexes(table()));
    const auto found = std::ranges::find(all, options_.name, [](const IndexInfo& info) { return info.index.name; });
    if (found == all.end()) {
      return UsageError("table '" + table() + "' has no index '" + options_.name + "'; klip index list names them");
    }
    return *found;
  }

  static const char* StateOf(const IndexInfo& info) { return IndexState(info.building, info.unusable); }

  Expected<int> List() {
    KLIP_ASSIGN_OR_RETURN(const std::vector<IndexInfo> all, indexes_.ListIndexes(table()));
    for (const IndexInfo& info : all) {
      if (options_.json) {
        console_.Write(Json({{"name", info.index.name},
                             {"declaration", info.index.ToString()},
                             {"state", StateOf(info)},
                             {"table", rowkey::IndexTableOf(table(), info.index.name)},
                             {"skipped", info.skipped}})
                           .dump() +
                       "\n");
      } else {
        console_.Print("{}  {}  {}  {}{}\n", info.index.name, StateOf(info),
                       rowkey::IndexTableOf(table(), info.index.name), info.index.ToString(),
                       Skipped(FormatCount(info.skipped) + (info.skipped == IndexInfo::kMostSkipped ? "+" : ""),
                               info.index.skip_invalid || info.skipped > 0));
      }
    }
    return kExitOk;
  }

  Expected<int> Create() {
    if (options_.declaration.empty()) {
      return UsageError("DECLARATION is missing, e.g. 'f:city text, f:age i32'");
    }
    KLIP_ASSIGN_OR_RETURN(const IndexDescriptor index, IndexDescriptor::Parse(options_.name, options_.declaration));
    return Build([&](const IndexProgress& progress) { return indexes_.CreateIndex(table(), index, progress); },
                 "created");
  }

  template <typename Building>
  Expected<int> Build(const Building& building, std::string_view done) {
    const int64_t start_us = MonotonicUs();
    {
      ProgressBar bar(console_, "building", EstimatedRows());
      KLIP_RETURN_IF_ERROR(building([&](int64_t rows) { bar.Set(rows); }));
    }
    console_.Print("{} index {} of {} in {}\n", done, options_.name, table(), FormatDuration(MonotonicUs() - start_us));
    return kExitOk;
  }

  Expected<int> Rebuild() {
    return Build([&](const IndexProgress& progress) { return indexes_.RebuildIndex(table(), options_.name, progress); },
                 "rebuilt");
  }

  Expected<int> Drop() {
    KLIP_RETURN_IF_ERROR(indexes_.DropIndex(table(), options_.name));
    console_.Print("dropped index {} of {}\n", options_.name, table());
    return kExitOk;
  }

  Expected<int> Verify() {
    IndexCheck check;
    {
      ProgressBar bar(console_, "verifying", EstimatedRows());
      KLIP_ASSIGN_OR_RETURN(
          check, indexes_.VerifyIndex(table(), options_.name, options_.repair, [&](int64_t rows) { bar.Set(rows); }));
    }
    if (options_.json) {
      console_.Write(Json({{"rows", check.rows},
                           {"entries", check.entries},
                           {"missing", check.missing},
                           {"wrong", check.wrong},
                           {"stale", check.stale},
                           {"skipped", check.skipped},
                           {"repaired", options_.repair},
                           {"differences", check.differences}})
                         .dump() +
                     "\n");
    } else {
      console_.Print("{} rows, {} entries: {} missing, {} wrong, {} stale{}\n", FormatCount(check.rows),
                     FormatCount(check.entries), FormatCount(check.missing), FormatCount(check.wrong),
                     FormatCount(check.stale), Skipped(FormatCount(check.skipped), check.skipped > 0));
      for (const std::string& difference : check.differences) {
        console_.Print("  {}{}\n", difference, options_.repair ? " (repaired)" : "");
      }
    }
    return check.ok() || options_.repair ? kExitOk : kExitNotFound;
  }

  static std::string Skipped(const std::string& count, bool shown) {
    return shown ? ", " + count + (count == "1" ? " row skipped" : " rows skipped") : "";
  }

  // 0: unknown.
  int64_t EstimatedRows() {
    const Expected<TableStatistics> statistics = table_.Statistics();
    return statistics.ok() ? statistics->rows : 0;
  }

  const Console& console_;
  const IndexOptions& options_;
  Table& table_;
  IndexAdmin& indexes_;
};

}  // namespace

Run AddIndexCommand(Arguments* args) {
  auto options = std::make_shared<IndexOptions>();
  args->Add("ACTION", &options->action, "the action").Required().OneOf({"create", "drop", "list", "verify", "rebuild"});
  options->arguments.AddTo(args);
  args->Add("NAME", &options->name, "name of the index; not needed for list");
  args->Add(
      "DECLARATION", &options->declaration,
      "with create: \"f:city text, f:age i32 desc INCLUDE f:name WHERE f:active = '1' UNIQUE\"; see docs/indexes.md");
  args->AddFlag("--repair", &options->repair, "with verify: repair differences, and remove stale entries");
  args->AddFlag("--json", &options->json, "with list and verify: JSON, one object per line");
  return [options](const Console& console) -> Expected<int> {
    KLIP_ASSIGN_OR_RETURN(const OpenTable open, Open(options->arguments));
    KLIP_ASSIGN_OR_RETURN(IndexAdmin* const indexes, open.connection->admin().indexes());
    return IndexCommand(console, *options, open, indexes).Run();
  };
}

}  // namespace klip::cli
