require 'shell/schema'
require 'shell/schema_text'

Shell.group 'ddl', 'TABLES MANAGEMENT COMMANDS' do
  command 'create', <<~'HELP' do |table, *args|
    Creates a table: its name, its column families (names, or hashes with NAME), and optionally a hash of table attributes:

      hbase> create 'ns1:t1', {NAME => 'f1', VERSIONS => 5}
      hbase> create 't1', 'f1', 'f2', 'f3'
      hbase> create 't1', {NAME => 'f1', VERSIONS => 1, TTL => 2592000, BLOCKCACHE => true}
      hbase> create 't1', {NAME => 'f1', CONFIGURATION => {'hbase.hstore.blockingStoreFiles' => '10'}}
      hbase> create 't1', {NAME => 'f1', IS_MOB => true, MOB_THRESHOLD => 1000000}

    Split by keys, by a file with one key per line, or evenly:

      hbase> create 't1', 'f1', SPLITS => ['10', '20', '30', '40']
      hbase> create 't1', 'f1', SPLITS_FILE => 'splits.txt'
      hbase> create 't1', 'f1', {NUMREGIONS => 15, SPLITALGO => 'HexStringSplit'}

    With table attributes:

      hbase> create 't1', 'f1', METADATA => {'mykey' => 'myvalue'}, DURABILITY => 'ASYNC_WAL', MAX_FILESIZE => '10GB'

    Only in klip: the fields of the row key, for conditions in scans (see 'help "row_key"'):

      hbase> create 't1', 'f1', SCHEMA => "username:text(10,'*') date:digits(8)"

    The value is a reference to the table:

      hbase> t1 = create 't1', 'f1'
  HELP
    descriptor, splits = Shell::Schema.for_create(table, args)
    connection.create_table(descriptor, splits)
    @end_time = Time.now
    puts "Created table #{table}"
    session.hbase_table(table)
  end

  command 'list', <<~'HELP' do |regex = '.*'|
    Lists all tables, or those whose full name matches a regular expression:

      hbase> list
      hbase> list 'abc.*'
      hbase> list 'ns:abc.*'
      hbase> list 'ns:.*'
  HELP
    print_list('TABLE', admin.list(regex))
  end

  command 'describe', <<~'HELP', aliases: ['desc'] do |table|
    Prints a table's attributes and column families:

      hbase> describe 't1'
      hbase> describe 'ns1:t1'
      hbase> desc 't1'
  HELP
    descriptor = connection.describe_table(table.to_s)
    formatter.header(["Table #{table} is #{admin.enabled?(table) ? 'ENABLED' : 'DISABLED'}"])
    formatter.row([Shell::SchemaText.table(descriptor)])
    formatter.header(['COLUMN FAMILIES DESCRIPTION'])
    descriptor[:families].each do |family|
      formatter.row([Shell::SchemaText.family(family)])
      puts
    end
    formatter.footer
    print_indexes(descriptor)
    print_quotas('TABLE', table)
  end

  command 'exists', "Prints whether a table exists:\n\n  hbase> exists 't1'\n  hbase> exists 'ns1:t1'\n" do |table|
    exists = admin.exists?(table)
    formatter.row(["Table #{table} #{exists ? 'does exist' : 'does not exist'}"])
    exists
  end

  command 'is_enabled', "Prints whether a table is enabled:\n\n  hbase> is_enabled 't1'\n" do |table|
    admin.enabled?(table).tap { |enabled| formatter.row([enabled.to_s]) }
  end

  command 'is_disabled', "Prints whether a table is disabled:\n\n  hbase> is_disabled 't1'\n" do |table|
    admin.disabled?(table).tap { |disabled| formatter.row([disabled.to_s]) }
  end

  command 'enable', "Enables a disabled table:\n\n  hbase> enable 't1'\n  hbase> enable 'ns1:t1'\n" do |table|
    admin.enable(table)
  end

  command 'disable', "Disables a table:\n\n  hbase> disable 't1'\n  hbase> disable 'ns1:t1'\n" do |table|
    admin.disable(table)
  end

  command 'drop', "Deletes a table, which must be disabled:\n\n  hbase> drop 't1'\n  hbase> drop 'ns1:t1'\n" do |table|
    admin.drop(table)
  end

  command 'enable_all', "Enables the tables whose names match a regular expression:\n\n  hbase> enable_all 't.*'\n" do |regex|
    for_all(regex, 'Enable', 'enabled') { |table| admin.enable(table) }
  end

  command 'disable_all', "Disables the tables whose names match a regular expression:\n\n  hbase> disable_all 't.*'\n" do |regex|
    for_all(regex, 'Disable', 'disabled') { |table| admin.disable(table) }
  end

  command 'drop_all', "Deletes the tables whose names match a regular expression:\n\n  hbase> drop_all 't.*'\n" do |regex|
    for_all(regex, 'Drop', 'dropped') { |table| admin.drop(table) }
  end

  command 'get_table', <<~'HELP' do |table|
    Returns a reference to a table, on which commands are methods (see 'table_help'):

      hbase> t1 = get_table 't1'
      hbase> t1.scan
  HELP
    raise "Unknown table #{table}!" unless admin.exists?(table)

    session.hbase_table(table)
  end

  command 'show_filters', <<~'HELP' do
    Lists the filters of the filter language, for FILTER of scan, get and count:

      hbase> show_filters
  HELP
    Shell::FILTERS.each { |name| formatter.row([name]) }
    nil
  end

  command 'clone_table_schema', <<~'HELP' do |table, new_table, preserve_splits = true|
    Creates an empty table with the schema of another one, and with the same split keys unless the last argument is false:

      hbase> clone_table_schema 'table_name', 'new_table_name'
      hbase> clone_table_schema 'table_name', 'new_table_name', false
  HELP
    descriptor = connection.describe_table(table.to_s)
    keys = connection.regions(table.to_s).map { |region| region[:start_key] }.reject(&:empty?)
    connection.create_table(descriptor.merge(name: new_table.to_s), preserve_splits ? keys : [])
  end
