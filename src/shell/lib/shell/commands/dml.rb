Shell.group 'dml', 'DATA MANIPULATION COMMANDS' do
  command 'put', <<~'HELP' do |table, row, column, value, timestamp = nil, args = {}|
    Writes a cell: table, row, column, value, and optionally its timestamp and a hash of
    TTL (milliseconds), ATTRIBUTES and, on a cluster with visibility labels, VISIBILITY:

      hbase> put 'ns1:t1', 'r1', 'c1', 'value'
      hbase> put 't1', 'r1', 'c1', 'value', ts1
      hbase> put 't1', 'r1', 'c1', 'value', {TTL=>86400000}
      hbase> put 't1', 'r1', 'c1', 'value', ts1, {ATTRIBUTES=>{'mykey'=>'myvalue'}}
      hbase> put 't1', 'r1', 'c1', 'value', {VISIBILITY=>'PRIVATE|SECRET'}

    The same on a reference t of the table:

      hbase> t.put 'r1', 'c1', 'value', ts1
  HELP
    args, timestamp = timestamp, nil if timestamp.is_a?(Hash)
    family, qualifier = Shell::Columns.parse_for_write(column)
    self.table(table).put(row: Shell::Columns.bytes(row), **of_mutation(args),
                          columns: [[family, qualifier, Shell::Columns.bytes(value), timestamp&.to_i]])
  end

  command 'get', <<~'HELP' do |table, row, *args|
    Reads a row, or cells of it: table, row, and optionally columns, or a hash of COLUMN(S), TIMESTAMP, TIMERANGE, VERSIONS,
    FILTER, MAXLENGTH, FORMATTER, FORMATTER_CLASS, ATTRIBUTES and, on a cluster with visibility labels, AUTHORIZATIONS:

      hbase> get 'ns1:t1', 'r1'
      hbase> get 't1', 'r1', {TIMERANGE => [ts1, ts2]}
      hbase> get 't1', 'r1', {COLUMN => 'c1'}
      hbase> get 't1', 'r1', {COLUMN => ['c1', 'c2', 'c3']}
      hbase> get 't1', 'r1', {COLUMN => 'c1', TIMERANGE => [ts1, ts2], VERSIONS => 4}
      hbase> get 't1', 'r1', {FILTER => "ValueFilter(=, 'binary:abc')"}
      hbase> get 't1', 'r1', 'c1', 'c2'
      hbase> get 't1', 'r1', ['c1', 'c2']

    Values are printed as text with escapes, unless the column names a method of Bytes, or of another class:

      hbase> get 't1', 'r1', {COLUMN => ['cf:qualifier1:toInt', 'cf:qualifier2:c(org.apache.hadoop.hbase.util.Bytes).toInt']}
      hbase> get 't1', 'r1', {COLUMN => 'cf', FORMATTER => 'toString'}

    A table with region replicas (REGION_REPLICATION) can be read from any replica, or from a certain one. The data may be stale:

      hbase> get 't1', 'r1', {CONSISTENCY => 'TIMELINE'}
      hbase> get 't1', 'r1', {CONSISTENCY => 'TIMELINE', REGION_REPLICA_ID => 1}

    The same on a reference t of the table:

      hbase> t.get 'r1', {COLUMN => 'c1'}
  HELP
    formatter.header(%w[COLUMN CELL])
    reading = Shell::Reading.for_get(row, args)
    found = self.table(table).get(reading.request)
    _row, cells, stale = found
    cells&.each { |cell| formatter.row([reading.printer.column(cell), reading.printer.cell(cell)]) }
    formatter.footer(found ? 1 : 0, stale: stale)
  end

  command 'scan', <<~'HELP' do |table, args = {}|
    Reads rows: table, and optionally a hash of TIMERANGE, FILTER, LIMIT, STARTROW, STOPROW, ROWPREFIXFILTER, TIMESTAMP,
    MAXLENGTH, COLUMN(S), VERSIONS, REVERSED, RAW, CACHE, CACHE_BLOCKS, BATCH, CONSISTENCY, REGION_REPLICA_ID, FORMATTER,
    FORMATTER_CLASS, ALL_METRICS, METRICS, ATTRIBUTES or, on a cluster with visibility labels, AUTHORIZATIONS:

      hbase> scan 't1'
      hbase> scan 'ns1:t1', {COLUMNS => ['c1', 'c2'], LIMIT => 10, STARTROW => 'xyz'}
      hbase> scan 't1', {COLUMNS => 'c1', TIMERANGE => [1303668804000, 1303668904000]}
      hbase> scan 't1', {REVERSED => true}
      hbase> scan 't1', {ROWPREFIXFILTER => 'row2', FILTER => "QualifierFilter(>=, 'binary:xyz')"}
      hbase> scan 't1', {FILTER => org.apache.hadoop.hbase.filter.ColumnPaginationFilter.new(1, 0)}
      hbase> scan 't1', {RAW => true, VERSIONS => 10}
      hbase> scan 't1', {CONSISTENCY => 'TIMELINE'}
      hbase> scan 't1', {AUTHORIZATIONS => ['PRIVATE', 'SECRET']}
      hbase> scan 't1', {ALL_METRICS => true}
      hbase> scan 't1', {METRICS => ['RPC_CALLS', 'ROWS_FILTERED']}

    FILTER is a text in the filter language, or a filter object. Values are printed as 'help "get"' says.
    Only in klip: conditions on the fields of the table's row key, and a number of threads (0: one per processor):

      hbase> scan 't1', {WHERE => "date=20140628 domain=foo.*", THREADS => 0}

    The same on a reference t of the table:

      hbase> t.scan LIMIT => 10
  HELP
    formatter.header(%w[ROW COLUMN+CELL])
    reading = Shell::Reading.for_scan(args)
    scanner = self.table(table).scan(reading.request)
    stale = false
    count = each_row(scanner) do |row, cells, old|
      stale ||= old
      key = Shell::Texts.binary(row)
      cells.each { |cell| formatter.row([key, "column=#{reading.printer.column(cell)}, #{reading.printer.cell(cell)}"]) }
    end
    @end_time = Time.now
    formatter.footer(count, stale: stale)
    formatter.metrics(scan_metrics(scanner), reading.metrics) if reading.metrics
  end

  command 'count', <<~'HELP' do |table, args = {}|
    Counts the rows of a table. Prints a line every INTERVAL rows (default 1000). COLUMNS, STARTROW, STOPROW, FILTER and
    similar options limit the rows, as in scan:

      hbase> count 'ns1:t1'
      hbase> count 't1', INTERVAL => 100000
      hbase> count 't1', CACHE => 1000
      hbase> count 't1', FILTER => "QualifierFilter (>=, 'binary:xyz')"
      hbase> count 't1', COLUMNS => ['c1', 'c2'], STARTROW => 'abc', STOPROW => 'xyz'

    The same on a reference t of the table:

      hbase> t.count INTERVAL => 100000
  HELP
    args = { 'INTERVAL' => args } if args.is_a?(Integer)
    args = { 'CACHE_BLOCKS' => false }.merge(args)
    interval = args.delete('INTERVAL') || 1000
    reading = Shell::Reading.for_scan(args)
    only_first = 'FirstKeyOnlyFilter()'
    filter = reading.request[:filter]
    reading.request[:filter] = filter ? "(#{filter}) AND #{only_first}".b : only_first
    count = 0
    scanner = self.table(table).scan(reading.request)
    while ((rows, last = scanner.pass_rows(interval - count % interval)))
      count += rows
      puts "Current count: #{count}, row: #{Shell::Texts.binary(last)}" if (count % interval).zero?
    end
    formatter.footer(count)
    count
  end

  command 'delete', <<~'HELP' do |table, row, column, timestamp = nil, args = {}|
    Deletes one version of a cell: the newest, or the one with this timestamp. Older versions become visible again;
    deleteall deletes them too:

      hbase> delete 'ns1:t1', 'r1', 'c1'
      hbase> delete 't1', 'r1', 'c1', ts1

    The same on a reference t of the table:

      hbase> t.delete 'r1', 'c1', ts1
  HELP
    args, timestamp = timestamp, nil if timestamp.is_a?(Hash)
    family, qualifier = Shell::Columns.parse_for_write(column)
    self.table(table).delete(row: Shell::Columns.bytes(row), **of_mutation(args),
                             columns: [[family, qualifier, :version, timestamp&.to_i]])
  end

  command 'deleteall', <<~'HELP' do |table, row, column = nil, timestamp = nil, args = {}|
    Deletes a row, a column family of it, or all versions of a column, up to a timestamp:

      hbase> deleteall 'ns1:t1', 'r1'
      hbase> deleteall 't1', 'r1', 'c1'
      hbase> deleteall 't1', 'r1', 'c1', ts1
      hbase> deleteall 't1', 'r1', '', ts1

    The same for all rows that begin with a prefix:

      hbase> deleteall 't1', {ROWPREFIXFILTER => 'prefix', CACHE => 100}
      hbase> deleteall 't1', {ROWPREFIXFILTER => 'prefix'}, 'c1', ts1

    And on a reference t of the table:

      hbase> t.deleteall 'r1', 'c1', ts1
  HELP
    args, timestamp = timestamp, nil if timestamp.is_a?(Hash)
    native = self.table(table)
    marker = deleteall_marker(column, timestamp).merge(of_mutation(args))
    if row.is_a?(Hash)
      prefix = row['ROWPREFIXFILTER'] or raise ArgumentError, 'ROWPREFIXFILTER must be specified'
      reading = Shell::Reading.for_scan('ROWPREFIXFILTER' => prefix, 'FILTER' => 'KeyOnlyFilter() AND FirstKeyOnlyFilter()')
      each_row(native.scan(reading.request)) { |key, *| native.delete(marker.merge(row: key)) }
    else
      native.delete(marker.merge(row: Shell::Columns.bytes(row)))
    end
    nil
  end

  command 'incr', <<~'HELP' do |table, row, column, amount = 1, args = {}|
    Adds an amount, by default 1, to a counter and prints its new value. A counter is 8 bytes, big-endian:

      hbase> incr 'ns1:t1', 'r1', 'c1'
      hbase> incr 't1', 'r1', 'c1', 10
      hbase> incr 't1', 'r1', 'c1', 10, {TTL=>10000}

    The same on a reference t of the table:

      hbase> t.incr 'r1', 'c1', 10
  HELP
    args, amount = amount, 1 if amount.is_a?(Hash)
    family, qualifier = column_of_one_cell(column, 'incr')
    changed = self.table(table).increment(row: Shell::Columns.bytes(row), **of_mutation(args),
                                          columns: [[family, qualifier, amount || 1]])
    value = changed[1].first.value.unpack1('q>')
    puts "COUNTER VALUE = #{value}"
    value
  end

  command 'append', <<~'HELP' do |table, row, column, value, args = {}|
    Appends to a cell's value, and prints the new value:

      hbase> append 't1', 'r1', 'c1', 'value'
      hbase> append 't1', 'r1', 'c1', 'value', {TTL=>10000}

    The same on a reference t of the table:

      hbase> t.append 'r1', 'c1', 'value'
  HELP
    family, qualifier = column_of_one_cell(column, 'append')
    changed = self.table(table).append(row: Shell::Columns.bytes(row), **of_mutation(args),
                                       columns: [[family, qualifier, Shell::Columns.bytes(value)]])
    text = Shell::Texts.binary(changed[1].first.value)
    puts "CURRENT VALUE = #{text}"
    text
  end

  command 'get_counter', <<~'HELP' do |table, row, column|
    Prints a counter's value:

      hbase> get_counter 'ns1:t1', 'r1', 'c1'

    The same on a reference t of the table:

      hbase> t.get_counter 'r1', 'c1'
  HELP
    found = self.table(table).get(row: Shell::Columns.bytes(row), columns: [column_of_one_cell(column, 'get_counter')])
    if found
      value = Java::Bytes.toLong(found[1].first.value)
      puts "COUNTER VALUE = #{value}"
    else
      puts 'No counter found at specified coordinates'
    end
  end

  command 'truncate', <<~'HELP' do |table|
    Deletes all rows of a table: disables, drops and creates it again, with a single region:

      hbase> truncate 't1'
  HELP
    truncate(table, preserve_splits: false)
  end

  command 'truncate_preserve', <<~'HELP' do |table|
    Deletes all rows of a table, and keeps its region boundaries:

      hbase> truncate_preserve 't1'
  HELP
    truncate(table, preserve_splits: true)
  end

  command 'get_splits', <<~'HELP' do |table|
    Prints the split keys of a table:

      hbase> get_splits 't1'

    The same on a reference t of the table:

      hbase> t.get_splits
  HELP
    keys = connection.regions(table.to_s).map { |region| Shell::Texts.binary(region[:start_key]) }.reject(&:empty?)
    puts "Total number of splits = #{keys.size + 1}"
    puts keys unless keys.empty?
    keys
  end
