# Source this as root. A minimal Debian in a temporary directory, which is removed when the script ends. $DEBIAN_SUITE is
# bookworm (Debian 12, the default) or trixie (Debian 13).
[ "$(id -u)" = 0 ] || { echo "$(basename "$0"): must be root" >&2; exit 1; }

leave_debian() {
  local process
  for process in /proc/[0-9]*; do
    [ "$(readlink "$process/root")" != "$root" ] || kill -KILL "${process#/proc/}" 2> /dev/null || true
  done
  umount "$root/dev/shm" "$root/dev/pts" "$root/proc" 2> /dev/null || true
  rm -rf --one-file-system "$root"
}

# make_debian [PACKAGE,...]: sets $root.
make_debian() {
  local mirror
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2> /dev/null | grep -m 1 '/debian/$' || true)
  root=$(mktemp -d /var/tmp/klip-debian.XXXXXX)
  chmod 755 "$root"  # apt works as a user of its own in there
  trap leave_debian EXIT
  trap 'exit 130' INT TERM
  local suite=${DEBIAN_SUITE:-bookworm}
  echo "minimal Debian ($suite) in $root"
  debootstrap --variant=minbase ${1:+--include="$1"} "$suite" "$root" ${mirror:+"$mirror"} > "$root/debootstrap.out" 2>&1 \
    || { tail -n 20 "$root/debootstrap.out" >&2; exit 1; }
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  mount -t proc proc "$root/proc"
  mount -t devpts devpts "$root/dev/pts"  # the shell's tests open terminals
  mkdir -p "$root/dev/shm"
  mount -t tmpfs tmpfs "$root/dev/shm"  # the simulator tells files apart by inodes, which other file systems use again
}

# inside COMMAND...: runs it there, as root and with an empty environment.
inside() {
  chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@" < /dev/null
}
