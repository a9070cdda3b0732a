require 'shell/texts'

module Shell
  # Descriptors as `describe` prints them.
  module SchemaText
    # Printed first and under their own names; all else is METADATA.
    TABLE_ATTRIBUTES = %w[
      DURABILITY ERASURE_CODING_POLICY FLUSH_POLICY MAX_FILESIZE MEMSTORE_FLUSHSIZE MERGE_ENABLED NORMALIZATION_ENABLED
      NORMALIZER_TARGET_REGION_COUNT NORMALIZER_TARGET_REGION_SIZE_MB COMPACTION_ENABLED PRIORITY READONLY
      REGION_MEMSTORE_REPLICATION REGION_REPLICATION SPLIT_ENABLED
    ].freeze

    FAMILY_ATTRIBUTES = {
      'VERSIONS' => '1', 'KEEP_DELETED_CELLS' => 'FALSE', 'DATA_BLOCK_ENCODING' => 'NONE', 'TTL' => '2147483647',
      'MIN_VERSIONS' => '0', 'REPLICATION_SCOPE' => '0', 'BLOOMFILTER' => 'ROW', 'IN_MEMORY' => 'false',
      'COMPRESSION' => 'NONE', 'BLOCKCACHE' => 'true', 'BLOCKSIZE' => '65536', 'INDEX_BLOCK_ENCODING' => 'NONE'
    }.freeze

    module_function

    # "t, {TABLE_ATTRIBUTES => {...}}"
    def table(descriptor)
      own, metadata = descriptor[:configuration].merge(descriptor[:attributes]).sort.partition do |key, _value|
        TABLE_ATTRIBUTES.include?(key) || key.match?(/\Acoprocessor\$\d+\z/i)
      end
      parts = own.map { |key, value| "#{key} => '#{table_value(key, value)}'" }
      parts << metadata_text('METADATA', metadata) unless metadata.empty?
      parts.empty? ? descriptor[:name] : "#{descriptor[:name]}, {TABLE_ATTRIBUTES => {#{parts.join(', ')}}}"
    end

    # "{NAME => 'f', ...}"
    def family(descriptor)
      known, metadata = FAMILY_ATTRIBUTES.merge(descriptor[:attributes]).partition do |key, _value|
        Schema::FAMILY_ATTRIBUTES.key?(key)
      end
      parts = ["NAME => '#{descriptor[:name]}'"]
      parts += known.sort_by { |key, _value| [place(key), key] }.map { |key, value| "#{key} => '#{family_value(key, value)}'" }
      parts << metadata_text('METADATA', metadata.sort) unless metadata.empty?
      parts << metadata_text('CONFIGURATION', descriptor[:configuration].sort) unless descriptor[:configuration].empty?
      "{#{parts.join(', ')}}"
    end

    def metadata_text(title, pairs)
      "#{title} => {#{pairs.map { |key, value| "'#{key}' => '#{value}'" }.join(', ')}}"
    end

    def table_value(key, value)
      %w[MAX_FILESIZE MEMSTORE_FLUSHSIZE].include?(key) ? Texts.bytes(value.to_i) : value
    end

    def family_value(key, value)
      case key
      when 'TTL' then Texts.seconds(value.to_i)
      when 'BLOCKSIZE', 'MOB_THRESHOLD' then Texts.bytes(value.to_i)
      else value
      end
    end

    # HBase prints a family's attributes in the order of a java.util.HashMap with 32 buckets; those of one bucket go by name here.
    def place(key)
      hash = key.each_byte.reduce(1) { |sum, byte| (31 * sum + byte) & 0xffffffff }
      (hash ^ (hash >> 16)) & 31
    end
  end
end
