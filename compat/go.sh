# Source this, with $work set. Debian 12's Go is too old for the clients, but can fetch a newer one as a module.
GO_TOOLCHAIN=v0.0.1-go1.25.0.linux-$(dpkg --print-architecture)
go_command() {
  local version
  version=$(go version | sed 's/.*go1\.\([0-9]*\).*/\1/')
  if [ "$version" -ge 21 ]; then
    go "$@"
    return
  fi
  local tree
  tree=$(cd "$work" && GOFLAGS=-mod=mod GONOSUMDB='*' go mod download -json "golang.org/toolchain@$GO_TOOLCHAIN" |
    sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  chmod +x "$tree"/bin/* "$tree"/pkg/tool/*/* # modules carry no modes
  GOTOOLCHAIN=local GOROOT=$tree "$tree/bin/go" "$@"
}
