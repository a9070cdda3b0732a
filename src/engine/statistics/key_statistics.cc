#include "engine/statistics/key_statistics.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "rocksdb/table_properties.h"

#include "engine/layout/cell_key.h"
#include "engine/statistics/key_sampler.h"
#include "engine/statistics/plain_rows.h"
#include "engine/view/table_view.h"
#include "klip/bytes.h"

namespace klip::engine {
namespace {

constexpr uint8_t kVersion = 1;
constexpr size_t kMaxAnchorRowBytes = 128;  // longer rows are cut: an anchor need not exist

// Merges neighbours until at most kMaxAnchors of about equal size are left.
void ThinOut(std::vector<KeyStatistics::Anchor>* anchors) {
  if (anchors->size() <= KeyStatistics::kMaxAnchors) {
    return;
  }
  int64_t total = 0;
  for (const KeyStatistics::Anchor& anchor : *anchors) {
    total += anchor.bytes;
  }
  // Two adjacent anchors together always exceed a piece, so at most twice as many are kept.
  const int64_t piece = total / static_cast<int64_t>(KeyStatistics::kMaxAnchors / 2 - 1) + 1;
  std::vector<KeyStatistics::Anchor> kept;
  for (KeyStatistics::Anchor& anchor : *anchors) {
    if (kept.empty() || kept.back().bytes + anchor.bytes > piece) {
      kept.push_back(std::move(anchor));
    } else {
      kept.back().rows += anchor.rows;
      kept.back().bytes += anchor.bytes;
    }
  }
  *anchors = std::move(kept);
}

// Reads fixed-width numbers and checks that they are complete.
class Reader {
 public:
  explicit Reader(std::string_view input) : input_(input) {}

  template <typename T>
  bool Take(T* value) {
    if (input_.size() < sizeof(T)) {
      return false;
    }
    *value = ReadBigEndian<T>(input_.data());
    input_.remove_prefix(sizeof(T));
    return true;
  }
  bool TakeBytes(size_t count, std::string* out) {
    if (input_.size() < count) {
      return false;
    }
    out->assign(input_.substr(0, count));
    input_.remove_prefix(count);
    return true;
  }
  std::string_view* rest() { return &input_; }

 private:
  std::string_view input_;
};

// More than a file can contain, but the sum over all files of a store still fits.
bool SoundCount(int64_t count) { return count >= 0 && count < int64_t{1} << 44; }

bool ParseFields(Reader* reader, KeyStatistics* out) {
  uint16_t parts = 0;
  if (!reader->Take(&out->rows) || !reader->Take(&out->cells) || !reader->Take(&out->delete_markers) ||
      !reader->Take(&out->shortest_row_bytes) || !reader->Take(&parts) || parts > KeyStatistics::kMaxParts ||
      !SoundCount(out->rows) || !SoundCount(out->cells) || !SoundCount(out->delete_markers)) {
    return false;
  }
  out->prefixes.resize(parts);
  for (DistinctCounter& counter : out->prefixes) {
    if (!counter.ParseFrom(reader->rest())) {
      return false;
    }
  }
  uint16_t anchors = 0;
  if (!reader->Take(&anchors) || anchors > KeyStatistics::kMaxAnchors) {
    return false;
  }
  out->anchors.resize(anchors);
  for (KeyStatistics::Anchor& anchor : out->anchors) {
    uint16_t row_bytes = 0;
    if (!reader->Take(&anchor.rows) || !reader->Take(&anchor.bytes) || !reader->Take(&row_bytes) ||
        !SoundCount(anchor.rows) || !SoundCount(anchor.bytes) || row_bytes > kMaxAnchorRowBytes ||
        !reader->TakeBytes(row_bytes, &anchor.row)) {
      return false;
    }
  }
  return reader->rest()->empty();
}

class Collector final : public rocksdb::TablePropertiesCollector {
 public:
  explicit Collector(std::shared_ptr<const std::vector<KeyPart>> parts)
      : parts_(std::move(parts)),
        leads_(LeadParts(*parts_)),
        sampler_(std::min(parts_->size(), filter::KeySample::kMaxParts)) {
    keys_.prefixes.resize(std::min(parts_->size(), filter::KeySample::kMaxParts));
    runs_.resize(keys_.prefixes.size());
  }

  const char* Name() const override { return "klip.KeyStatistics"; }

