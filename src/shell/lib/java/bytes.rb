module Java
  # org.apache.hadoop.hbase.util.Bytes. Numbers are big-endian.
  module Bytes
    NUMBERS = { 'Long' => ['q>', 8], 'Int' => ['l>', 4], 'Short' => ['s>', 2], 'Double' => ['G', 8], 'Float' => ['g', 4] }.freeze

    class << self
      # toLong(bytes), toInt(bytes, offset), ...
      NUMBERS.each do |name, (format, size)|
        define_method("to#{name}") do |bytes, offset = 0, _length = size|
          part = bytes.b.byteslice(offset, size)
          if part.nil? || part.bytesize < size
            raise ArgumentError, "offset (#{offset}) + length (#{size}) exceed the capacity of the array: #{bytes.bytesize}"
          end

          part.unpack1(format)
        end
      end

      # As JRuby picks Java's overload: texts as UTF-8, whole numbers as long, others as double.
      def toBytes(value)
        case value
        when Integer then [value].pack('q>')
        when Float then [value].pack('G')
        when true then "\xFF".b
        when false then "\x00".b
        else value.to_s.b
        end
      end

      def toBytesBinary(text)
        Klip.from_string_binary(text.b)
      end

      def toString(bytes, offset = 0, length = bytes.bytesize - offset)
        bytes.b.byteslice(offset, length).force_encoding(Encoding::UTF_8).scrub
      end

      def toStringBinary(bytes, offset = 0, length = bytes.bytesize - offset)
        Klip.to_string_binary(bytes.b.byteslice(offset, length))
      end

      def toBoolean(bytes)
        raise ArgumentError, "Array has wrong size: #{bytes.bytesize}" unless bytes.bytesize == 1

        bytes != "\x00".b
      end

      # The scale (4 bytes), then the unscaled number in two's complement.
      def toBigDecimal(bytes)
        raise ArgumentError, 'a BigDecimal has at least 5 bytes' if bytes.bytesize < 5

        require 'bigdecimal'
        rest = bytes.b.byteslice(4..)
        number = rest.unpack1('H*').to_i(16)
        number -= 1 << (8 * rest.bytesize) if rest.getbyte(0) > 127
        BigDecimal(number) / (BigDecimal(10)**toInt(bytes))
      end

      def toHex(bytes)
        bytes.unpack1('H*')
      end

      def fromHex(text)
        [text].pack('H*')
      end

      def compareTo(left, right)
        left.b <=> right.b
      end

      def equals(left, right)
        left.b == right.b
      end

      def startsWith(bytes, prefix)
        bytes.b.start_with?(prefix.b)
      end

      def add(*parts)
        parts.map(&:b).join
      end

      def head(bytes, length)
        bytes.b.byteslice(0, length)
      end

      def tail(bytes, length)
        bytes.b.byteslice(-length, length)
      end

      def len(bytes)
        bytes.nil? ? 0 : bytes.bytesize
      end
    end
  end

  register('org.apache.hadoop.hbase.util', 'Bytes' => Bytes)
end

class String
  def to_java_bytes
    b
  end

  def to_java(_type = nil)
    self
  end

  def self.from_java_bytes(bytes)
    bytes.b
  end
end

class Array
  # [0, 1].to_java(:byte) -> bytes; other types stay arrays.
  def to_java(type = nil)
    type == :byte ? pack('c*') : self
  end
end

class Integer
  def to_java(_type = nil)
    self
  end
end
