#pragma once

#include <cstdint>
#include <string>

namespace klip::sql {

// "2014-06-28 12:30:00.000", and six more digits if there are nanoseconds below the millisecond.
std::string TimeText(int64_t ms, int32_t nanos);

}  // namespace klip::sql
