// Cursors over one box, and over many. The union keeps the boxes in a heap by their next possible row, so only boxes that
// may contain a row see it.
#include <algorithm>
#include <iterator>
#include <utility>

#include "filter/rows/box_walk.h"
#include "filter/rows/row_set.h"

namespace klip::filter {
namespace {

// A box in one scan direction. `Place` below is a target row (forward) or an exclusive upper bound (reversed).
class DirectedWalk {
 public:
  DirectedWalk(const CompiledBox* box, bool reversed, const KnownRows& known)
      : walk_(box, known.shortest_row_bytes), reversed_(reversed), leads_(known.leads) {}

  const CompiledBox& box() const { return walk_.box(); }
  int level() const { return leads_ == nullptr ? walk_.level() : level_; }
  bool Fits(std::string_view row) { return walk_.Fits(row); }

  bool Run(std::string_view row, std::string* end, bool* any_bytes) const {
    return reversed_ ? walk_.RunDown(row, end, any_bytes) : walk_.RunUp(row, end, any_bytes);
  }

  // Reversed: an empty *place is the end of the table.
  bool First(std::string* place) {
    if (!reversed_) {
      return walk_.Ceil({}, place) && (leads_ == nullptr || ToKnownUp(place));
    }
    bool open = false;
    const bool found = walk_.Floor(nullptr, place, &open);
    if (open) {
      place->clear();
    }
    return found && (leads_ == nullptr || ToKnownDown(place));
  }

  // REQUIRES: the last call was Fits(row), and returned false.
  bool Next(std::string_view row, std::string* place) {
    if (reversed_) {
      bool open = false;
      return walk_.Floor(&row, place, &open) && (leads_ == nullptr || ToKnownDown(place));
    }
    if (!walk_.CeilOfLast(row, place) || (leads_ != nullptr && !ToKnownUp(place))) {
      return false;
    }
    if (*place == row) {
      place->push_back('\0');
    }
    return true;
  }

 private:
  // Rows at or above *place begin with its lead or a higher one: moves it up to the first row that a known lead allows.
  bool ToKnownUp(std::string* place) {
    const std::vector<std::string>& values = leads_->values;
    const int level = walk_.level();
    while (true) {
      const std::string_view lead = LeadOf(leads_->parts, *place);
      if (at_ >= values.size() || values[at_] != lead) {
        if (at_ + 1 < values.size() && values[at_] < lead && lead <= values[at_ + 1]) {
          ++at_;
        } else {
          at_ = static_cast<size_t>(std::lower_bound(values.begin(), values.end(), lead) - values.begin());
        }
        if (at_ == values.size()) {
          return false;
        }
      }
      if (values[at_] == lead) {
        level_ = level;
        return true;
      }
      if (!walk_.Ceil(values[at_], place)) {
        return false;
      }
    }
  }

  // The same downwards; *place is an exclusive bound, empty at the end of the table.
  bool ToKnownDown(std::string* place) {
    const std::vector<std::string>& values = leads_->values;
    const int level = walk_.level();
    while (true) {
      const std::string_view lead = LeadOf(leads_->parts, *place);
      const auto above = place->empty() ? values.end() : std::upper_bound(values.begin(), values.end(), lead);
      if (above == values.begin()) {
        return false;
      }
      bound_ = *std::prev(above);
      level_ = level;
      if (bound_ == lead || !ToPrefixSuccessor(&bound_) || (!place->empty() && bound_ >= *place)) {
        return true;
      }
      const std::string_view below = bound_;
      bool open = false;
      if (!walk_.Floor(&below, place, &open)) {
        return false;
      }
    }
  }

  BoxWalk walk_;
  bool reversed_;
  std::shared_ptr<const KnownLeads> leads_;
  size_t at_ = 0;  // index in leads_->values
  int level_ = 0;
  std::string bound_;
};

class BoxCursor final : public RowCursor {
 public:
  BoxCursor(const CompiledBox* box, bool reversed, const KnownRows& known)
      : RowCursor(reversed), walk_(box, reversed, known) {
    run_min_bytes_ = box->min_row_bytes();
    run_max_bytes_ = box->max_row_bytes();
  }

  bool First() override { return walk_.First(&target_); }

  bool Holds(std::string_view row) override {
    if (!walk_.Fits(row)) {
      run_ = false;
      return false;
    }
    FindRun(row);
    return true;
  }

