require 'io/console'

module Shell
  # Lays rows out in columns: as wide as the terminal, and without padding or wrapping on anything else.
  class Formatter
    attr_reader :row_count

    def initialize
      @row_count = 0
      refresh_width
    end

    def header(columns, widths = [])
      refresh_width
      row(columns, false, widths) unless columns.empty?
      @row_count = 0
    end

    # `inset`: two columns begin behind a blank. `widths`: per cent of the terminal.
    def row(columns, inset = true, widths = [])
      case columns.length
      when 0 then return
      when 1 then pieces(columns[0], @width).each { |piece| puts pad(piece, @width) }
      when 2 then row_of_two(columns, inset, widths)
      else puts " #{columns.join(' ')}"
      end
      @row_count += 1
      nil
    end

    # `stale`: a replica has answered, which may be behind.
    def footer(rows = @row_count, stale: false)
      puts "#{rows} row(s)"
      puts ' (possible stale results) ' if stale
    end

    # Without an end of line.
    def text(text)
      refresh_width
      print pad(text, @width)
    end

    def metrics(metrics, only)
      puts
      rows = @row_count
      row(%w[METRIC VALUE], false)
      metrics.sort.each { |name, value| row([name, value.to_s]) if only.empty? || only.include?(name) }
      @row_count = rows
    end

    private

    def refresh_width
      @width = $stdout.tty? ? ($stdout.winsize[1] rescue 80) : 0
    end

    def row_of_two(columns, inset, widths)
      return puts(inset ? " #{columns[0]} #{columns[1]}" : "#{columns[0]}  #{columns[1]}") if @width.zero?

      first, second = widths_of_two(widths)
      left = pieces(columns[0], first)
      right = pieces(columns[1], second)
      [left.length, right.length].max.times do |line|
        puts "#{' ' if inset}#{pad(left[line], first)}#{inset ? ' ' : '  '}#{pad(right[line], second)}"
      end
    end

    def widths_of_two(widths)
      first = widths[0] ? @width * widths[0] / 100 : @width / 4
      second = (widths[1] ? @width * widths[1] / 100 : @width - first) - 2
      [first, second].map { |width| [width, 1].max }
    end

    def pieces(text, width)
      text = text.to_s
      width.zero? || text.empty? ? [text] : text.scan(/.{1,#{width}}/m)
    end

    def pad(text, width)
      (text || '').ljust(width)
    end
  end
end
