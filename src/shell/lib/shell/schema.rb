require 'shell/texts'

module Shell
  # Table and family descriptors from the hashes of `create` and `alter`. Descriptors are as the native classes take them:
  # {name:, attributes: {text => text}, configuration: {text => text}, families: [...]}.
  module Schema
    # The text of a coprocessor, as HBase's client checks it.
    COPROCESSOR = /(^[^\|]*)\|([^\|]+)\|[\s]*([\d]*)[\s]*(\|.*)?$/
    # How attributes are written where it is not `to_s`.
    UPPER = ->(value) { value.to_s.upcase }
    FLAG = ->(value) { value.to_s.downcase }
    TEXT = ->(value) { value.to_s }
    SECONDS = ->(value) { Texts.parse_seconds(value).to_s }
    BYTES = ->(value) { Texts.parse_bytes(value).to_s }
    DURABILITIES = %w[USE_DEFAULT SKIP_WAL ASYNC_WAL SYNC_WAL FSYNC_WAL].freeze
    DURABILITY = lambda do |value|
      name = UPPER.call(value)
      return name if DURABILITIES.include?(name)

      raise ArgumentError, "No enum constant org.apache.hadoop.hbase.client.Durability.#{name}"
    end

    FAMILY_ATTRIBUTES = {
      'VERSIONS' => TEXT, 'MIN_VERSIONS' => TEXT, 'TTL' => SECONDS, 'BLOCKSIZE' => BYTES, 'BLOCKCACHE' => FLAG,
      'IN_MEMORY' => FLAG, 'IN_MEMORY_COMPACTION' => UPPER, 'BLOOMFILTER' => UPPER, 'COMPRESSION' => UPPER,
      'COMPRESSION_COMPACT' => UPPER, 'COMPRESSION_COMPACT_MAJOR' => UPPER, 'COMPRESSION_COMPACT_MINOR' => UPPER,
      'DATA_BLOCK_ENCODING' => UPPER, 'INDEX_BLOCK_ENCODING' => UPPER, 'KEEP_DELETED_CELLS' => UPPER,
      'NEW_VERSION_BEHAVIOR' => FLAG, 'REPLICATION_SCOPE' => TEXT, 'CACHE_DATA_ON_WRITE' => FLAG,
      'CACHE_INDEX_ON_WRITE' => FLAG, 'CACHE_BLOOMS_ON_WRITE' => FLAG, 'EVICT_BLOCKS_ON_CLOSE' => FLAG,
      'PREFETCH_BLOCKS_ON_OPEN' => FLAG, 'COMPRESS_TAGS' => FLAG, 'ENCRYPTION' => TEXT, 'ENCRYPTION_KEY' => TEXT,
      'IS_MOB' => FLAG, 'MOB_THRESHOLD' => BYTES, 'MOB_COMPACT_PARTITION_POLICY' => UPPER, 'DFS_REPLICATION' => TEXT,
      'STORAGE_POLICY' => UPPER
    }.freeze

    TABLE_ATTRIBUTES = {
      'MAX_FILESIZE' => BYTES, 'READONLY' => FLAG, 'COMPACTION_ENABLED' => FLAG, 'SPLIT_ENABLED' => FLAG,
      'MERGE_ENABLED' => FLAG, 'NORMALIZATION_ENABLED' => FLAG, 'NORMALIZER_TARGET_REGION_COUNT' => TEXT,
      'NORMALIZER_TARGET_REGION_SIZE' => BYTES, 'NORMALIZER_TARGET_REGION_SIZE_MB' => TEXT,
      'MEMSTORE_FLUSHSIZE' => BYTES, 'DURABILITY' => DURABILITY, 'PRIORITY' => TEXT, 'FLUSH_POLICY' => TEXT,
      'REGION_REPLICATION' => TEXT, 'REGION_MEMSTORE_REPLICATION' => FLAG, 'SPLIT_POLICY' => TEXT,
      'ERASURE_CODING_POLICY' => UPPER
    }.freeze

    # klip's own: the row key's schema, as in include/klip/row_key.h.
    ROW_KEY = 'KLIP_ROW_KEY'.freeze

    module_function

    # The descriptor and split keys of `create name, *args`.
    def for_create(name, args)
      raise ArgumentError, 'Table name must be of type String' unless name.is_a?(String)

      table = { name: name, attributes: {}, configuration: {}, families: [] }
      splits = []
      args.flatten.compact.each do |arg|
        check_type(arg)
        if arg.is_a?(String) || arg.key?('NAME')
          add_family(table, family(arg))
        else
          rest = arg.dup
          check_method(rest.delete('METHOD'))
          splits = SplitKeys.take(rest, table) || splits
          apply_table(table, rest)
          warn_ignored(rest)
        end
      end
      raise ArgumentError, 'Table must have at least one column family' if table[:families].empty?

      [table, splits]
    end

    def check_type(arg)
      return if arg.is_a?(String) || arg.is_a?(Hash)

      raise ArgumentError, "#{arg.class} of #{arg.inspect} is not of Hash or String type"
    end

    def check_method(method)
      return if method.nil? || method == 'table_att'

      raise ArgumentError, 'table_att is currently the only supported method'
    end

    def add_family(table, family)
      if table[:families].reject! { |one| one[:name] == family[:name] }
        puts "Family '#{family[:name]}' already exists, the old one will be replaced"
      end
      table[:families] << family
    end

    # A family from its name or a hash. `base`: the existing family, whose other attributes are kept.
    def family(arg, base = nil)
      arg = { 'NAME' => arg } if arg.is_a?(String)
      rest = arg.dup
      name = rest.delete('NAME').to_s
      family = base || { name: name, attributes: {}, configuration: {} }
      rest.delete('METHOD')
      FAMILY_ATTRIBUTES.each do |key, write|
        family[:attributes][key] = write.call(rest.delete(key)) if rest.key?(key)
      end
      merge_texts(family[:attributes], rest.delete('METADATA'))
      merge_texts(family[:configuration], rest.delete('CONFIGURATION') || rest.delete('CONFIG'))
      rest.each_key { |key| puts "Unknown argument ignored for column family #{name}: #{key}" }
      family
    end

    # Moves the known options in `rest` into the table's attributes.
    def apply_table(table, rest)
      rest.delete('OWNER')
      TABLE_ATTRIBUTES.each do |key, write|
        table[:attributes][key] = write.call(rest.delete(key)) if rest.key?(key)
      end
      table[:attributes][ROW_KEY] = rest.delete('SCHEMA').to_s if rest.key?('SCHEMA')
      merge_texts(table[:attributes], rest.delete('METADATA'))
      # For a table, HBase treats both alike.
      merge_texts(table[:attributes], rest.delete('CONFIGURATION') || rest.delete('CONFIG'))
      rest.keys.grep(/coprocessor/i).each { |key| add_coprocessor(table, key, rest.delete(key)) }
    end

    def warn_ignored(rest)
      rest.each_key { |key| puts "An argument ignored (unknown or overridden): #{key}" }
    end

    # An empty value removes the key, as in HBase.
    def merge_texts(into, given)
      return if given.nil?
      raise ArgumentError, "#{given.class} of #{given.inspect} is not of Hash type" unless given.is_a?(Hash)

      given.each { |key, value| value.nil? ? into.delete(key.to_s) : into[key.to_s] = value.to_s }
    end

    # 'jar|class|priority|k=v,...', or a hash of its parts, under the next free coprocessor$N.
    def add_coprocessor(table, key, given)
      text = given.is_a?(Hash) ? coprocessor_text(given) : given.to_s
      raise ArgumentError, "Format does not match #{COPROCESSOR.source}: #{text}" unless text.match?(COPROCESSOR)

      unless key.match?(/\$\d+\z/)
        used = table[:attributes].keys.filter_map { |one| one[/\Acoprocessor\$(\d+)\z/i, 1]&.to_i }
        key = "coprocessor$#{(used.max || 0) + 1}"
      end
      table[:attributes][key] = text
    end

    def coprocessor_text(parts)
      name = parts['CLASSNAME'] or raise ArgumentError, 'CLASSNAME must be provided in spec'
      properties = (parts['PROPERTIES'] || {}).map { |pair| pair.join('=') }.join(',')
      "#{parts['JAR_PATH']}|#{name}|#{parts['PRIORITY'] || 536_870_911}|#{properties}"
    end
  end

  # Where a new table is split.
  module SplitKeys
    module_function

    # Removes the split options from `options`, and returns the keys, or nil. The table keeps the file's name.
    def take(options, table)
      if options.key?('SPLITS_FILE')
        file = options.delete('SPLITS_FILE')
        raise ArgumentError, "Splits file #{file} doesn't exist" unless File.exist?(file)

        table[:attributes]['SPLITS_FILE'] = file
        return File.readlines(file).map { |line| Klip.from_string_binary(line.strip.b) }
      end
      if options.key?('SPLITS')
        return options.delete('SPLITS').map { |key| Klip.from_string_binary(Columns.bytes(key)) }
      end

      even(options) if options.key?('NUMREGIONS') || options.key?('SPLITALGO')
    end

    def even(options)
      raise ArgumentError, 'Number of regions must be specified' unless options.key?('NUMREGIONS')
      raise ArgumentError, 'Split algorithm must be specified' unless options.key?('SPLITALGO')
      raise ArgumentError, 'Number of regions must be greater than 1' unless options['NUMREGIONS'].to_i > 1

      algorithm = options.delete('SPLITALGO').to_s.split(/[.$:]/).last
      unless %w[HexStringSplit DecimalStringSplit UniformSplit].include?(algorithm)
        raise ArgumentError, "Unknown split algorithm #{algorithm}: HexStringSplit, DecimalStringSplit or UniformSplit"
      end

      Klip.split_keys(algorithm, options.delete('NUMREGIONS').to_i)
    end
  end
end
