module Shell
  # 'family', 'family:', 'family:qualifier', 'family:qualifier:toInt', 'family:qualifier:c(some.Class).method'.
  # The first colon of a column spec ends the family, the next one ends the qualifier: the converter follows.
  module Columns
    module_function

    # [family, qualifier]; the qualifier is nil without a colon.
    def parse(spec)
      family, rest = bytes(spec).split(':', 2)
      [family || '', rest]
    end

    # The same for reads: an empty qualifier means the family, and converters are noted under "family:qualifier".
    def parse_for_read(spec, converters)
      family, rest = parse(spec)
      return [family, nil] if rest.nil? || rest.empty?

      qualifier, converter = rest.split(':', 2)
      converters["#{family}:#{Texts.binary(qualifier)}"] = converter if converter
      [family, qualifier]
    end

    def parse_for_write(spec)
      family, qualifier = parse(spec)
      [family, qualifier || '']
    end

    # Of operations, by name. nil: none.
    def attributes(given)
      raise ArgumentError, 'Attributes must be a Hash type' unless given.nil? || given.is_a?(Hash)

      given&.to_h { |name, value| [name.to_s, bytes(value)] }
    end

    # The bytes of `to_s`.
    def bytes(value)
      value.to_s.dup.force_encoding(Encoding::BINARY)
    end
  end

  # How cells are printed: by the converter of their column, of the request, or as printable text.
  class CellPrinter
    DEFAULT_CLASS = 'org.apache.hadoop.hbase.util.Bytes'.freeze
    DEFAULT_METHOD = 'toStringBinary'.freeze
    DELETE_TYPES = { 8 => 'Delete', 10 => 'DeleteFamilyVersion', 12 => 'DeleteColumn', 14 => 'DeleteFamily' }.freeze

    def initialize(converters, method: nil, klass: nil, max_length: nil)
      @converters = converters
      @method = method || DEFAULT_METHOD
      @class = klass || DEFAULT_CLASS
      @max_length = max_length
      @columns = {}
    end

    # "family:qualifier"
    def column(cell)
      @columns[[cell.family, cell.qualifier]] ||= "#{Texts.binary(cell.family)}:#{Texts.binary(cell.qualifier)}"
    end

    # "timestamp=..., value=..."
    def cell(cell)
      what = DELETE_TYPES[cell.type]
      text = "timestamp=#{Texts.timestamp(cell.timestamp)}, "
      text += what ? "type=#{what}" : "value=#{convert(cell)}"
      @max_length ? text[0, @max_length] : text
    end

    private

    def convert(cell)
      converter = @converters[column(cell)]
      return Texts.binary(cell.value) if converter.nil? && @method == DEFAULT_METHOD && @class == DEFAULT_CLASS

      klass, method = converter&.match(/\Ac\((.+)\)\.(.+)\z/)&.captures || [@class, converter || @method]
      value = TOPLEVEL_BINDING.eval(klass).public_send(method, cell.value)
      defined?(BigDecimal) && value.is_a?(BigDecimal) ? value.to_s('F') : value
    end
  end
end
