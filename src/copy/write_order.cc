#include "copy/write_order.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/delete_tracker.h"

namespace klip::copy {
namespace {

auto KeyOf(const Cell& cell) { return std::tie(cell.family, cell.qualifier, cell.timestamp_ms, cell.type); }

class WriteOrderReader final : public CellReader {
 public:
  WriteOrderReader(std::unique_ptr<ResultScanner> all, std::unique_ptr<ResultScanner> seen, NewVersionFamilies families)
      : all_(std::move(all)), seen_(std::move(seen)), families_(std::move(families)) {}

  Expected<bool> Next(Result* cells) override {
    cells->Clear();
    while (cells->empty()) {
      if (step_ == Step::kNextRow) {
        KLIP_ASSIGN_OR_RETURN(const bool more, all_->Next(&row_));
        if (!more) {
          return false;
        }
        KLIP_RETURN_IF_ERROR(FindSeen());
        Plan();
        step_ = Step::kFirst;
      }
      for (size_t i = 0; i < row_.size(); ++i) {
        if (steps_[i] == step_) {
          cells->AppendCopy(row_[i]);
        }
      }
      step_ = static_cast<Step>(static_cast<int>(step_) + 1);
    }
    return true;
  }

 private:
  enum class Step : uint8_t { kFirst, kMarkers, kLast, kNextRow, kNever };
  // The cells of a family or a column, by their places in row_.
  struct Range {
    size_t begin;
    size_t end;
  };

  // Moves the scan of visible cells to the row.
  Status FindSeen() {
    while (!seen_ended_ && (seen_row_.empty() || seen_row_.row() < row_.row())) {
      KLIP_ASSIGN_OR_RETURN(const bool more, seen_->Next(&seen_row_));
      seen_ended_ = !more;
    }
    return Status::Ok();
  }

  // Decides when each cell of the row is written.
  void Plan() {
    steps_.assign(row_.size(), Step::kFirst);
    is_seen_.assign(row_.size(), false);
    const bool any_seen = seen_row_.row() == row_.row();
    for (size_t i = 0, next = 0; i < row_.size() && any_seen; ++i) {  // both in the order of cells
      if (next < seen_row_.size() && KeyOf(seen_row_[next]) == KeyOf(row_[i])) {
        is_seen_[i] = true;
        ++next;
      }
    }
    for (Range family = {0, 0}; family.begin < row_.size(); family.begin = family.end) {
      while (family.end < row_.size() && row_[family.end].family == row_[family.begin].family) {
        ++family.end;
      }
      const auto limit = families_.find(row_[family.begin].family);
      for (Range column = {family.begin, family.begin}; column.begin < family.end; column.begin = column.end) {
        while (column.end < family.end && row_[column.end].qualifier == row_[column.begin].qualifier) {
          ++column.end;
        }
        PlanColumn(family, column, limit == families_.end() ? 0 : limit->second);
      }
    }
  }

  // `max_versions`: 0 for a family without NEW_VERSION_BEHAVIOR.
  void PlanColumn(Range family, Range column, int32_t max_versions) {
    Place(family, column, /*early=*/false);
    if (max_versions == 0 || ReadersSeeTheSame(family, column, max_versions)) {
      return;
    }
    Place(family, column, /*early=*/true);
    if (!ReadersSeeTheSame(family, column, max_versions)) {
      Place(family, column, /*early=*/false);
      LeaveOutReturning(family, column, max_versions);
    }
  }

  // `early`: visible puts come first if no marker covers them.
  void Place(Range family, Range column, bool early) {
    for (size_t i = column.begin; i < column.end; ++i) {
      const bool last = is_seen_[i] && (!early || IsCovered(family, row_[i]));
      steps_[i] = row_[i].type != CellType::kPut ? Step::kMarkers : last ? Step::kLast : Step::kFirst;
    }
  }

