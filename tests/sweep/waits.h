// Waits of klip's own code that end by the clock, such as that for a free file descriptor.
#pragma once

namespace klip::sweep {

// From here on the steady clock of this process runs fifty times as fast, for who asks and for who waits.
void ShortenWaits();

}  // namespace klip::sweep
