#include "sweep/case.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/store/file_checks.h"
#include "sweep/child.h"

namespace klip::sweep {
namespace {

constexpr int64_t kLookMs = 60'000;

// What a look at a store found, in the process that looks.
struct Look {
  nlohmann::json found = {{"all", State()}, {"wrong", ""}, {"probe", false}, {"proved", State()}};

  void Wrong(const std::string& what) { found["wrong"] = std::string(found["wrong"]) + what + "\n"; }

  void AtFiles(const std::string& store) {
    if (!std::filesystem::exists(store + "/CURRENT")) {
      return;
    }
    const Expected<engine::FileCheck> check = engine::CheckStoreFiles(nullptr, store, false, false);
    if (!check.ok()) {
      return Wrong("the files cannot be checked: " + check.status().ToString());
    }
    for (const engine::FileDamage& damage : check->damages) {
      Wrong("damaged: " + damage.file + ": " + damage.what);
    }
  }

  void AtStore(const std::string& store) {
    const Expected<std::unique_ptr<Connection>> opened = Connection::Open("klip:" + store);
    if (!opened.ok()) {
      return Wrong("the store does not open: " + opened.status().ToString());
    }
    const Expected<State> all = ReadAll(**opened);
    if (!all.ok()) {
      return Wrong("the store cannot be read: " + all.status().ToString());
    }
    found["all"] = *all;
    if (const auto table = (*opened)->GetTable(kProbeTable); table.ok()) {
      found["probe"] = *(*table)->Exists(Get{.row = "probe"});
    }
  }

