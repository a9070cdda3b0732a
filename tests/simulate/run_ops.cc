#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/random_ops.h"
#include "model/reference_table.h"
#include "ops/op_language.h"
#include "ops/store_session.h"
#include "simulate/run.h"
#include "simulate/schedule.h"

namespace klip::simulate {
namespace {

constexpr size_t kOps = 150;

bool IsError(const std::string& said) {
  return said.starts_with("error ") || said.find("\nerror ") != std::string::npos;
}

class OpsRun {
 public:
  explicit OpsRun(Run* run) : run_(*run), random_(run->seed), test_(ops::MakeRandomCase(run->seed, kOps)) {
    test_.options.sync_wal = true;
    test_.options.clock_ms = [this] { return clock_ms_; };
    SetClocks();
  }

  std::string Make() {
    if (std::string wrong = MakeTable(); !wrong.empty()) {
      return wrong;
    }
    while (next_ < test_.ops.size()) {
      const Trouble trouble = MakeTrouble(&run_, &random_, random_.OneIn(2) ? 300 : 60, /*may_lose_power=*/true);
      if (std::string wrong = Live(); !wrong.empty()) {
        return wrong;
      }
      EndTrouble(trouble, &random_, &run_);
      if (std::string wrong = Check(); !wrong.empty()) {
        return wrong;
      }
    }
    return "";
  }

 private:
  // Somebody sets the store's clock, by seconds to years. Cells that have expired stay away when it is set back, as a major compaction
  // has dropped them before; a family that keeps deleted cells has none (random_ops.cc).
  void SetClocks() {
    const bool back = test_.create.find("KEEP_DELETED") == std::string::npos;
    for (int64_t times = random_.Between(0, 4); times > 0; --times) {
      const auto at = test_.ops.begin() + random_.Between(0, static_cast<int64_t>(test_.ops.size()) - 1);
      const std::string by = std::to_string(DrawJumpS(&random_)) + "s";
      if (back && random_.OneIn(2)) {
        test_.ops.insert(test_.ops.insert(at, "advance -" + by), "major");
      } else {
        test_.ops.insert(at, "advance " + by);
      }
    }
  }

  std::string MakeTable() {
    ops::StoreSession session(run_.directory + "/store", test_.options);
    run_.log += test_.create + "\n";
    if (std::string error = session.Run(test_.create); !error.empty()) {
      return error;
    }
    clock_ms_ = session.clock_ms();
    const Expected<TableDescriptor> descriptor = session.connection().admin().GetDescriptor("t");
    if (!descriptor.ok()) {
      return descriptor.status().ToString();
    }
    models_.emplace_back(*descriptor, &clock_ms_);
    return "";
  }

  Status Open() {
    Close();
    KLIP_ASSIGN_OR_RETURN(connection_, Connection::Open("klip:" + run_.directory + "/store", test_.options));
    KLIP_ASSIGN_OR_RETURN(table_, connection_->GetTable("t"));
    return {};
  }

  void Close() {
    table_.reset();
    connection_.reset();
  }

  Status RunStoreOp(const std::vector<std::string>& tokens) {
    Admin& admin = connection_->admin();
    if (tokens[0] == "reopen") {
      return Open();
    }
    if (tokens[0] == "advance") {
      const bool seconds = !tokens[1].ends_with("ms");
      clock_ms_ = std::max<int64_t>(1, clock_ms_ + std::stoll(tokens[1]) * (seconds ? 1000 : 1));
      return {};
    }
    KLIP_RETURN_IF_ERROR(admin.Flush("t"));
    return tokens[0] == "major" ? admin.MajorCompact("t") : Status();
  }

  std::string RunLine(const std::string& line) {
    const std::vector<std::string> tokens = ops::Tokens(line);
    if (ops::IsTableOp(tokens[0])) {
      return ops::RunTableOp(*table_, tokens);
    }
    const Status status = RunStoreOp(tokens);
    return status.ok() ? "" : ops::FormatError(status);
  }

  // Runs ops until the first that fails. It is unknown whether a failed write exists after the end of the life.
  std::string Live() {
    if (random_.OneIn(8)) {
      JumpTime();
    }
    Status opened = Open();
    if (!opened.ok()) {
      Close();
      return MayFail() ? "" : "the store does not open: " + opened.ToString();
    }
    while (next_ < test_.ops.size()) {
      const std::string& line = test_.ops[next_];
      if (random_.OneIn(50)) {
        JumpTime();
      }
      const std::string said = RunLine(line);
      run_.log += line + "\n" + said;
      if (Agrees(line, said)) {
        ++next_;
        ++run_.operations;
      } else if (!IsError(said) || !MayFail() || said.find("error Corruption") != std::string::npos) {
        return Describe(line, said);
      } else {
        NoteFailed(line);
        break;
      }
    }
    Close();
    return "";
  }

  // The time of day goes forth or back, as when the machine's clock is set. The cells' times are by the op's own clock.
  void JumpTime() {
    const int64_t by_s = DrawJumpS(&random_) * (random_.OneIn(2) ? 1 : -1);
    run_.log += "the clock jumps by " + std::to_string(by_s) + " s\n";
    JumpNs(by_s * 1'000'000'000);
  }

  // Whether any of the models says so, too; those that do not are out, and the others have made the op.
  bool Agrees(const std::string& line, const std::string& said) {
    std::vector<ops::ReferenceTable> agree;
    for (const ops::ReferenceTable& model : models_) {
      ops::ReferenceTable after = model;
      if (ops::RunOnModel(&after, line) == said) {
        agree.push_back(std::move(after));
      }
    }
    if (agree.empty()) {
      return false;
    }
    models_ = std::move(agree);
    return true;
  }

  // Reads, flushes and compactions are made again in the next life: a compaction may have ended in one family only.
  void NoteFailed(const std::string& line) {
    const std::vector<std::string> tokens = ops::Tokens(line);
    if (!ops::IsTableOp(tokens[0])) {
      return;
    }
    ++next_;
    const size_t known = models_.size();
    for (size_t i = 0; i < known; ++i) {
      ops::ReferenceTable after = models_[i];
      ops::RunOnModel(&after, line);
      models_.push_back(std::move(after));
    }
  }

  // Without trouble the store opens and has all that was acknowledged.
  std::string Check() {
    const Status opened = Open();
    if (!opened.ok()) {
      return "the store does not open: " + opened.ToString();
    }
    const std::string line = "scan versions=all";
    const std::string said = RunLine(line);
    Close();
    run_.log += "after the recovery:\n" + said;
    return Agrees(line, said) ? "" : "after the recovery: " + Describe(line, said);
  }

  std::string Describe(const std::string& line, const std::string& said) {
    std::string out = line + " says\n" + said;
    for (ops::ReferenceTable& model : models_) {
      out += "where the model says\n" + ops::RunOnModel(&model, line);
    }
    return out;
  }

  Run& run_;
  ops::Random random_;
  ops::RandomCase test_;
  int64_t clock_ms_ = 0;
  size_t next_ = 0;  // op
  // The possible contents of the store: several if it is unknown which of the failed writes exist.
  std::vector<ops::ReferenceTable> models_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Table> table_;
};

}  // namespace

std::string RunOps(Run* run) { return OpsRun(run).Make(); }

}  // namespace klip::simulate
