#include "filter/rows/left_out_values.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace klip::filter {
namespace {

// Of D values that each have equally many of N rows, n drawn rows show d, and f of them once: D = d / (1 - (1 - n / N) f / n).
double DistinctOf(std::vector<std::string_view> drawn, double rows) {
  std::ranges::sort(drawn);
  double different = 0;
  double once = 0;
  for (auto at = drawn.begin(); at != drawn.end();) {
    const auto end = std::upper_bound(at, drawn.end(), *at);
    ++different;
    once += end - at == 1 ? 1 : 0;
    at = end;
  }
  const auto count = static_cast<double>(drawn.size());
  const double unseen = count > 0 ? (1 - std::min(1.0, count / rows)) * once / count : 0;
  return different / std::max(1e-9, 1 - unseen);
}

}  // namespace

void CountLeftOut(const std::vector<KeyPart>& parts, KeySample* sample) {
  std::vector<size_t> starts(sample->rows.items.size(), 0);
  for (size_t part = 0; part < sample->values.size() && parts.size() >= sample->values.size(); ++part) {
    const std::vector<KeyPart> one = {parts[part]};
    std::vector<std::string_view> drawn;
    for (size_t i = 0; i < sample->rows.items.size(); ++i) {
      const std::string_view rest = std::string_view(sample->rows.items[i].bytes).substr(starts[i]);
      drawn.push_back(LeadOf(one, rest));
      starts[i] += drawn.back().size();
    }
    KeySample::Values& of_part = sample->values[part];
    if (of_part.most_left_out > of_part.left_out) {
      const double all =
          DistinctOf(std::move(drawn), sample->rows.Count()) - static_cast<double>(of_part.common.size());
      of_part.left_out = of_part.most_left_out = std::clamp(all, of_part.left_out, of_part.most_left_out);
    }
  }
}

}  // namespace klip::filter
