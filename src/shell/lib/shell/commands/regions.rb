# What the group ddl tells about regions.
Shell.extend_group 'ddl' do
  command 'locate_region', <<~'HELP' do |table, row|
    Prints the region in which a row is, or would be:

      hbase> locate_region 'tableName', 'key0'
  HELP
    row = Klip.from_string_binary(Shell::Columns.bytes(row))
    region = connection.regions(table.to_s).find { |one| one[:end_key].empty? || row < one[:end_key] }
    formatter.header(%w[HOST REGION])
    formatter.row([admin.address, region_text(region)])
    formatter.footer(1)
  end

  command 'list_regions', <<~'HELP' do |table, server = nil, columns = nil|
    Lists the regions of a table, all or those of a server, with the columns asked for:

      hbase> list_regions 't1'
      hbase> list_regions 't1', 'server-prefix'
      hbase> list_regions 't1', {SERVER_NAME => 'server-prefix', LOCALITY_THRESHOLD => 0.8}
      hbase> list_regions 't1', '', ['SERVER_NAME', 'START_KEY', 'SIZE']

    Columns: SERVER_NAME, REGION_NAME, START_KEY, END_KEY, SIZE (MB), REQ, LOCALITY. klip does not count requests by region.
  HELP
    server = server['SERVER_NAME'] if server.is_a?(Hash)
    print_regions(connection.regions(table.to_s), server.to_s, Array(columns || Shell::REGION_COLUMNS.keys))
  end
end

module Shell
  REGION_COLUMNS = {
    'SERVER_NAME' => ->(_region, server) { server },
    'REGION_NAME' => ->(region, _server) { Texts.binary(region[:name]) },
    'START_KEY' => ->(region, _server) { Texts.binary(region[:start_key]) },
    'END_KEY' => ->(region, _server) { Texts.binary(region[:end_key]) },
    'SIZE' => ->(region, _server) { region[:size_bytes] >> 20 },
    'REQ' => ->(_region, _server) { '?' },
    'LOCALITY' => ->(_region, server) { server.start_with?('?') ? '?' : 1.0 }
  }.freeze

  class Command
    private

    def print_regions(regions, server, columns)
      unknown = columns.map(&:to_s) - REGION_COLUMNS.keys
      raise ArgumentError, "#{unknown.first} is an unknown column; known are #{REGION_COLUMNS.keys.join(', ')}" if unknown.any?

      regions = [] unless admin.server_name.start_with?(server)
      cells = regions.map { |region| columns.map { |name| REGION_COLUMNS[name.to_s].call(region, admin.server_name).to_s } }
      widths = columns.each_index.map { |i| [columns[i].length, *cells.map { |row| row[i].length }].max }
      line = ->(row) { row.each_with_index.map { |cell, i| format(' %*s |', widths[i], cell) }.join }
      puts line.call(columns), line.call(widths.map { |width| '-' * width })
      cells.each { |row| puts line.call(row) }
      puts " #{cells.size} rows"
    end

    def region_text(region)
      binary = Texts.method(:binary)
      "{ENCODED => #{region[:encoded_name]}, NAME => '#{binary.(region[:name])}', " \
        "STARTKEY => '#{binary.(region[:start_key])}', ENDKEY => '#{binary.(region[:end_key])}'}"
    end

    # The region of that name; `name` may be encoded or full.
    def region!(name)
      admin.find_region(name) or raise "Unknown region #{name}!"
    end
  end
end
