# klip's shell: HBase's shell on klip's public API. klip-shell runs this file with the native classes of module Klip loaded.
$LOAD_PATH.unshift(__dir__)

require 'shell/options'
require 'shell/session'
require 'shell/run'

ARGV.map! { |argument| argument.dup.force_encoding(Encoding::UTF_8) }  # whatever LANG says
options = Shell::Options.parse(ARGV)
Kernel.exit Shell::Run.new(options).call