  rocksdb::Status AddUserKey(const rocksdb::Slice& key, const rocksdb::Slice& value, rocksdb::EntryType type,
                             rocksdb::SequenceNumber /*sequence*/, uint64_t /*file_size*/) override {
    if (type != rocksdb::kEntryPut) {
      plain_.Spoil();
      return rocksdb::Status::OK();  // RocksDB's own markers of dropped cells
    }
    const bool same_row = !escaped_row_.empty() && key.size() > escaped_row_.size() &&
                          std::memcmp(key.data(), escaped_row_.data(), escaped_row_.size()) == 0;
    if (!same_row && !StartRow({key.data(), key.size()})) {
      plain_.Spoil();
      return rocksdb::Status::OK();  // damaged; reads report it
    }
    plain_.Add({key.data(), key.size()}, {value.data(), value.size()}, !same_row);
    ++keys_.cells;
    const auto cell_type = static_cast<CellType>(static_cast<uint8_t>(~static_cast<uint8_t>(key[key.size() - 1])));
    if (cell_type != CellType::kPut) {
      ++keys_.delete_markers;
    }
    if (sampler_.wants_cells() && key.size() >= kTimestampAndTypeBytes) {
      sampler_.AddCell(cell_type, ReadKeyTimestamp(key.data() + key.size() - kTimestampAndTypeBytes));
    }
    keys_.anchors.back().bytes += static_cast<int64_t>(key.size() + value.size());
    return rocksdb::Status::OK();
  }

  rocksdb::Status Finish(rocksdb::UserCollectedProperties* properties) override {
    EndRuns(0);
    std::string keys = keys_.Serialize();
    (*properties)[kKeySampleProperty] =
        sampler_.Finish(keys_.rows, prefix_is_row_)
            .Serialize(kMaxStatisticsBytes - std::min(kMaxStatisticsBytes, keys.size()));
    (*properties)[kKeyStatisticsProperty] = std::move(keys);
    (*properties)[kLeadingValuesProperty] = leads_.Serialize();
    if (const std::optional<PlainRows> plain = plain_.Finish(); plain.has_value()) {
      (*properties)[kPlainRowsProperty] = plain->Serialize();
    }
    return rocksdb::Status::OK();
  }

  rocksdb::UserCollectedProperties GetReadableProperties() const override {
    return {{"klip.rows", std::to_string(keys_.rows)}, {"klip.cells", std::to_string(keys_.cells)}};
  }

 private:
  bool StartRow(std::string_view key) {
    const size_t escaped_bytes = EscapedRowLength(key);
    if (escaped_bytes == 0) {
      return false;
    }
    escaped_row_.assign(key.substr(0, escaped_bytes));
    const std::string_view row = Unescape(escaped_row_, &unescaped_);
    const bool same_as_prefix = CountPrefixes(row);
    sampler_.StartRow(row, same_as_prefix ? runs_.back().hash : filter::SampleHash(row));
    prefix_is_row_ = prefix_is_row_ && same_as_prefix;
    leads_writer_.Add(&leads_, row);
    keys_.shortest_row_bytes = std::min(keys_.shortest_row_bytes, static_cast<uint32_t>(row.size()));
    if (keys_.rows % stride_ == 0) {
      AddAnchor(row);
    }
    ++keys_.rows;
    ++keys_.anchors.back().rows;
    last_row_.assign(row);
    return true;
  }

  // Rows come sorted, so a prefix is new exactly if it differs from the previous row's. True: the last prefix is the row,
  // and no row before had it.
  bool CountPrefixes(std::string_view row) {
    if (keys_.prefixes.empty()) {
      return false;
    }
    const size_t common = static_cast<size_t>(
        std::mismatch(row.begin(), row.end(), last_row_.begin(), last_row_.end()).first - row.begin());
    size_t end = 0;
    bool is_new = keys_.rows == 0;
    for (size_t i = 0; i < runs_.size(); ++i) {
      const KeyPart& part = (*parts_)[i];
      size_t next = row.size();
      if (part.width_bytes > 0) {
        next = std::min(end + static_cast<size_t>(part.width_bytes), row.size());
      } else if (part.delimiter.has_value()) {
        const size_t at = row.find(*part.delimiter, end);
        next = at == std::string_view::npos ? row.size() : at + 1;
      }
      if (!is_new && (next > common || next != runs_[i].end)) {
        is_new = true;
        EndRuns(i);
      }
      if (is_new) {
        runs_[i] = {.end = next, .hash = filter::SampleHash(row.substr(0, next)), .first_row = keys_.rows};
        keys_.prefixes[i].Add(runs_[i].hash);
      }
      end = next;
    }
    return is_new && end == row.size();
  }

  // Ends the runs of parts `first` and later: no further row belongs to them.
  void EndRuns(size_t first) {
    if (keys_.rows == 0) {
      return;
    }
    const std::string_view row = last_row_;
    for (size_t i = first; i < runs_.size(); ++i) {
      const size_t start = i == 0 ? 0 : runs_[i - 1].end;
      sampler_.EndRun(i, row.substr(0, runs_[i].end), row.substr(start, runs_[i].end - start), runs_[i].hash,
                      keys_.rows - runs_[i].first_row);
    }
  }