end

# What the commands above share.
class Shell::Command
  private

  # The options of a mutation besides its columns.
  def of_mutation(args)
    { ttl_ms: args['TTL'], attributes: Shell::Columns.attributes(args['ATTRIBUTES']), visibility: args['VISIBILITY']&.to_s }
  end

  # Yields row, cells and whether they may be stale, as they come; the number of rows.
  def each_row(scanner)
    count = 0
    last = nil
    while (rows = scanner.next_rows(256))
      rows.each do |row, cells, stale|
        yield row, cells, stale
        count += 1 unless row == last  # pieces of one row count once
        last = row
      end
    end
    count
  end

  # HBase's names for what klip counts, and klip's own. Remote calls are not counted.
  def scan_metrics(scanner)
    statistics = scanner.statistics
    { 'ROWS_SCANNED' => statistics[:rows_read],
      'ROWS_FILTERED' => statistics[:rows_read] - statistics[:rows_returned],
      'CELLS_SCANNED' => statistics[:cells_read], 'SEEKS' => statistics[:seeks], 'STEPS' => statistics[:steps],
      'BLOCKS_READ' => statistics[:blocks_read], 'MILLIS_IN_SCAN' => statistics[:elapsed_us] / 1000 }
  end

  def column_of_one_cell(column, command)
    family, qualifier = Shell::Columns.parse(column)
    return [family, qualifier] if qualifier

    raise ArgumentError, "Failed to provide both column family and column qualifier for #{command}"
  end

  def deleteall_marker(column, timestamp)
    time = timestamp&.to_i
    return { timestamp_ms: time, columns: [] } if column.nil? || column.to_s.empty?

    family, qualifier = Shell::Columns.parse(column)
    { columns: [[family, qualifier, qualifier ? :versions : :family, time]] }
  end

  def truncate(table, preserve_splits:)
    puts "Truncating '#{table}' table (it may take a while):"
    admin.truncate(table, preserve_splits) { |step| puts step }
  end
end