  Verdict Look(std::string_view row) override {
    if (Holds(row)) {
      return Verdict::kInside;
    }
    if (!walk_.Next(row, &target_)) {
      return Verdict::kEnd;
    }
    level_ = walk_.level();
    return Verdict::kJump;
  }

 private:
  // If runs have repeatedly had one row only, mostly stops looking for them.
  void FindRun(std::string_view row) {
    constexpr uint32_t kPatience = 8;
    constexpr uint32_t kOneInSoMany = 16;
    if (run_) {
      useless_runs_ = run_used_ ? 0 : useless_runs_ + 1;
    }
    run_used_ = false;
    run_ = (useless_runs_ < kPatience || ++skipped_runs_ % kOneInSoMany == 0) &&
           walk_.Run(row, &run_end_, &run_any_bytes_);
  }

  DirectedWalk walk_;
  uint32_t useless_runs_ = 0;  // consecutive ones
  uint32_t skipped_runs_ = 0;
};

class UnionCursor final : public RowCursor {
 public:
  UnionCursor(const std::vector<CompiledBox>& boxes, bool reversed, const KnownRows& known) : RowCursor(reversed) {
    members_.reserve(boxes.size());
    for (const CompiledBox& box : boxes) {
      members_.push_back({DirectedWalk(&box, reversed, known), {}, 0});
    }
    Start();
  }

  bool First() override {
    Start();
    if (heap_.empty()) {
      return false;
    }
    target_ = Top().place;
    return true;
  }

  Verdict Look(std::string_view row) override {
    run_ = false;
    if (!heap_.empty() && !started_) {
      Start();
    }
    while (!heap_.empty() && Reached(Top().place, row)) {
      Member& member = Top();
      if (member.walk.Fits(row)) {
        run_min_bytes_ = member.walk.box().min_row_bytes();
        run_max_bytes_ = member.walk.box().max_row_bytes();
        run_ = member.walk.Run(row, &run_end_, &run_any_bytes_);
        return Verdict::kInside;
      }
      if (member.walk.Next(row, &member.place)) {
        member.level = member.walk.level();
        SinkTop();
      } else {
        RemoveTop();
      }
    }
    if (heap_.empty()) {
      return Verdict::kEnd;
    }
    target_ = Top().place;
    level_ = Top().level;
    return Verdict::kJump;
  }

 private:
  struct Member {
    DirectedWalk walk;
    std::string place;  // no row of the box lies between the checked rows and this place
    int level;
  };

  void Start() {
    started_ = true;
    heap_.clear();
    for (size_t i = 0; i < members_.size(); ++i) {
      if (members_[i].walk.First(&members_[i].place)) {
        heap_.push_back(i);
      }
    }
    for (size_t i = heap_.size() / 2; i-- > 0;) {
      Sink(i);
    }
  }

  Member& Top() { return members_[heap_[0]]; }

  bool Reached(const std::string& place, std::string_view row) const {
    return reversed_ ? place.empty() || row < std::string_view(place) : std::string_view(place) <= row;
  }

  bool Before(size_t a, size_t b) const {
    const std::string& x = members_[heap_[a]].place;
    const std::string& y = members_[heap_[b]].place;
    if (!reversed_) {
      return x < y;
    }
    return !y.empty() && (x.empty() || x > y);
  }

  void Sink(size_t index) {
    for (;;) {
      size_t first = index;
      for (size_t child = 2 * index + 1; child <= 2 * index + 2 && child < heap_.size(); ++child) {
        first = Before(child, first) ? child : first;
      }
      if (first == index) {
        return;
      }
      std::swap(heap_[index], heap_[first]);
      index = first;
    }
  }

  void SinkTop() { Sink(0); }

  void RemoveTop() {
    heap_[0] = heap_.back();
    heap_.pop_back();
    Sink(0);
  }

  std::vector<Member> members_;
  std::vector<size_t> heap_;  // indexes of the members_ that have not ended
  bool started_ = false;
};

}  // namespace

std::unique_ptr<RowCursor> RowSet::NewCursor(bool reversed, const KnownRows& known) const {
  if (compiled_->size() == 1) {
    return std::make_unique<BoxCursor>(&compiled_->front(), reversed, known);
  }
  return std::make_unique<UnionCursor>(*compiled_, reversed, known);
}

}  // namespace klip::filter