end

module Shell
  FILTERS = %w[
    ColumnCountGetFilter ColumnPaginationFilter ColumnPrefixFilter ColumnRangeFilter ColumnValueFilter
    DependentColumnFilter FamilyFilter FirstKeyOnlyFilter InclusiveStopFilter KeyOnlyFilter MultipleColumnPrefixFilter
    PageFilter PrefixFilter QualifierFilter RowFilter SingleColumnValueExcludeFilter SingleColumnValueFilter
    TimestampsFilter ValueFilter
  ].freeze

  class Command
    private

    # Nothing for a table that has none.
    def print_indexes(descriptor)
      attributes = descriptor[:attributes]
      indexes = attributes.select { |name, _| name.start_with?('KLIP_INDEX$') }
      return if indexes.empty?

      formatter.header(%w[INDEX STATE DECLARATION])
      indexes.sort.each do |attribute, text|
        name = attribute.delete_prefix('KLIP_INDEX$')
        formatter.row([name, index_state(attributes, name), text])
      end
      formatter.footer
    end

    def index_state(attributes, name)
      return 'BUILDING' if attributes.key?("KLIP_INDEX_BUILDING$#{name}")

      attributes.key?("KLIP_INDEX_UNUSABLE$#{name}") ? 'UNUSABLE' : 'READY'
    end

    # Asks for confirmation, then yields each table that matches. Counts failures, and continues with the other tables.
    def for_all(regex, what, done)
      tables = admin.list(regex.to_s)
      tables.each { |table| formatter.row([table]) }
      return puts("No tables matched the regex #{regex}") if tables.empty?
      return unless ask("#{what} the above #{tables.size} tables (y/n)?")

      failed = tables.reject do |table|
        yield table
        true
      rescue StandardError
        false
      end
      puts "#{tables.size - failed.size} tables successfully #{done}"
      puts "#{failed.size} tables not #{done} due to an exception: #{failed.join(',')}" unless failed.empty?
    end
  end
end
