require 'shell/formatter'
require 'shell/reading'
require 'shell/texts'

# The registry of commands. A group of commands is a file in shell/commands.
module Shell
  Group = Struct.new(:name, :title, :comment, :command_names)

  @commands = {}
  @groups = {}

  class << self
    attr_reader :commands, :groups

    # Defines a group; `command` inside the block adds to it.
    def group(name, title, comment = nil, &definitions)
      @groups[name] = Group.new(name, title, comment, [])
      GroupBuilder.new(@groups[name]).instance_exec(&definitions)
    end

    # Adds to a group that another file has defined.
    def extend_group(name, &definitions)
      GroupBuilder.new(@groups.fetch(name)).instance_exec(&definitions)
    end

    def namespace_of(table)
      table.include?(':') ? table.split(':').first : 'default'
    end

    def add(klass, aliases)
      klass.group.command_names << klass.command_name
      [klass.command_name, *aliases].each { |name| @commands[name] = klass }
    end
  end

  # `Shell.group` runs its block on this.
  class GroupBuilder
    def initialize(group)
      @group = group
    end

    # The block is the command: it runs on a Command, with the arguments that were typed, and its value is echoed.
    def command(name, help, aliases: [], &body)
      group = @group
      klass = Class.new(Command) do
        define_singleton_method(:command_name) { name }
        define_singleton_method(:help) { help }
        define_singleton_method(:group) { group }
        define_method(:command, &body)
      end
      Shell.add(klass, aliases)
    end

    # Commands for features that klip lacks. They raise an error that names the feature.
    def unsupported(reason, *names)
      names.each do |name|
        command(name, "#{name} is not supported by klip: #{reason}\n") do |*|
          raise "#{name} is not supported: #{reason}"
        end
      end
    end
  end

  # One run of a command.
  class Command
    def initialize(session)
      @session = session
    end

    # Runs it: errors get their texts, and the time taken is printed.
    def run(*args)
      @start_time = Time.now
      begin
        translate_errors(args) { command(*args) }
      rescue StandardError => e
        raise e unless @session.interactive?

        report(e)
        nil
      rescue Exception  # ctrl-C
        puts
        raise
      ensure
        @end_time ||= Time.now
        formatter.text(format('Took %.4f seconds', @end_time - @start_time))
        puts
      end
    end

    private

    attr_reader :session

    def connection
      session.connection
    end

    def admin
      session.admin
    end

    # The native table of this name.
    def table(name)
      connection.table(name.to_s)
    end

    def formatter
      @formatter ||= Formatter.new
    end

    # Time spent waiting for an answer does not count.
    def ask(question)
      puts "\n#{question}"
      $stdout.flush
      answer = session.read_answer.to_s.chomp
      @start_time = Time.now
      answer.match?(/\Ay/i)
    end

    # The full names of all tables of the namespace.
    def tables_in(namespace)
      connection.tables_in_namespace(namespace.to_s)
    end

    # One column with a header, and the number of rows. Returns the list.
    def print_list(title, list)
      formatter.header([title])
      list.each { |one| formatter.row([one]) }
      formatter.footer(list.size)
      list
    end

    # The full names of these servers; none for nil and '*', which mean all.
    def servers_named(names)
      return [] if names.nil? || names == '*' || names == []
      unless names.is_a?(Array) || names.is_a?(String)
        raise ArgumentError, "#{names.class} of #{names.inspect} is not of Array/String type"
      end

      found = admin.server_names([names])
      raise ArgumentError, "Could not find any server(s) with specified name(s): #{names}" if found.empty?

      found
    end

    # The full name of this server.
    def server_named(name)
      servers_named(name.to_s).first
    end

    # A time of Klip::Connection as HBase's shell prints it.
    def time_text(milliseconds)
      Time.at(milliseconds / 1000).to_s
    end

    def report(error)
      puts
      puts "ERROR: #{error.message}"
      puts "Backtrace: #{error.backtrace&.join("\n           ")}" if session.debug?
      puts
      puts "For usage try 'help \"#{self.class.command_name}\"'"
      puts
    end

    def translate_errors(args)
      yield
    rescue Klip::Error => e
      raise(error_text(e, args.first) || raise)
    end

    # HBase's text for this error; nil: the error has its own.
    def error_text(error, name)
      case error.code
      when 'TableNotFound' then "Unknown table #{name}!"
      when 'TableExists' then "Table already exists: #{name}!"
      when 'TableNotEnabled' then "Table #{name} is disabled!"
      when 'TableNotDisabled' then "Table #{error.message[/[^' ]*\z/]} should be disabled!"
      when 'NamespaceNotFound' then "Unknown namespace #{name.to_s.split(':').first}!"
      when 'SnapshotNotFound' then "Unknown snapshot #{name}!"
      when 'DoNotRetry' then "#{error.message}!" if error.message.start_with?('Unknown region ')
      when 'NoSuchColumnFamily' then "Unknown column family! Valid column names: #{valid_columns(name)}"
      end
    end

    def valid_columns(table)
      connection.describe_table(table.to_s)[:families].map { |family| "#{family[:name]}:*" }.join(', ')
    end
  end
end
