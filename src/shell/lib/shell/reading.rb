require 'shell/columns'

module Shell
  # Turns the hashes of `get`, `scan` and `count` into requests of the native classes.
  class Reading
    attr_reader :request, :printer

    # `args`: nothing, column specs, a list of them, or a hash.
    def self.for_get(row, args)
      args = args.first if args.first.is_a?(Hash)
      args = { 'COLUMNS' => args.flatten.compact } if args.is_a?(Array)
      raise ArgumentError, "Failed parse of #{args.inspect}, #{args.class}" unless args.is_a?(Hash)

      new(args, row: Columns.bytes(row))
    end

    def self.for_scan(args)
      raise ArgumentError, 'Arguments should be a Hash' unless args.is_a?(Hash)

      new(args, {}).tap(&:read_range)
    end

    def initialize(args, request)
      @args = args.transform_keys(&:to_s)
      @request = request
      @converters = {}
      read_common
      @printer = CellPrinter.new(@converters, method: @args['FORMATTER'], klass: @args['FORMATTER_CLASS'],
                                              max_length: @args['MAXLENGTH'])
    end

    # Options of scans only.
    def read_range
      @request[:start_row] = Columns.bytes(@args['STARTROW'] || '')
      @request[:stop_row] = Columns.bytes(@args['STOPROW'] || '')
      # A start that is the stop is that one row: HBase's old constructor of Scan has it so.
      @request[:include_stop] = true if @args['STOPROW'] && @request[:start_row] == @request[:stop_row]
      apply_prefix(Columns.bytes(@args['ROWPREFIXFILTER'])) if @args['ROWPREFIXFILTER']
      @request[:limit_rows] = @args['LIMIT'] if @args['LIMIT'].to_i.positive?
      @request[:reversed] = @args['REVERSED'] ? true : false
      @request[:raw] = @args['RAW'] ? true : false
      @request[:batch] = @args['BATCH'] if @args['BATCH'].to_i.positive?
      @request[:max_result_bytes] = @args['MAX_RESULT_SIZE'] if @args['ALLOW_PARTIAL_RESULTS']
      @request[:allow_partial_results] = @args['ALLOW_PARTIAL_RESULTS']
      @request[:where] = @args['WHERE'].to_s if @args['WHERE']
      @request[:threads] = @args['THREADS'] if @args['THREADS']
    end

    # The names of the scan metrics to print; nil: none.
    def metrics
      return Array(@args['METRICS']) if @args['METRICS']

      [] if @args['ALL_METRICS']
    end

    private

    def read_common
      columns = @args['COLUMNS'] || @args['COLUMN'] || []
      columns = [columns] if columns.is_a?(String) || columns.is_a?(Symbol)
      raise ArgumentError, 'COLUMNS must be specified as a String or an Array' unless columns.is_a?(Array)

      @request[:columns] = columns.map { |spec| Columns.parse_for_read(spec, @converters) }
      @request[:max_versions] = @args['VERSIONS'].to_i if @args['VERSIONS']
      read_times
      @request[:filter] = filter_text(@args['FILTER']) if @args['FILTER']
      @request[:cache_blocks] = cache_blocks
      read_consistency
      read_attributes
    end

    def read_attributes
      @request[:attributes] = Columns.attributes(@args['ATTRIBUTES'])
      return unless (labels = @args['AUTHORIZATIONS'])
      raise ArgumentError, 'Authorizations must be a Array type' unless labels.is_a?(Array)

      @request[:authorizations] = labels.flatten.compact.map(&:to_s)
    end

    def read_consistency
      name = (@args['CONSISTENCY'] || 'STRONG').to_s
      unless %w[STRONG TIMELINE].include?(name)
        raise ArgumentError, "No enum constant org.apache.hadoop.hbase.client.Consistency.#{name}"
      end

      @request[:timeline] = name == 'TIMELINE'
      @request[:replica_id] = @args['REGION_REPLICA_ID'].to_i if @args['REGION_REPLICA_ID']
    end

    def read_times
      if (range = @args['TIMERANGE'])
        @request[:time_range] = range.map(&:to_i)
      elsif (time = @args['TIMESTAMP'])
        @request[:time_range] = [time.to_i, time.to_i + 1]
      end
    end

    # Filter objects print themselves in the filter language.
    def filter_text(filter)
      Columns.bytes(filter)
    end

    def cache_blocks
      value = @args['CACHE_BLOCKS']
      return true if value.nil?
      return value.to_s == 'true' if [true, false, 'true', 'false'].include?(value)

      raise ArgumentError, "Expected CACHE_BLOCKS value to be a boolean or the string 'true' or 'false'"
    end

    def apply_prefix(prefix)
      @request[:start_row] = prefix
      # The first row above all that start with the prefix: its last byte that can grow, grown.
      kept = prefix.b.sub(/\xFF+\z/n, '')
      @request[:stop_row] = kept.empty? ? '' : kept[0..-2] + (kept[-1].ord + 1).chr
      @request[:include_stop] = false
    end
  end
end
