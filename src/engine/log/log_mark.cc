#include "engine/log/log_mark.h"

#include "klip/bytes.h"

namespace klip::engine {

std::string EncodeClusters(const ClusterIds& clusters) {
  std::string mark(kClustersMark);
  for (const ClusterId& cluster : clusters) {
    AppendBigEndian(cluster.high, &mark);
    AppendBigEndian(cluster.low, &mark);
  }
  return mark;
}

bool DecodeClusters(std::string_view mark, ClusterIds* clusters) {
  if (!mark.starts_with(kClustersMark) || (mark.size() - kClustersMark.size()) % sizeof(ClusterId) != 0) {
    return false;
  }
  clusters->clear();
  for (mark.remove_prefix(kClustersMark.size()); !mark.empty(); mark.remove_prefix(sizeof(ClusterId))) {
    clusters->push_back(
        {ReadBigEndian<uint64_t>(mark.data()), ReadBigEndian<uint64_t>(mark.data() + sizeof(uint64_t))});
  }
  return true;
}

std::string EncodeTime(std::string_view word, int64_t time_ms) {
  std::string mark(word);
  AppendBigEndian(time_ms, &mark);
  return mark;
}

bool DecodeTime(std::string_view word, std::string_view mark, int64_t* time_ms) {
  if (!mark.starts_with(word) || mark.size() != word.size() + sizeof(*time_ms)) {
    return false;
  }
  *time_ms = ReadBigEndian<int64_t>(mark.data() + word.size());
  return true;
}

}  // namespace klip::engine
