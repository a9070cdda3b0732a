#include "year_rows.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <random>

#include "cli/year_data.h"

namespace klip::bench {

std::string YearSize::Name() const {
  return std::to_string(users) + "x" + std::to_string(days) + "x" + std::to_string(domains);
}

RowSource YearRows(const YearSize& size) {
  auto data = std::make_shared<cli::YearData>(size.users, size.days, size.domains);
  return [data](std::string* row, std::string* value) { return data->Next(row, value); };
}

std::vector<std::string> PaddedUsers(const YearSize& size) {
  std::vector<std::string> users = cli::YearData(size.users, 1, 1).users();
  for (std::string& user : users) {
    user.resize(kUserBytes, '*');
  }
  std::sort(users.begin(), users.end());
  return users;
}

std::string MiddleDate(const YearSize& size) {
  return cli::YearData(1, size.days, 1).dates()[static_cast<size_t>(size.days) / 2];
}

int64_t CountRows(const YearSize& size) { return cli::YearData(size.users, size.days, size.domains).rows_total(); }

std::vector<RowValue> SampleRows(const YearSize& size, size_t count) {
  std::vector<RowValue> sample;
  int64_t every = std::max<int64_t>(1, CountRows(size) / static_cast<int64_t>(count));
  RowSource source = YearRows(size);
  RowValue next;
  for (int64_t i = 0; source(&next.row, &next.value); ++i) {
    if (i % every == 0) {
      sample.push_back(next);
    }
  }
  std::shuffle(sample.begin(), sample.end(), std::mt19937_64(7));
  return sample;
}

std::vector<RowValue> RowsInTimeOrder(const YearSize& size, size_t limit) {
  // Days that are needed for `limit` rows, so that a part of a large set is made without the rest.
  size_t per_day = static_cast<size_t>(size.users) * static_cast<size_t>(size.domains);
  YearSize part = size;
  part.days = static_cast<int>(std::min<size_t>(static_cast<size_t>(size.days), (limit + per_day - 1) / per_day));
  std::vector<RowValue> rows;
  rows.reserve(limit + per_day);
  RowSource source = YearRows(part);
  RowValue next;
  while (source(&next.row, &next.value)) {
    rows.push_back(next);
  }
  std::shuffle(rows.begin(), rows.end(), std::mt19937_64(7));
  std::stable_sort(rows.begin(), rows.end(), [](const RowValue& a, const RowValue& b) {
    return std::string_view(a.row).substr(kUserBytes, kDateBytes) <
           std::string_view(b.row).substr(kUserBytes, kDateBytes);
  });
  rows.resize(std::min(rows.size(), limit));
  return rows;
}

RowSource DenseRows(int64_t total_rows, std::function<int(int64_t user)> gap) {
  struct State {
    std::function<int(int64_t)> gap;
    int64_t left = 0;
    int64_t user = -1;
    int in_user = 0;   // rows of the user handed out
    int rows = 0;      // rows of the user
    int matching = 0;  // which of them has the matching date
  };
  auto state = std::make_shared<State>();
  state->gap = std::move(gap);
  state->left = total_rows;
  return [state](std::string* row, std::string* value) {
    if (state->left-- <= 0) {
      return false;
    }
    if (state->in_user == state->rows) {
      ++state->user;
      state->rows = 1 + state->gap(state->user);
      state->matching = state->rows / 2;
      state->in_user = 0;
    }
    int match = 0;
    std::from_chars(kMatchingDate.data(), kMatchingDate.data() + kMatchingDate.size(), match);
    char text[64];
    std::snprintf(text, sizeof(text), "u%09lld%08dfoo.bar*************", static_cast<long long>(state->user),
                  match + state->in_user - state->matching);
    ++state->in_user;
    row->assign(text, kRowBytes);
    value->assign("1");
    return true;
  };
}

}  // namespace klip::bench
