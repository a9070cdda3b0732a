#include "model/delete_tracker.h"

namespace klip::model {

void DeleteTracker::Add(const CellRef& marker) {
  if (has_family_ && marker.timestamp_ms <= family_timestamp_) {
    return;  // masks nothing more
  }
  any_ = true;
  if (marker.type == CellType::kDeleteFamily) {
    has_family_ = true;
    family_timestamp_ = marker.timestamp_ms;
    return;
  }
  if (marker.type == CellType::kDeleteFamilyVersion) {
    family_versions_.push_back(marker.timestamp_ms);
    return;
  }
  if (has_column_ && column_type_ == CellType::kDeleteColumn && column_ == marker.qualifier) {
    return;  // an older marker, in a column that is deleted up to a newer timestamp
  }
  has_column_ = true;
  column_.assign(marker.qualifier);
  column_type_ = marker.type;
  column_timestamp_ = marker.timestamp_ms;
}

Masked DeleteTracker::CheckSlow(const CellRef& put) {
  if (has_family_ && put.timestamp_ms <= family_timestamp_) {
    return Masked::kColumn;
  }
  if (std::find(family_versions_.begin(), family_versions_.end(), put.timestamp_ms) != family_versions_.end()) {
    return Masked::kVersion;
  }
  if (!has_column_ || column_ != put.qualifier) {
    return Masked::kNo;
  }
  if (column_type_ == CellType::kDeleteColumn) {
    return Masked::kColumn;
  }
  return put.timestamp_ms == column_timestamp_ ? Masked::kVersion : Masked::kNo;
}

void NewVersionTracker::Reset() {
  family_nodes_.assign(1, Node());
  in_column_ = false;
}

void NewVersionTracker::EnterColumn(std::string_view qualifier) {
  if (in_column_ && column_ == qualifier) {
    return;
  }
  column_.assign(qualifier);
  in_column_ = true;
  column_nodes_ = family_nodes_;
}

void NewVersionTracker::AddNode(std::vector<Node>* nodes, const CellRef& marker) {
  auto at =
      std::find_if(nodes->begin(), nodes->end(), [&](const Node& node) { return node.sequence >= marker.sequence; });
  Node node;
  node.timestamp_ms = marker.timestamp_ms;
  node.sequence = marker.sequence;
  if (at != nodes->end() && at->sequence == marker.sequence) {
    *at = std::move(node);
  } else {
    nodes->insert(at, std::move(node));
  }
}

void NewVersionTracker::AddVersionDelete(std::vector<Node>* nodes, const CellRef& marker) {
  auto node =
      std::find_if(nodes->begin(), nodes->end(), [&](const Node& one) { return one.sequence >= marker.sequence; });
  node->deletes.push_back({marker.timestamp_ms, marker.sequence});
  auto next = std::find_if(node->segments.begin(), node->segments.end(),
                           [&](const Segment& segment) { return segment.sequence >= marker.sequence; });
  if (next->sequence == marker.sequence) {
    return;
  }
  Segment before;
  before.sequence = marker.sequence;
  std::copy_if(next->puts.begin(), next->puts.end(), std::back_inserter(before.puts),
               [&](uint64_t sequence) { return sequence < marker.sequence; });
  node->segments.insert(next, std::move(before));
}

void NewVersionTracker::Add(const CellRef& marker) {
  // The family's markers stand in the empty column among its own cells: both sets include them.
  switch (marker.type) {
    case CellType::kDeleteFamily:
      AddNode(&family_nodes_, marker);
      if (in_column_) {
        AddNode(&column_nodes_, marker);
      }
      break;
    case CellType::kDeleteFamilyVersion:
      AddVersionDelete(&family_nodes_, marker);
      if (in_column_) {
        AddVersionDelete(&column_nodes_, marker);
      }
      break;
    case CellType::kDeleteColumn:
      EnterColumn(marker.qualifier);
      AddNode(&column_nodes_, marker);
      break;
    case CellType::kDelete:
      EnterColumn(marker.qualifier);
      AddVersionDelete(&column_nodes_, marker);
      break;
    case CellType::kPut:
      break;
  }
}

Masked NewVersionTracker::Check(const CellRef& put) {
  EnterColumn(put.qualifier);
  for (Node& node : column_nodes_) {
    if (node.sequence < put.sequence) {
      continue;
    }
    uint64_t deleted_at = UINT64_MAX;
    for (const VersionDelete& marker : node.deletes) {
      if (marker.timestamp_ms == put.timestamp_ms && marker.sequence >= put.sequence) {
        deleted_at = std::min(deleted_at, marker.sequence);
      }
    }
    for (Segment& segment : node.segments) {
      if (segment.sequence < put.sequence || segment.sequence > deleted_at) {
        continue;
      }
      if (segment.puts.size() >= max_versions_) {
        return Masked::kVersion;
      }
      segment.puts.push_back(put.sequence);
    }
    if (deleted_at != UINT64_MAX) {
      return Masked::kVersion;
    }
    if (put.timestamp_ms <= node.timestamp_ms) {
      return Masked::kVersion;  // older ones may have been written after the marker
    }
  }
  return Masked::kNo;
}

}  // namespace klip::model