  void AddAnchor(std::string_view row) {
    if (keys_.anchors.size() == KeyStatistics::kMaxAnchors) {
      for (size_t i = 0; i < KeyStatistics::kMaxAnchors / 2; ++i) {
        KeyStatistics::Anchor& first = keys_.anchors[2 * i];
        const KeyStatistics::Anchor& second = keys_.anchors[2 * i + 1];
        first.rows += second.rows;
        first.bytes += second.bytes;
        if (i > 0) {
          keys_.anchors[i] = std::move(first);
        }
      }
      keys_.anchors.resize(KeyStatistics::kMaxAnchors / 2);
      stride_ *= 2;
      if (keys_.rows % stride_ != 0) {
        return;
      }
    }
    keys_.anchors.push_back({std::string(row.substr(0, kMaxAnchorRowBytes)), 0, 0});
  }

  // Rows with the same parts 0..i.
  struct Run {
    size_t end = 0;  // of part i
    uint64_t hash = 0;
    int64_t first_row = 0;
  };

  std::shared_ptr<const std::vector<KeyPart>> parts_;
  KeyStatistics keys_;
  filter::LeadingValues leads_;
  filter::LeadingValuesWriter leads_writer_;
  KeySampler sampler_;
  bool prefix_is_row_ = true;
  std::string escaped_row_;
  std::string unescaped_;
  std::string last_row_;
  std::vector<Run> runs_;  // of the parts of last_row_
  int64_t stride_ = 1;     // rows an anchor stands for
  PlainRowsCounter plain_;
};

class CollectorFactory final : public rocksdb::TablePropertiesCollectorFactory {
 public:
  explicit CollectorFactory(std::shared_ptr<FamilyState> state) : state_(std::move(state)) {}

  const char* Name() const override { return "klip.KeyStatisticsFactory"; }

  rocksdb::TablePropertiesCollector* CreateTablePropertiesCollector(
      rocksdb::TablePropertiesCollectorFactory::Context /*context*/) override {
    return new Collector(state_->key_parts.load());
  }

 private:
  std::shared_ptr<FamilyState> state_;
};

}  // namespace

std::vector<KeyPart> LeadParts(const std::vector<KeyPart>& key_parts) {
  constexpr size_t kCuts = 16;
  std::vector<KeyPart> parts = key_parts;
  if (!parts.empty() && parts.back() == KeyPart()) {
    parts.pop_back();
  }
  return parts.empty() ? std::vector<KeyPart>(kCuts, {.width_bytes = 4}) : parts;
}

Expected<KeyStatistics> KeyStatistics::Parse(std::string_view property) {
  KeyStatistics keys;
  Reader reader(property);
  uint8_t version = 0;
  if (!reader.Take(&version) || version != kVersion || !ParseFields(&reader, &keys)) {
    return Status(Code::kCorruption, "key statistics damaged at offset " +
                                         std::to_string(property.size() - reader.rest()->size()) + " of " +
                                         std::to_string(property.size()));
  }
  return keys;
}

std::string KeyStatistics::Serialize() const {
  std::string out;
  AppendBigEndian(kVersion, &out);
  AppendBigEndian(rows, &out);
  AppendBigEndian(cells, &out);
  AppendBigEndian(delete_markers, &out);
  AppendBigEndian(shortest_row_bytes, &out);
  AppendBigEndian(static_cast<uint16_t>(prefixes.size()), &out);
  for (const DistinctCounter& counter : prefixes) {
    counter.AppendTo(&out);
  }
  AppendBigEndian(static_cast<uint16_t>(anchors.size()), &out);
  for (const Anchor& anchor : anchors) {
    AppendBigEndian(anchor.rows, &out);
    AppendBigEndian(anchor.bytes, &out);
    AppendBigEndian(static_cast<uint16_t>(anchor.row.size()), &out);
    out.append(anchor.row);
  }
  return out;
}

void KeyStatistics::Merge(const KeyStatistics& other) {
  const bool first = rows == 0 && prefixes.empty();
  rows += other.rows;
  cells += other.cells;
  delete_markers += other.delete_markers;
  shortest_row_bytes = std::min(shortest_row_bytes, other.shortest_row_bytes);
  if (first) {
    prefixes = other.prefixes;
  } else if (prefixes.size() == other.prefixes.size()) {
    for (size_t i = 0; i < prefixes.size(); ++i) {
      prefixes[i].Merge(other.prefixes[i]);
    }
  }
  std::vector<Anchor> merged;
  merged.reserve(anchors.size() + other.anchors.size());
  std::merge(std::make_move_iterator(anchors.begin()), std::make_move_iterator(anchors.end()), other.anchors.begin(),
             other.anchors.end(), std::back_inserter(merged),
             [](const Anchor& a, const Anchor& b) { return a.row < b.row; });
  anchors = std::move(merged);
  ThinOut(&anchors);
}

std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> NewKeyStatisticsFactory(std::shared_ptr<FamilyState> state) {
  return std::make_shared<CollectorFactory>(std::move(state));
}

}  // namespace klip::engine
