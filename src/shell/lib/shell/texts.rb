module Shell
  # How numbers, times and bytes are written.
  module Texts
    module_function

    # As java.time.LocalDateTime prints it, in local time: seconds and milliseconds only where they are not zero.
    def timestamp(milliseconds)
      second, millis = milliseconds.divmod(1000)
      minute, sec = minute_and_second(second)
      return minute if sec == ':00' && millis.zero?

      millis.zero? ? "#{minute}#{sec}" : "#{minute}#{sec}.#{millis.to_s.rjust(3, '0')}"
    end

    # Many cells are from the same second, and splitting a time into its parts costs more than the rest of the output.
    def minute_and_second(second)
      return @last_texts if second == @last_second

      time = Time.at(second)
      year = time.year > 9999 ? "+#{time.year}" : format('%04d', time.year)
      @last_texts = ["#{year}#{time.strftime('-%m-%dT%H:%M')}", time.strftime(':%S')]
      @last_second = second
      @last_texts
    end

    BYTE_UNITS = [['TB', 1 << 40], ['GB', 1 << 30], ['MB', 1 << 20], ['KB', 1 << 10]].freeze
    TIME_UNITS = [['DAY', 86_400], ['HOUR', 3600], ['MINUTE', 60], ['SECOND', 1]].freeze
    FOREVER = 2_147_483_647

    # 1610612736 -> "1610612736 B (1GB 512MB)"
    def bytes(number)
      text = "#{number} B"
      rest = number
      parts = BYTE_UNITS.filter_map do |unit, size|
        count, rest = rest.divmod(size)
        "#{count}#{unit}" if count.positive?
      end
      parts << "#{rest}B" if rest.positive? && parts.any?
      parts.empty? ? text : "#{text} (#{parts.join(' ')})"
    end

    # 86400 -> "86400 SECONDS (1 DAY)"
    def seconds(number)
      return 'FOREVER' if number == FOREVER

      text = "#{number} SECOND#{'S' unless number == 1}"
      rest = number
      parts = TIME_UNITS.filter_map do |unit, size|
        count, rest = rest.divmod(size)
        "#{count} #{unit}#{'S' unless count == 1}" if count.positive?
      end
      number < 60 ? text : "#{text} (#{parts.join(' ')})"
    end

    # "1 DAY 2 HOURS", "FOREVER", "90" -> seconds
    def parse_seconds(text)
      text = text.to_s.strip
      return FOREVER if text.casecmp?('FOREVER')
      return text.to_i if text.match?(/\A-?\d+\z/)

      parts = text.upcase.sub(/\(.*/, '').scan(/(\d+)\s*(DAY|HOUR|MINUTE|SECOND)S?/)
      raise ArgumentError, "Invalid interval: #{text}" if parts.empty?

      parts.sum { |count, unit| count.to_i * TIME_UNITS.to_h.fetch(unit) }
    end

    # "64KB", "1GB 512MB", "65536 B (64KB)" -> bytes
    def parse_bytes(text)
      text = text.to_s.strip
      return text.to_i if text.match?(/\A-?\d+( B\b.*)?\z/)

      parts = text.upcase.scan(/(\d+)\s*(TB|GB|MB|KB|B)/)
      raise ArgumentError, "Invalid size: #{text}" if parts.empty?

      parts.sum { |count, unit| count.to_i * (BYTE_UNITS.to_h[unit] || 1) }
    end

    def binary(bytes)
      Klip.to_string_binary(bytes)
    end
  end
end
