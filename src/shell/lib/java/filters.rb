module Java
  # HBase's filters as objects. Each prints itself in klip's filter language, and that text is what is sent.
  class Filter
    # The name and arguments in the filter language.
    def to_s
      "#{self.class.name.split('::').last}(#{arguments.map { |one| write(one) }.join(', ')})".b
    end
    alias toString to_s

    def inspect
      "#<#{Klip.to_string_binary(to_s)}>"
    end

    private

    # Comparators and operators know how they are written; strings are bytes.
    def write(argument)
      case argument
      when ::String then Java.quote(argument)
      when CompareOperator then argument.sign
      else argument.to_s.b
      end
    end

    # A value without a comparator is compared as bytes.
    def comparator(value)
      value.is_a?(Comparator) ? value : BinaryComparator.new(value)
    end
  end

  # Declares filters whose arguments in the filter language are those of `new`.
  def self.plain_filter(arguments)
    Class.new(Filter) do
      define_method(:initialize) do |*given|
        unless arguments.include?(given.length)
          raise ArgumentError, "wrong number of arguments (given #{given.length}, expected #{arguments})"
        end

        @given = given.flatten(1)
      end
      define_method(:arguments) { @given }
      private :arguments
    end
  end

  ColumnPrefixFilter = plain_filter(1..1)
  ColumnRangeFilter = plain_filter(4..4)
  ColumnCountGetFilter = plain_filter(1..1)
  ColumnPaginationFilter = plain_filter(2..2)
  InclusiveStopFilter = plain_filter(1..1)
  MultipleColumnPrefixFilter = plain_filter(1..1)
  PageFilter = plain_filter(1..1)
  PrefixFilter = plain_filter(1..1)
  RandomRowFilter = plain_filter(1..1)
  TimestampsFilter = plain_filter(1..2)
  FirstKeyOnlyFilter = plain_filter(0..0)
  FirstKeyValueMatchingQualifiersFilter = plain_filter(1..1)
  KeyOnlyFilter = plain_filter(0..1)
  FilterAllFilter = plain_filter(0..0)

  # RowFilter.new(CompareOperator::EQUAL, BinaryComparator.new('a'))
  class ComparingFilter < Filter
    def initialize(operator, value)
      @operator = operator
      @comparator = comparator(value)
    end

    private

    def arguments
      [@operator, @comparator]
    end
  end

  class RowFilter < ComparingFilter; end
  class FamilyFilter < ComparingFilter; end
  class QualifierFilter < ComparingFilter; end
  class ValueFilter < ComparingFilter; end

  class ColumnValueFilter < Filter
    def initialize(family, qualifier, operator, value)
      @family = family
      @qualifier = qualifier
      @operator = operator
      @comparator = comparator(value)
    end

    private

    def arguments
      [@family, @qualifier, @operator, @comparator]
    end
  end

  class SingleColumnValueFilter < ColumnValueFilter
    def initialize(*)
      super
      @if_missing = false
      @latest_only = true
    end

    def setFilterIfMissing(flag)
      @if_missing = flag
    end
    alias filterIfMissing= setFilterIfMissing
    alias filter_if_missing= setFilterIfMissing

    def setLatestVersionOnly(flag)
      @latest_only = flag
    end
    alias latestVersionOnly= setLatestVersionOnly
    alias latest_version_only= setLatestVersionOnly

    private

    def arguments
      super + [@if_missing, @latest_only]
    end
  end

  class SingleColumnValueExcludeFilter < SingleColumnValueFilter; end

  class DependentColumnFilter < Filter
    def initialize(family, qualifier, drop_column = false, operator = nil, value = nil)
      @given = [family, qualifier, drop_column]
      @given += [operator, comparator(value)] if operator
    end

    private

    def arguments
      @given
    end
  end

  class FilterList < Filter
    module Operator
      MUST_PASS_ALL = 'MUST_PASS_ALL'.freeze
      MUST_PASS_ONE = 'MUST_PASS_ONE'.freeze

      def self.valueOf(name)
        const_get(name)
      end
    end

    # new(), new(operator), new(filters...), new(operator, filters...); filters also as one list.
    def initialize(*given)
      given.flatten!(1)
      @operator = given.first.is_a?(::String) ? given.shift : Operator::MUST_PASS_ALL
      @filters = given
    end

    def addFilter(*filters)
      @filters.concat(filters.flatten)
      nil
    end
    alias add addFilter

    def to_s
      return "FilterList(#{@operator})".b if @filters.empty?

      joint = @operator == Operator::MUST_PASS_ONE ? ' OR ' : ' AND '
      "(#{@filters.map(&:to_s).join(joint)})".b
    end
  end

  class SkipFilter < Filter
    WORD = 'SKIP'.freeze

    def initialize(filter)
      @filter = filter
    end

    def to_s
      "#{self.class::WORD} (".b + @filter.to_s + ')'.b
    end
  end

  class WhileMatchFilter < SkipFilter
    WORD = 'WHILE'.freeze
  end

  # FuzzyRowFilter.new(Arrays.asList(Pair.new(key, mask), ...)): mask byte 0 = this byte, 1 = any.
  class FuzzyRowFilter < Filter
    def initialize(pairs)
      @pairs = Array(pairs.is_a?(Pair) ? [pairs] : pairs)
    end

    def to_s
      keys = @pairs.flat_map do |pair|
        mask = pair.second.is_a?(Array) ? pair.second.pack('c*') : pair.second.b
        [pair.first.b, mask.each_byte.map { |byte| [0, 255].include?(byte) ? '0' : '1' }.join]
      end
      "FuzzyMask(#{keys.map { |one| Java.quote(one) }.join(',')})".b
    end
  end

  class MultiRowRangeFilter < Filter
    # new(start, include_start, stop, include_stop)
    class RowRange
      attr_reader :bounds

      def initialize(start, include_start, stop, include_stop)
        @bounds = [start.to_s, include_start, stop.to_s, include_stop]
      end
    end

    def initialize(ranges)
      @ranges = ranges
    end

    private

    def arguments
      @ranges.flat_map(&:bounds)
    end
  end

  # ParseFilter.new.parseFilterString("PrefixFilter('a')")
  class ParseFilter
    Parsed = Struct.new(:to_s)

    def parseFilterString(text)
      Parsed.new(Klip.check_filter(text.b))
    end
  end

  FILTERS = constants.grep(/Filter(List)?\z/).to_h { |name| [name.to_s, const_get(name)] }
                     .reject { |name, _klass| %w[Filter ComparingFilter].include?(name) }
  register('org.apache.hadoop.hbase.filter', FILTERS)
end
