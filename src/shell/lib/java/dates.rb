module Java
  # java.util.Date
  class Date
    include Comparable

    def initialize(milliseconds = nil)
      @milliseconds = milliseconds || (Time.now.to_r * 1000).to_i
    end

    def getTime
      @milliseconds
    end
    alias time getTime

    def to_time
      Time.at(0, @milliseconds, :millisecond)
    end

    def toString
      to_time.strftime('%a %b %d %H:%M:%S %Z %Y')
    end
    alias to_s toString

    def inspect
      "#<Java::JavaUtil::Date: #{toString}>"
    end

    def <=>(other)
      @milliseconds <=> other.getTime
    end
    alias compareTo <=>

    def before(other)
      self < other
    end

    def after(other)
      self > other
    end
  end

  # java.text.SimpleDateFormat: y M d H h m s S a E z Z, and texts in quotes.
  class SimpleDateFormat
    MONTHS = %w[Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec].freeze

    # letter => [regular expression that reads it, how strftime writes it; by the number of letters]
    FIELDS = {
      'y' => ['\d{1,4}', ->(n) { n == 2 ? '%y' : '%Y' }],
      'M' => ['\d{1,2}|[A-Za-z]+', ->(n) { { 1 => '%-m', 2 => '%m', 3 => '%b' }.fetch(n, '%B') }],
      'd' => ['\d{1,2}', ->(n) { n == 1 ? '%-d' : '%d' }],
      'H' => ['\d{1,2}', ->(n) { n == 1 ? '%-H' : '%H' }],
      'h' => ['\d{1,2}', ->(n) { n == 1 ? '%-I' : '%I' }],
      'm' => ['\d{1,2}', ->(n) { n == 1 ? '%-M' : '%M' }],
      's' => ['\d{1,2}', ->(n) { n == 1 ? '%-S' : '%S' }],
      'S' => ['\d{1,3}', ->(_n) { '%L' }],
      'a' => ['[AaPp][Mm]', ->(_n) { '%p' }],
      'E' => ['[A-Za-z]+', ->(n) { n > 3 ? '%A' : '%a' }],
      'z' => ['[A-Z]{3,4}|[+-]\d{2}:?\d{2}', ->(_n) { '%Z' }],
      'Z' => ['[+-]\d{2}:?\d{2}', ->(_n) { '%z' }]
    }.freeze

    # Adjacent letters without a separator are read as fields of fixed width.
    PART = /'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+/.freeze

    def initialize(pattern)
      @pattern = pattern
      @parts = []
      pattern.scan(PART) do
        text = Regexp.last_match(0)
        letter = Regexp.last_match(2)
        quoted = Regexp.last_match(1)
        raise ArgumentError, "Illegal pattern character '#{letter}'" if letter && !FIELDS.key?(letter)

        @parts << (letter ? [letter, text.length] : [nil, quoted ? quoted.gsub("''", "'") : text])
      end
    end

    def format(date)
      @parts.map { |letter, n| letter ? date.to_time.strftime(FIELDS[letter][1].call(n)) : n }.join
    end

    def inspect
      "#<Java::JavaText::SimpleDateFormat: #{@pattern}>"
    end
    alias to_s inspect

    # If the text does not start with the pattern: nil with a position, an error without one.
    def parse(text, position = nil)
      match = reader.match(text)
      if match.nil?
        return nil if position

        raise ArgumentError, "Unparseable date: \"#{text}\""
      end
      position&.setIndex(match.end(0))
      Date.new(milliseconds(match))
    end

    private

    def reader
      @reader ||= begin
        pieces = @parts.each_with_index.map do |(letter, n), i|
          next Regexp.escape(n) if letter.nil?

          adjacent = @parts[i + 1]&.first && FIELDS[letter][0].start_with?('\d')
          "(?<f#{i}>#{adjacent ? "\\d{#{n}}" : FIELDS[letter][0]})"
        end
        Regexp.new("\\A#{pieces.join}")
      end
    end

    def milliseconds(match)
      fields = Hash.new('')
      widths = {}
      @parts.each_with_index { |(letter, n), i| (fields[letter] = match["f#{i}"]) && (widths[letter] = n) if letter }
      hour = fields['H'].empty? ? hour_of_twelve(fields) : fields['H'].to_i
      arguments = [year(fields['y'], widths['y']), month(fields['M']), number(fields['d'], 1), hour,
                   fields['m'].to_i, fields['s'].to_i]
      zone = fields['Z'] + fields['z']
      arguments << (zone.match?(/\A[+-]\d{4}/) ? zone.insert(3, ':') : zone.sub('GMT', 'UTC')) unless zone.empty?
      Time.new(*arguments).to_i * 1000 + fields['S'].to_i
    end

    def hour_of_twelve(fields)
      fields['h'].to_i % 12 + (fields['a'].casecmp?('pm') ? 12 : 0)
    end

    # Two digits mean the year from 80 years ago to 20 years ahead, as in Java.
    def year(text, width)
      return 1970 if text.empty?
      return text.to_i unless width == 2 && text.length == 2

      century = Time.now.year - 80
      year = century - century % 100 + text.to_i
      year < century ? year + 100 : year
    end

    def month(text)
      return number(text, 1) unless text.match?(/[A-Za-z]/)

      index = MONTHS.index(text[0, 3].capitalize) or raise ArgumentError, "Unparseable date: month #{text}"
      index + 1
    end

    def number(text, default)
      text.empty? ? default : text.to_i
    end
  end

  # java.text.ParsePosition
  class ParsePosition
    def initialize(index)
      @index = index
    end

    def getIndex
      @index
    end

    def setIndex(index)
      @index = index
    end
  end

  register('java.util', 'Date' => Date)
  register('java.text', 'SimpleDateFormat' => SimpleDateFormat, 'ParsePosition' => ParsePosition)
end
