#include <cerrno>

#include "simulate/disk.h"
#include "simulate/run.h"
#include "simulate/schedule.h"

namespace klip::simulate {
namespace {

struct Kind {
  Call call;
  int error;
};

// EINTR is what the kernel says at most now and then, so it never lasts.
const std::vector<Kind> kKinds = {{Call::kWrite, EIO},
                                  {Call::kWrite, ENOSPC},
                                  {Call::kWrite, EINTR},
                                  {Call::kWrite, 0},
                                  {Call::kSync, EIO},
                                  {Call::kSyncDirectory, EIO},
                                  {Call::kOpen, EMFILE},
                                  {Call::kOpen, EIO},
                                  {Call::kOpen, EINTR},
                                  {Call::kRead, EIO},
                                  {Call::kRead, 0},
                                  {Call::kRead, EINTR},
                                  {Call::kRename, EIO},
                                  {Call::kRename, ENOSPC},
                                  {Call::kLink, EIO},
                                  {Call::kUnlink, EIO},
                                  {Call::kTruncate, EIO},
                                  {Call::kAllocate, ENOSPC},
                                  {Call::kAllocate, EINTR},
                                  {Call::kMakeDirectory, EIO},
                                  {Call::kMakeDirectory, ENOSPC},
                                  {Call::kList, EMFILE},
                                  {Call::kAny, EIO}};

}  // namespace

Trouble MakeTrouble(Run* run, ops::Random* random, int64_t most_calls, bool may_lose_power) {
  Trouble trouble;
  Disk::The().Plan({});
  Disk::The().CutAt(-1);
  const size_t choice = random->Below(10);
  if (choice < 6) {
    trouble.cut_at = random->Between(1, random->OneIn(3) ? 20 : most_calls);
    trouble.power = may_lose_power && !random->OneIn(3);
    trouble.text = (trouble.power ? "power cut at change " : "killed at change ") + std::to_string(trouble.cut_at);
    Disk::The().CutAt(trouble.cut_at);
  } else if (choice < 9) {
    const Kind kind = random->Pick(kKinds);
    Fault fault = {.call = kind.call,
                   .number = random->Between(1, random->OneIn(2) ? 10 : most_calls / 4),
                   .error = kind.error,
                   .lasting = kind.error != EINTR && random->OneIn(2)};
    trouble.faulty = true;
    trouble.text = std::string(NameOf(fault.call)) + " " + std::to_string(fault.number) +
                   (fault.lasting ? " and later: " : ": ") + "error " + std::to_string(fault.error);
    trouble.power = may_lose_power && random->OneIn(2);
    Disk::The().Plan({fault});
  } else {
    trouble.power = may_lose_power && random->OneIn(2);
    trouble.text = "none";
  }
  JumpNs(
      10'000'000);  // no machine starts within a millisecond: what is written then is newer than what was deleted before
  if (random->OneIn(8)) {
    const int64_t by_s = DrawJumpS(random);
    JumpNs(by_s * 1'000'000'000);
    trouble.text += ", the clock jumps by " + std::to_string(by_s) + " s";
  }
  run->log += "-- " + trouble.text + "\n";
  return trouble;
}

int64_t DrawJumpS(ops::Random* random) {
  constexpr int64_t kDayS = 86'400;
  return random->Between(1, random->Pick<int64_t>({10, 3600, kDayS, 365 * kDayS, 3650 * kDayS}));
}

bool MayFail() { return Disk::The().is_off() || Disk::The().failed() > 0; }

void EndTrouble(const Trouble& trouble, ops::Random* random, Run* run) {
  Disk& disk = Disk::The();
  run->cuts += disk.is_off() ? 1 : 0;
  run->faults += disk.failed();
  static const std::vector<Loss> kLosses = {Loss::kUnsynced, Loss::kPrefix, Loss::kPages};
  disk.LosePower(trouble.power ? random->Pick(kLosses) : Loss::kNothing, random);
}

}  // namespace klip::simulate
