// One year of web visits, as in scenario A3: a row per (user, day, domain). The same arguments give the same rows, on every
// machine. Rows come in key order and are made one at a time, so that any size streams in constant memory.
//
// Key: username text(10,'*') date digits(8) domain text(20,'*'), 38 bytes. Value: number of visits, in decimal digits.
// Days are consecutive from 2014-01-01. The number of domains of a (user, day) varies between a third and five thirds of
// `domains`; an even number of users (days) makes every day's (user's) total exactly users × domains (days × domains).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace klip::cli {

class YearData {
 public:
  static constexpr std::string_view kSchema = "username:text(10,'*') date:digits(8) domain:text(20,'*')";

  // REQUIRES: users, days, domains >= 1. Days beyond 2014 continue into the following years.
  YearData(int users, int days, int domains);

  // The next row and its value; false at the end. The strings are overwritten, their memory reused.
  bool Next(std::string* row, std::string* value);

  // Rows handed out so far, and in all.
  int64_t rows_made() const { return rows_made_; }
  int64_t rows_total() const { return rows_total_; }

  // Sorted.
  const std::vector<std::string>& users() const { return users_; }
  const std::vector<std::string>& dates() const { return dates_; }      // "20140101", ...
  const std::vector<std::string>& domains() const { return domains_; }  // the pool

 private:
  void StartUserDay();
  int DomainsOf(size_t user, size_t day) const;

  std::vector<std::string> users_;
  std::vector<std::string> dates_;
  std::vector<std::string> domains_;
  int domains_per_day_;
  int64_t rows_total_ = 0;
  int64_t rows_made_ = 0;

  size_t user_ = 0;
  size_t day_ = 0;
  uint64_t random_ = 0;     // state of the current (user, day)
  size_t next_domain_ = 0;  // of the pool: the next one to take or to pass over
  size_t left_today_ = 0;   // domains still to take
};

}  // namespace klip::cli
