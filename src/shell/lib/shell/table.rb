module Hbase
  # A reference to a table: `t = get_table 't'; t.scan LIMIT => 5`. Commands are methods of it, without the table's name.
  class Table
    HELP = <<~'TEXT'.freeze
      Help for table-reference commands.

      A table can be held in a variable: by the value of 'create',

         hbase> t = create 't', 'cf'

      or, when it is there already, by

         hbase> t = get_table 't'

      Commands that take a table's name are then methods of it, without the name:

         hbase> t.put 'r', 'cf:q', 'v'
         hbase> t.scan

      So are get, delete, deleteall, append, incr, get_counter, count, get_splits and get_all_columns, and what is done to
      the table as a whole:

         hbase> t.enable
         hbase> t.flush
         hbase> t.disable
         hbase> t.drop

      Help on one of them:

         hbase> t.help 'scan'

      Once the table is dropped its references lead nowhere.
    TEXT

    COMMANDS = %w[put get scan count delete deleteall incr get_counter append get_splits enable disable flush drop
                  describe desc snapshot is_enabled is_disabled exists truncate truncate_preserve alter major_compact
                  compact split explain plan first_row last_row prepend row_key].freeze

    attr_reader :name

    def initialize(name, shell)
      @name = name.to_s
      @shell = shell
    end

    COMMANDS.each do |command|
      define_method(command) { |*args| @shell.command(command, @name, *args) }
    end

    # The native table.
    def table
      @shell.connection.table(@name)
    end

    # "family:" of each family
    def get_all_columns
      @shell.connection.describe_table(@name)[:families].map { |family| "#{family[:name]}:" }
    end

    def help(command = nil)
      command ? @shell.help(command) : puts(HELP)
    end

    def to_s
      "#{self.class} - #{@name}"
    end
    alias inspect to_s
  end
end
