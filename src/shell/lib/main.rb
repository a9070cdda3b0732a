# klip's shell: HBase's shell on klip's public API. klip-shell runs this file with the native classes of module Klip loaded.
$LOAD_PATH.unshift(__dir__)

require 'shell/options'
require 'shell/session'
require 'shell/run'

options = Shell::Options.parse(ARGV)
Kernel.exit Shell::Run.new(options).call