  void Command(const std::string& line, const std::string& directory) {
    std::string said;
    const int code = RunCommand(line, directory, &said);
    found["proved"].push_back(said);
    if (code != 0) {
      Wrong(line + " says " + said);
    }
  }
};

// What klip prints, without timestamps: "c f:n@17=5" -> "c f:n=5".
std::string WithoutTimes(const std::string& said) {
  static const std::regex times("@[0-9]+|\\b[0-9]{13}\\b");
  return std::regex_replace(said, times, "");
}

// RocksDB 7.8 asserts on a file that it cannot read while it takes it over from a snapshot (docs/reliability.md). That is as good as a kill.
bool IsKnownAbort(const std::string& died) {
  return died.find("BlockBasedTableIterator::key() const: Assertion `Valid()'") != std::string::npos;
}

// `proof` and `always` may print times; the text after a number identifies it as a number of rows.
bool IsTable(const std::string& line) { return line.starts_with("scan "); }

}  // namespace

Case::Case(const Operation& operation, std::string directory)
    : operation_(operation), directory_(std::move(directory)) {}

void Case::CopyStore() const {
  std::filesystem::remove_all(directory_ + "/disk");
  std::filesystem::copy(directory_ + "/kept", directory_ + "/disk", std::filesystem::copy_options::recursive);
}

Case::Found Case::Look(bool prove) const {
  const Ended ended = RunInChild(kLookMs, [&] {
    sweep::Look look;
    look.AtFiles(StoreOf(directory_));
    look.AtStore(StoreOf(directory_));
    for (const std::string& line : operation_.always) {
      look.Command(line, directory_);
    }
    look.found["proved"] = State();
    for (const std::string& line : prove ? operation_.proof : State()) {
      look.Command(line, directory_);
    }
    return look.found.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  });
  const nlohmann::json json = nlohmann::json::parse(ended.said, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return {.wrong = "looking at the store: " + ended.What() + ended.noise.substr(0, 1000)};
  }
  return {json["all"], json["probe"], json["wrong"], json["proved"]};
}

std::string Case::FindBaseline() {
  std::filesystem::remove_all(directory_);
  std::filesystem::create_directories(directory_ + "/disk");
  if (std::string wrong = MakeStore(operation_, directory_); !wrong.empty()) {
    return wrong;
  }
  std::filesystem::rename(directory_ + "/disk", directory_ + "/kept");
  for (size_t lines = 0; lines <= operation_.lines.size(); ++lines) {
    CopyStore();
    Report report = RunVictim(operation_, lines, {}, directory_);
    if (std::string wrong = report.died + report.error + report.wrong; !wrong.empty()) {
      return wrong;
    }
    const bool whole = lines == operation_.lines.size();
    Found found = Look(whole);
    if (!found.wrong.empty()) {
      return found.wrong;
    }
    baseline_.seen.push_back(std::move(report.seen));
    baseline_.all.push_back(std::move(found.all));
    baseline_.said = std::move(report.said);
    baseline_.proved = std::move(found.proved);
    baseline_.changes = report.counts.changes;
    for (size_t i = 0; i < simulate::kCalls; ++i) {
      baseline_.calls[static_cast<simulate::Call>(i)] = report.counts.calls[i];
    }
  }
  return "";
}

std::string Case::JudgeState(size_t acknowledged, const std::vector<State>& allowed, const State& found) const {
  const State& before = allowed[acknowledged];
  if (found == before) {
    return "";
  }
  if (acknowledged + 1 < allowed.size()) {
    const State& after = allowed[acknowledged + 1];
    if (found == after || (operation_.in_pieces && IsBetween(before, after, found))) {
      return "";
    }
    return "neither as before\n" + Difference(before, found) + "nor as after\n" + Difference(after, found);
  }
  return "not as acknowledged\n" + Difference(before, found);
}

std::string Case::Judge(const Report& report, const Plan& plan) const {
  if (IsKnownAbort(report.died)) {
    const Found found = Look(/*prove=*/false);
    const bool fits = std::ranges::find(baseline_.all, found.all) != baseline_.all.end();
    return found.wrong +
           (fits || !found.wrong.empty() ? "" : "after an abort: " + Difference(baseline_.all[0], found.all));
  }
  if (!report.died.empty()) {
    return report.died;
  }
  std::string wrong = report.wrong;
  const size_t acknowledged = report.said.size();
  for (size_t i = 0; i < acknowledged && operation_.way != Way::kCommand; ++i) {
    if (WithoutTimes(report.said[i]) != WithoutTimes(baseline_.said[i])) {
      wrong += operation_.lines[i] + " says\n" + report.said[i] + "and not\n" + baseline_.said[i];
    }
  }
  if (operation_.way != Way::kCommand && !report.counts.off && wrong.empty()) {
    if (const std::string why = JudgeState(acknowledged, baseline_.seen, report.seen); !why.empty()) {
      wrong += "in the same process: " + why;
    }
  }
  const Found found = Look(acknowledged == operation_.lines.size() && !report.counts.off);
  wrong += found.wrong;
  const bool may_lose = operation_.lax && (plan.killed || report.counts.off);
  if (found.wrong.empty() && !may_lose) {
    if (const std::string why = JudgeState(acknowledged, baseline_.all, found.all); !why.empty()) {
      wrong += "after the next open: " + why;
    }
  }
  if (report.probed && !found.has_probe) {
    wrong += "the row put after the fault is lost\n";
  }
  for (size_t i = 0; i < found.proved.size() && i < baseline_.proved.size(); ++i) {
    if (IsTable(operation_.proof[i]) && WithoutTimes(found.proved[i]) != WithoutTimes(baseline_.proved[i])) {
      wrong += operation_.proof[i] + " prints\n" + found.proved[i] + "and not\n" + baseline_.proved[i];
    }
  }
  return wrong;
}

Outcome Case::Run(const Plan& plan) const {
  CopyStore();
  const Report report = RunVictim(operation_, operation_.lines.size(), plan, directory_);
  const std::string wrong = Judge(report, plan);
  if (!wrong.empty()) {
    return {Verdict::kWrong, wrong + (report.error.empty() ? "" : "it said " + report.error)};
  }
  if (!report.died.empty()) {
    return {Verdict::kRefused, report.died};
  }
  if (!report.counts.reached()) {
    return {Verdict::kNotReached, ""};
  }
  return {report.error.empty() ? Verdict::kDone : Verdict::kRefused, report.error};
}

}  // namespace klip::sweep
