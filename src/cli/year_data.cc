#include "cli/year_data.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

namespace klip::cli {
namespace {

constexpr size_t kUserBytes = 10;
constexpr size_t kDomainBytes = 20;
constexpr char kPad = '*';

// SplitMix64: a good hash of a counter, the same everywhere.
uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

constexpr std::array kFirstNames = {
    "alice", "bob",    "carol",  "dave",   "erin",   "frank", "grace",  "heidi",  "ivan",  "judy",   "kevin",
    "laura", "mike",   "nancy",  "oscar",  "peggy",  "quinn", "ruth",   "sybil",  "trent", "ursula", "victor",
    "wendy", "xavier", "yvonne", "zoe",    "anna",   "ben",   "clara",  "dora",   "emil",  "fritz",  "gina",
    "hans",  "irma",   "jonas",  "karla",  "lukas",  "marta", "nils",   "olga",   "paul",  "rosa",   "simon",
    "tessa", "uwe",    "vera",   "walter", "gianni", "sofia", "matteo", "chiara", "luca",  "elena",
};

constexpr std::array kSites = {
    "foo",    "example", "news",   "mail",    "shop",   "weather", "maps",  "music",  "video", "forum", "wiki",
    "travel", "games",   "photos", "recipes", "sports", "cinema",  "books", "garden", "bank",  "jobs",  "health",
};
constexpr std::array kEndings = {".bar", ".com", ".net", ".org", ".info", ".io"};

// Names of 3 to 10 letters and digits: a first name, then first names with a number of up to 4 digits behind.
std::vector<std::string> MakeUsers(int count) {
  std::set<std::string> names;
  for (const char* name : kFirstNames) {
    if (names.size() == static_cast<size_t>(count)) {
      break;
    }
    names.emplace(name);
  }
  uint64_t counter = 0;
  while (names.size() < static_cast<size_t>(count)) {
    uint64_t random = Mix(counter++);
    std::string name = kFirstNames[random % kFirstNames.size()];
    name += std::to_string((random >> 32) % 9999 + 1);
    // The number itself keeps names apart once the short ones are used up.
    if (!names.insert(name).second) {
      names.insert(std::string(1, static_cast<char>('a' + random % 26)) + std::to_string(counter));
    }
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> MakeDates(int count) {
  constexpr std::array<int, 12> kDaysOfMonth = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  std::vector<std::string> dates;
  dates.reserve(static_cast<size_t>(count));
  for (int year = 2014; dates.size() < static_cast<size_t>(count); ++year) {
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    for (int month = 1; month <= 12; ++month) {
      int days = kDaysOfMonth[static_cast<size_t>(month - 1)] + (leap && month == 2 ? 1 : 0);
      for (int day = 1; day <= days && dates.size() < static_cast<size_t>(count); ++day) {
        std::array<char, 40> text{};
        std::snprintf(text.data(), text.size(), "%04d%02d%02d", year, month, day);
        dates.emplace_back(text.data());
      }
    }
  }
  return dates;
}

// At least twice as many as the most that a day takes, so that days differ.
std::vector<std::string> MakeDomains(int per_day) {
  size_t count = std::max<size_t>(kSites.size() * kEndings.size(), static_cast<size_t>(per_day) * 4);
  std::vector<std::string> domains;
  for (size_t i = 0; domains.size() < count; ++i) {
    size_t round = i / (kSites.size() * kEndings.size());
    domains.push_back(std::string(kSites[i % kSites.size()]) + (round == 0 ? "" : std::to_string(round)) +
                      kEndings[i / kSites.size() % kEndings.size()]);
  }
  std::sort(domains.begin(), domains.end());
  return domains;
}

void AppendPadded(const std::string& text, size_t width, std::string* out) {
  out->append(text);
  out->append(width - text.size(), kPad);
}

}  // namespace

YearData::YearData(int users, int days, int domains)
    : users_(MakeUsers(users)), dates_(MakeDates(days)), domains_(MakeDomains(domains)), domains_per_day_(domains) {
  for (size_t user = 0; user < users_.size(); ++user) {
    for (size_t day = 0; day < dates_.size(); ++day) {
      rows_total_ += DomainsOf(user, day);
    }
  }
  StartUserDay();
}

// Four (user, day) neighbours share one deviation from the mean, twice up and twice down, so that sums over users and days
// come out even.
int YearData::DomainsOf(size_t user, size_t day) const {
  bool alone = (user + 1 == users_.size() && user % 2 == 0) || (day + 1 == dates_.size() && day % 2 == 0);
  if (alone) {
    return domains_per_day_;
  }
  auto most = static_cast<uint64_t>(domains_per_day_) * 2 / 3;
  int deviation = static_cast<int>(Mix(Mix(user / 2) + day / 2) % (most + 1));
  return domains_per_day_ + ((user + day) % 2 == 0 ? deviation : -deviation);
}

void YearData::StartUserDay() {
  random_ = Mix(Mix(user_) ^ day_);
  next_domain_ = 0;
  left_today_ = static_cast<size_t>(DomainsOf(user_, day_));
}

bool YearData::Next(std::string* row, std::string* value) {
  while (left_today_ == 0) {
    if (++day_ == dates_.size()) {
      day_ = 0;
      if (++user_ == users_.size()) {
        user_ = users_.size() - 1;
        day_ = dates_.size() - 1;  // stays at the end, however often it is called
        return false;
      }
    }
    StartUserDay();
  }
  // Selection sampling: each domain is taken with the chance that gives exactly left_today_ of those left, in order.
  for (;; ++next_domain_) {
    random_ = Mix(random_);
    if ((random_ >> 32) % (domains_.size() - next_domain_) < left_today_) {
      break;
    }
  }
  --left_today_;
  row->clear();
  AppendPadded(users_[user_], kUserBytes, row);
  row->append(dates_[day_]);
  AppendPadded(domains_[next_domain_++], kDomainBytes, row);

  // Mostly few visits, now and then many: one in 1000 has three digits or more.
  uint64_t visits = random_ % 10 + 1;
  if (random_ / 10 % 1000 == 0) {
    visits *= 100;
  }
  value->assign(std::to_string(visits));
  ++rows_made_;
  return true;
}

}  // namespace klip::cli
