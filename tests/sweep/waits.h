// Waits of klip's own code with a timeout, such as that for a free file descriptor.
#pragma once

namespace klip::sweep {

// From then on, the steady clock of this process runs fifty times as fast, for readings and for waits.
void ShortenWaits();

}  // namespace klip::sweep
