#!/usr/bin/env bash
# Proves that ./x demo and ./x test need nothing but git and root: makes a minimal Debian 12 in a temporary directory, clones the
# repository into it and runs the two there by chroot. Everything is removed at the end. Usage, as root:
# fresh.sh REPOSITORY [command...]
set -euo pipefail
repository=$1
shift
[ $# -gt 0 ] || set -- demo test
[ "$(id -u)" = 0 ] || { echo "fresh: must be root" >&2; exit 1; }

mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2> /dev/null | grep -m 1 '/debian/$' || true)
root=$(mktemp -d /var/tmp/klip-fresh.XXXXXX)
chmod 755 "$root"  # apt works as a user of its own in there
cleanup() {
  umount "$root/dev/pts" "$root/proc" 2> /dev/null || true
  rm -rf --one-file-system "$root"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

echo "fresh: minimal Debian 12 in $root"
debootstrap --variant=minbase --include=git bookworm "$root" ${mirror:+"$mirror"} > "$root.log" 2>&1 \
  || { tail -n 20 "$root.log"; rm -f "$root.log"; exit 1; }
rm -f "$root.log"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
mount -t devpts devpts "$root/dev/pts"  # the shell's tests open terminals

# The committed state, as someone else would get it.
git -c safe.directory='*' clone -q --no-hardlinks "$repository" "$root/root/klip"
for command in "$@"; do
  echo "fresh: ./x $command"
  start=$SECONDS
  chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    bash -c "cd /root/klip && ./x $command" < /dev/null
  echo "fresh: ./x $command took $((SECONDS - start)) s"
done