  // Whether a marker would mask the put if it were written later.
  bool IsCovered(Range family, const Cell& put) const {
    for (size_t i = family.begin; i < family.end; ++i) {
      const Cell& marker = row_[i];
      const bool of_family = marker.type == CellType::kDeleteFamily || marker.type == CellType::kDeleteFamilyVersion;
      const bool of_version = marker.type == CellType::kDelete || marker.type == CellType::kDeleteFamilyVersion;
      if (marker.type != CellType::kPut && (of_family || marker.qualifier == put.qualifier) &&
          (of_version ? put.timestamp_ms == marker.timestamp_ms : put.timestamp_ms <= marker.timestamp_ms)) {
        return true;
      }
    }
    return false;
  }

  // Which cells of the column readers of the copy see. The family's markers stand in the empty column. Within a step, cells are
  // written in their order.
  std::vector<bool> Visible(Range family, Range column, int32_t max_versions) const {
    std::vector<bool> visible(row_.size(), false);
    model::NewVersionTracker tracker(max_versions);
    for (size_t i = family.begin; i < column.end; ++i) {
      const model::CellRef cell = {.qualifier = row_[i].qualifier,
                                   .timestamp_ms = row_[i].timestamp_ms,
                                   .type = row_[i].type,
                                   .sequence = static_cast<uint64_t>(steps_[i]) * row_.size() + i + 1};
      const bool of_family = cell.type == CellType::kDeleteFamily || cell.type == CellType::kDeleteFamilyVersion;
      if (i < column.begin && !of_family) {
        continue;
      }
      if (cell.type != CellType::kPut) {
        tracker.Add(cell);
      } else if (steps_[i] != Step::kNever) {
        visible[i] = tracker.Check(cell) == model::Masked::kNo;
      }
    }
    return visible;
  }

  bool ReadersSeeTheSame(Range family, Range column, int32_t max_versions) const {
    const std::vector<bool> visible = Visible(family, column, max_versions);
    for (size_t i = column.begin; i < column.end; ++i) {
      if (visible[i] != is_seen_[i]) {
        return false;
      }
    }
    return true;
  }

  // Leaves out hidden puts that readers of the copy would see.
  void LeaveOutReturning(Range family, Range column, int32_t max_versions) {
    for (bool again = true; again;) {
      again = false;
      const std::vector<bool> visible = Visible(family, column, max_versions);
      for (size_t i = column.begin; i < column.end; ++i) {
        if (visible[i] && !is_seen_[i]) {
          steps_[i] = Step::kNever;
          again = true;
        }
      }
    }
  }

  const std::unique_ptr<ResultScanner> all_;
  const std::unique_ptr<ResultScanner> seen_;
  const NewVersionFamilies families_;
  Result row_;
  Result seen_row_;  // at row_ or above
  bool seen_ended_ = false;
  std::vector<bool> is_seen_;  // by cells of row_
  std::vector<Step> steps_;
  Step step_ = Step::kNextRow;
};

}  // namespace

NewVersionFamilies NewVersionFamiliesIn(const TableDescriptor& descriptor) {
  NewVersionFamilies families;
  for (const FamilyDescriptor& family : descriptor.families) {
    if (family.new_version_behavior) {
      families[family.name] = family.max_versions;
    }
  }
  return families;
}

bool NeedsWriteOrder(const TableDescriptor& descriptor) {
  return std::ranges::any_of(descriptor.families, &FamilyDescriptor::new_version_behavior);
}

Expected<std::unique_ptr<CellReader>> OpenInWriteOrder(Table* table, Scan scan, NewVersionFamilies families) {
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<ResultScanner> all, table->Scan(scan));
  scan.raw = false;
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<ResultScanner> seen, table->Scan(scan));
  return std::unique_ptr<CellReader>(
      std::make_unique<WriteOrderReader>(std::move(all), std::move(seen), std::move(families)));
}

}  // namespace klip::copy
