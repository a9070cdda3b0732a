// A filter that can be asked between the calls of a scan whether it is done with its region.
#pragma once

#include <memory>

#include "klip/filter.h"

namespace klip::server {

class WatchedFilter {
 public:
  virtual ~WatchedFilter() = default;

  // What the scan evaluates instead of the filter. Lives as long as this.
  virtual FilterPtr filter() const = 0;
  // Whether nothing further passes in this region. Not called while the scan runs.
  virtual bool Done() const = 0;
};

std::shared_ptr<WatchedFilter> Watch(FilterPtr filter);

}  // namespace klip::server
