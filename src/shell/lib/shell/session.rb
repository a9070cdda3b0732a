require 'shell/constants'
require 'shell/command'
require 'shell/admin'
require 'shell/table'
require 'java/classes'
%w[general status ddl alter regions namespace dml klip snapshots tools switches cluster replication quotas security rsgroup]
  .each { |file| require "shell/commands/#{file}" }

module Shell
  VERSION_TEXT = "2.6.4, klip #{Klip::VERSION}".freeze

  # The connection and the settings of commands. Scripts reach it as @shell.
  class Shell
    attr_reader :connection, :configuration, :uri
    attr_accessor :debug
    alias debug? debug

    def initialize(connection, embedded:, interactive:, debug:, configuration: {}, uri: '')
      @connection = connection
      @embedded = embedded
      @interactive = interactive
      @debug = debug
      @configuration = configuration
      @uri = uri
    end

    # Whether the store is in this process. Otherwise the connection is to a cluster.
    def embedded?
      @embedded
    end

    # The source of answers to questions, if not standard input.
    attr_writer :input

    # A line, or nil.
    def read_answer
      (@input || $stdin).gets
    end

    # Errors of commands are printed and forgotten; else they end the program.
    def interactive?
      @interactive
    end

    def admin
      @admin ||= Hbase::Admin.new(@connection)
    end

    def hbase_table(name)
      Hbase::Table.new(name, self)
    end

    def command(name, *args)
      ::Shell.commands.fetch(name.to_s).new(self).run(*args)
    end

    # Makes every command a method of `target`, Ruby's main object.
    def export_to(target)
      shell = self
      ::Shell.commands.each_key do |name|
        target.define_singleton_method(name) { |*args| shell.command(name, *args) }
      end
      target.define_singleton_method(:help) { |topic = nil| shell.help(topic) }
      target.define_singleton_method(:tools) { shell.help('tools') }
      target.define_singleton_method(:debug) { shell.toggle_debug }
      target.define_singleton_method(:debug?) { shell.print_debug }
      target.instance_variable_set(:@shell, self)
      target.instance_variable_set(:@hbase, Hbase::Client.new(self))
    end

    def toggle_debug
      @debug = !@debug
      print_debug
    end

    def print_debug
      puts "Debug mode is #{@debug ? 'ON' : 'OFF'}\n\n"
    end

    # Help on a command, on a group, on row keys and queries, or the list of commands and groups.
    def help(topic = nil)
      topic = topic&.to_s
      if topic == 'keys'
        puts Klip::KEYS_HELP
      elsif ::Shell.commands.key?(topic)
        puts ::Shell.commands[topic].help
      elsif ::Shell.groups.key?(topic)
        help_on_group(::Shell.groups[topic])
      else
        help_on_all(topic)
      end
    end

    def banner
      puts 'HBase Shell'
      puts 'Use "help" to get list of supported commands.'
      puts 'Use "exit" to quit this interactive shell.'
      puts 'For Reference, please visit: http://hbase.apache.org/2.0/book.html#shell'
      puts "Version #{VERSION_TEXT}"
      puts
    end

    private

    def help_on_group(group)
      group.command_names.sort.each do |name|
        puts "Command: #{name}"
        puts ::Shell.commands[name].help
        puts
      end
      puts '-' * 80, '', group.comment, '' if group.comment
    end

    def help_on_all(unknown)
      puts "ERROR: Invalid command or command group name: #{unknown}", '' if unknown
      puts "HBase Shell, version #{VERSION_TEXT}"
      puts %q{Type 'help "COMMAND"', (e.g. 'help "get"' -- the quotes are necessary) for help on a specific command.}
      puts %q{Commands are grouped. Type 'help "COMMAND_GROUP"', (e.g. 'help "general"') for help on a command group.}
      puts '', 'COMMAND GROUPS:'
      ::Shell.groups.each_value do |group|
        puts "  Group name: #{group.name}"
        puts "  Commands: #{group.command_names.sort.join(', ')}"
        puts
      end
      puts USAGE unless unknown
    end

    USAGE = <<~'TEXT'.freeze
      SHELL USAGE:
      Names of tables, rows and columns go in quotes, arguments are separated by commas, and <RETURN> runs the command.
      Settings are Ruby hashes, {'key' => 'value', ...}; the braces may be left out around the last argument. Keys such
      as NAME, VERSIONS or COMPRESSION are constants and need no quotes: 'Object.constants' lists them.

      Binary keys and values go in double quotes, with hexadecimal or octal escapes:

        hbase> get 't1', "key\x03\x3f\xcd"
        hbase> get 't1', "key\003\023\011"
        hbase> put 't1', "test\xef\xff", 'f1:', "\x01\x33\x40"

      The shell is Ruby's irb with these commands added: variables, loops, methods and 'load' are there too. TAB
      completes commands, tables and column families; ctrl-C ends a command that takes too long.
    TEXT
  end
end
