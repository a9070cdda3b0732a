Shell.group 'klip', "KLIP'S OWN COMMANDS" do
  command 'explain', <<~'HELP' do |table, args = {}|
    Prints the plan of a scan without running it, with its estimated cost and the rejected alternatives.
    Arguments are those of scan:

      hbase> explain 't1', {FILTER => "PrefixFilter('a')"}
      hbase> explain 't1', {WHERE => "date=20140628"}

    Type help 'keys' for the syntax of queries, and for how to read the plan.
  HELP
    puts self.table(table).explain(Shell::Reading.for_scan(args).request)
  end

  command 'plan', <<~'HELP' do |table, args = {}|
    Runs a scan without printing its rows, and prints the plan with estimated and actual figures:

      hbase> plan 't1', {WHERE => "date=20140628"}
  HELP
    scanner = self.table(table).scan(Shell::Reading.for_scan(args).request)
    count = 0
    while ((rows, = scanner.pass_rows(100_000)))
      count += rows
    end
    puts scanner.explain
    formatter.footer(count)
  end

  command 'first_row', "Prints the first row of a table:\n\n  hbase> first_row 't1'\n" do |table|
    print_one_row(self.table(table).first_row)
  end

  command 'last_row', "Prints the last row of a table:\n\n  hbase> last_row 't1'\n" do |table|
    print_one_row(self.table(table).last_row)
  end

  command 'prepend', <<~'HELP' do |table, column, value, options = {}|
    Inserts a row before the first one, in a table whose keys are numbers (8 bytes) that count down, and prints its key. Any number of
    writers can do so at once. LAST_KEY is the key of the first row ever inserted, by default 2^63-1:

      hbase> prepend 't1', 'f:q', 'value'
      hbase> prepend 't1', 'f:q', 'value', {'LAST_KEY' => 1000000}
  HELP
    family, qualifier = Shell::Columns.parse_for_write(column)
    key = self.table(table).prepend(last_key: options['LAST_KEY'],
                                    columns: [[family, qualifier, Shell::Columns.bytes(value), nil]])
    puts "ROW = #{key}"
    key
  end

  command 'row_key', <<~'HELP' do |table, what = nil|
    Prints the fields of a table's row keys (attribute KLIP_ROW_KEY, SCHEMA in create), builds a key from values, or decodes
    a key:

      hbase> row_key 't1'
      hbase> row_key 't1', {'username' => 'alice', 'date' => '20140628'}
      hbase> row_key 't1', 'alice*****20140628'
  HELP
    native = self.table(table)
    case what
    when nil
      puts native.row_key || "Table #{table} has no row-key schema"
    when Hash
      key = native.encode_row_key(what.map { |field, value| [field.to_s, Shell::Columns.bytes(value)] })
      puts Shell::Texts.binary(key)
      key
    else
      formatter.header(%w[FIELD VALUE])
      fields = native.decode_row_key(Shell::Columns.bytes(what))
      fields.each { |field, value| formatter.row([field, Shell::Texts.binary(value)]) }
      fields.to_h
    end
  end
end

Shell.group 'indexes', 'SECONDARY INDEXES' do
  command 'create_index', <<~'HELP' do |table, name, declaration|
    Creates an index of a table, which may be in use, and returns when it is complete. Resumes an interrupted build:

      hbase> create_index 't1', 'by_city', 'f:city text, f:age i32'
      hbase> create_index 't1', 'by_mail', 'f:mail text INCLUDE f:name UNIQUE'

    The types are those of row keys (help 'keys').
  HELP
    connection.create_index(table.to_s, name.to_s, declaration.to_s)
  end

  command 'drop_index', "Drops an index of a table:\n\n  hbase> drop_index 't1', 'by_city'\n" do |table, name|
    connection.drop_index(table.to_s, name.to_s)
  end

  command 'list_indexes', "Lists the indexes of a table:\n\n  hbase> list_indexes 't1'\n" do |table|
    indexes = connection.indexes(table.to_s)
    formatter.header(%w[INDEX STATE TABLE DECLARATION])
    indexes.each do |name, text, state, skipped|
      formatter.row([name, state, "#{table}.klip_index.#{name}", text + (skipped == '0' ? '' : " (#{skipped} skipped)")])
    end
    formatter.footer(indexes.size)
    indexes.map(&:first)
  end

  command 'verify_index', <<~'HELP' do |table, name, options = {}|
    Compares an index with the rows of its table, which may be in use, and prints the first differences. REPAIR repairs them:

      hbase> verify_index 't1', 'by_city'
      hbase> verify_index 't1', 'by_city', {'REPAIR' => true}
  HELP
    rows, entries, missing, wrong, stale, skipped, differences =
      connection.verify_index(table.to_s, name.to_s, options['REPAIR'])
    more = skipped.zero? ? '' : ", #{skipped} skipped"
    puts "#{rows} rows, #{entries} entries: #{missing} missing, #{wrong} wrong, #{stale} stale#{more}"
    differences.each { |difference| puts "  #{difference}" }
    missing.zero? && wrong.zero?
  end
end

class Shell::Command
  private

  def print_one_row(found)
    printer = Shell::CellPrinter.new({})
    formatter.header(%w[ROW COLUMN+CELL])
    found&.fetch(1)&.each do |cell|
      formatter.row([Shell::Texts.binary(found.first), "column=#{printer.column(cell)}, #{printer.cell(cell)}"])
    end
    formatter.footer(found ? 1 : 0)
  end
end
