#!/usr/bin/env bash
# Shows that ./x demo and ./x test need only git and root: clones the repository into a minimal Debian and runs both
# there.
# Usage, as root: fresh.sh REPOSITORY [--suite bookworm|trixie] [command...]
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/chroot.sh"
repository=$1
shift
if [ "${1:-}" = --suite ]; then
  DEBIAN_SUITE=${2:?--suite needs a name, bookworm or trixie}
  shift 2
fi
[ $# -gt 0 ] || set -- demo test
make_debian git

# The committed state, as someone else would get it.
git -c safe.directory='*' clone -q --no-hardlinks "$repository" "$root/root/klip"
for command in "$@"; do
  echo "fresh: ./x $command"
  start=$SECONDS
  inside bash -c "cd /root/klip && ./x $command"
  echo "fresh: ./x $command took $((SECONDS - start)) s"
done
