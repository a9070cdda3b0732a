# Commands of the group ddl on regions.
Shell.extend_group 'ddl' do
  command 'locate_region', <<~'HELP' do |table, row|
    Prints the region that contains a row key, and its server:

      hbase> locate_region 'tableName', 'key0'
  HELP
    print_location(connection.locate_region(table.to_s, Klip.from_string_binary(Shell::Columns.bytes(row))))
  end

  command 'list_regions', <<~'HELP' do |table, server = nil, columns = nil|
    Lists the regions of a table: all, those on servers with a name prefix, or those with at most the given locality (the share of
    their data on their server's disk). Prints all columns, or those named:

      hbase> list_regions 't1'
      hbase> list_regions 't1', 'server-prefix'
      hbase> list_regions 't1', {SERVER_NAME => 'server-prefix', LOCALITY_THRESHOLD => 0.8}
      hbase> list_regions 't1', {SERVER_NAME => 'server-prefix', LOCALITY_THRESHOLD => 0.8}, ['SERVER_NAME']
      hbase> list_regions 't1', '', ['SERVER_NAME', 'start_key']

    Columns: SERVER_NAME, REGION_NAME, START_KEY, END_KEY, SIZE (MB), REQ, LOCALITY. klip serve does not count requests per
    region.
  HELP
    options = server.is_a?(Hash) ? server : { 'SERVER_NAME' => server }
    raise "Table #{table} must be enabled." unless admin.enabled?(table)

    list = Shell::RegionList.new(columns, options['LOCALITY_THRESHOLD'])
    list.print(connection.regions(table.to_s), connection.region_metrics(table.to_s), options['SERVER_NAME'].to_s)
  end
end

module Shell
  # What `list_regions` prints.
  class RegionList
    # Names, and their least widths.
    WIDTHS = { 'SERVER_NAME' => 12, 'REGION_NAME' => 12, 'START_KEY' => 10, 'END_KEY' => 10, 'SIZE' => 5, 'REQ' => 5,
               'LOCALITY' => 10 }.freeze
    KNOWN = "Possible values are #{WIDTHS.keys.join(', ')}.".freeze

    def initialize(columns, locality)
      @columns = columns_of(columns)
      @locality = locality_of(locality)
    end

    def print(regions, metrics, server)
      metrics = metrics.to_h { |one| [one[:name], one] }
      rows = regions.select { |region| region[:server].to_s.start_with?(server) }.filter_map do |region|
        load = metrics[region[:name]]
        return puts("Can not find region: #{Texts.binary(region[:name])} , it may be disabled or in transition\n\n") unless load

        @columns.to_h { |name| [name, cell(name, region, load)] } if load[:data_locality] <= @locality
      end
      layout(rows)
    end

    private

    def columns_of(columns)
      return WIDTHS.keys if columns.nil?
      raise "#{columns} must be an array of strings. #{KNOWN}" unless columns.is_a?(Array)

      columns.each { |name| raise "#{name} is not a valid column. #{KNOWN}" unless WIDTHS.key?(name.to_s.upcase) }
      columns.map { |name| name.to_s.upcase }.uniq
    end

    def locality_of(locality)
      return 1.0 if locality.nil?
      raise 'LOCALITY_THRESHOLD must be a float value' unless locality.is_a?(Float)
      raise 'LOCALITY_THRESHOLD must be between 0 and 1.0, inclusive' unless locality.between?(0, 1.0)

      locality
    end

    def cell(name, region, load)
      case name
      when 'SERVER_NAME' then region[:server]
      when 'REGION_NAME' then Texts.binary(region[:name])
      when 'START_KEY' then Texts.binary(region[:start_key])
      when 'END_KEY' then Texts.binary(region[:end_key])
      when 'SIZE' then LoadText.megabytes(load[:file_bytes]).to_s
      when 'REQ' then load[:requests].to_s
      else load[:data_locality].to_s
      end
    end

    def layout(rows)
      widths = @columns.to_h { |name| [name, [WIDTHS[name], *rows.map { |row| row[name].length }].max] }
      line = ->(row) { widths.map { |name, width| format(" %#{width}s |", row[name]) }.join }
      puts line.call(@columns.to_h { |name| [name, name] }), line.call(widths.transform_values { |width| '-' * width })
      rows.each { |row| puts line.call(row) }
      puts " #{rows.size} rows"
    end
  end

  class Command
    private

    def print_location(region)
      formatter.header(%w[HOST REGION])
      formatter.row([region[:server].to_s.split(',').first(2).join(':'), region_text(region)])
      formatter.footer(1)
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
