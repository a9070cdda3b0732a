module Java
  # What scripts take from java.lang, java.util and org.apache.hadoop.hbase.
  module Long
    MAX_VALUE = (1 << 63) - 1
    MIN_VALUE = -(1 << 63)

    def self.parseLong(text)
      Integer(text, 10)
    end

    def self.valueOf(value)
      Integer(value)
    end
  end

  module Int
    MAX_VALUE = (1 << 31) - 1
    MIN_VALUE = -(1 << 31)

    def self.parseInt(text)
      Integer(text, 10)
    end

    def self.valueOf(value)
      Integer(value)
    end
  end

  module System
    def self.currentTimeMillis
      (Time.now.to_r * 1000).to_i
    end

    def self.getProperty(_name, default = nil)
      default
    end
  end

  module Arrays
    def self.asList(*values)
      values.length == 1 && values[0].is_a?(Array) ? values[0] : values
    end
  end

  class ArrayList < Array
    def add(value)
      push(value)
      true
    end
  end

  # org.apache.hadoop.hbase.util.Pair
  Pair = Struct.new(:first, :second) do
    alias_method :getFirst, :first
    alias_method :getSecond, :second
  end

  module HConstants
    LATEST_TIMESTAMP = Long::MAX_VALUE
    EMPTY_BYTE_ARRAY = ''.b.freeze
    EMPTY_START_ROW = ''.b.freeze
    EMPTY_END_ROW = ''.b.freeze
  end

  class TableName
    attr_reader :name
    alias getNameAsString name
    alias to_s name

    def initialize(name)
      @name = name
    end

    def self.valueOf(*parts)
      new(parts.join(':'))
    end
  end

  register('java.lang', 'Long' => Long, 'Integer' => Int, 'System' => System, 'String' => ::String)
  register('java.util', 'Arrays' => Arrays, 'ArrayList' => ArrayList)
  register('org.apache.hadoop.hbase', 'HConstants' => HConstants, 'TableName' => TableName)
  register('org.apache.hadoop.hbase.util', 'Pair' => Pair)
end
