module Java
  # Quotes bytes for the filter language.
  def self.quote(bytes)
    "'#{bytes.b.gsub("'", "''")}'".b
  end

  # CompareOperator::EQUAL and so on, each with its sign in the filter language.
  class CompareOperator
    attr_reader :name, :sign
    alias to_s name
    alias toString name
    alias inspect name

    def initialize(name, sign)
      @name = name
      @sign = sign
    end

    SIGNS = { 'LESS' => '<', 'LESS_OR_EQUAL' => '<=', 'EQUAL' => '=', 'NOT_EQUAL' => '!=', 'GREATER_OR_EQUAL' => '>=',
              'GREATER' => '>', 'NO_OP' => 'NO_OP' }.freeze
    SIGNS.each { |name, sign| const_set(name, new(name, sign)) }

    def self.valueOf(name)
      raise ArgumentError, "No enum constant org.apache.hadoop.hbase.CompareOperator.#{name}" unless SIGNS.key?(name.to_s)

      const_get(name)
    end

    def self.values
      SIGNS.keys.map { |name| const_get(name) }
    end
  end

  # HBase 1's CompareFilter.CompareOp is the same.
  module CompareFilter
    CompareOp = CompareOperator
  end

  # A comparator prints itself as the filter language has it, quotes included.
  class Comparator
    def initialize(text)
      @text = text.b
    end

    def to_s
      Java.quote(@text)
    end
    alias toString to_s
  end

  # Declares a comparator that is "prefix:bytes".
  def self.simple_comparator(prefix)
    Class.new(Comparator) { define_method(:initialize) { |value| super("#{prefix}:".b + value.to_s.b) } }
  end

  BinaryComparator = simple_comparator('binary')
  BinaryPrefixComparator = simple_comparator('binaryprefix')
  SubstringComparator = simple_comparator('substring')
  LongComparator = simple_comparator('long')
  BigDecimalComparator = simple_comparator('bigdecimal')

  # java.util.regex.Pattern's flags
  module Pattern
    CASE_INSENSITIVE = 2
    MULTILINE = 8
    DOTALL = 32
  end

  class RegexStringComparator < Comparator
    def initialize(pattern, flags = Pattern::DOTALL, engine = 'JAVA')
      super(flags == Pattern::DOTALL && engine == 'JAVA' ? "regexstring:#{pattern}" : "regex:#{flags}:UTF-8:#{engine}:#{pattern}")
    end
  end

  class NullComparator < Comparator
    def initialize
      super('null:')
    end
  end

  class BitComparator < Comparator
    module BitwiseOp
      AND = 'AND'.freeze
      OR = 'OR'.freeze
      XOR = 'XOR'.freeze

      def self.valueOf(name)
        const_get(name)
      end
    end

    def initialize(value, operator)
      super("bit:#{operator}:".b + value.b)
    end
  end

  class BinaryComponentComparator < Comparator
    def initialize(value, offset)
      super("component:#{offset}:".b + value.b)
    end
  end

  register('org.apache.hadoop.hbase', 'CompareOperator' => CompareOperator)
  register('org.apache.hadoop.hbase.filter',
           'CompareFilter' => CompareFilter, 'BinaryComparator' => BinaryComparator,
           'BinaryPrefixComparator' => BinaryPrefixComparator, 'SubstringComparator' => SubstringComparator,
           'LongComparator' => LongComparator, 'BigDecimalComparator' => BigDecimalComparator,
           'RegexStringComparator' => RegexStringComparator, 'NullComparator' => NullComparator,
           'BitComparator' => BitComparator, 'BinaryComponentComparator' => BinaryComponentComparator)
  register('java.util.regex', 'Pattern' => Pattern)
end
