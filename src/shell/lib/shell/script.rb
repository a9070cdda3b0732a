module Shell
  # Ruby from a file or a pipe, run statement by statement, with the value of each echoed as irb does.
  class Script
    NOT_UTF8 = 'is not UTF-8; write other bytes as "\\xNN", in double quotes'.freeze

    BYTE_ORDER_MARK = "\uFEFF".freeze

    def initialize(io, name)
      @io = io
      @name = name
    end

    # The first error ends the program.
    def run
      each_statement { |code, line| echo(TOPLEVEL_BINDING.eval(code, @name, line)) }
    rescue SystemExit, Errno::EPIPE
      raise
    rescue Exception => e  # syntax errors and interrupts too
      fail_with(e)
    end

    # Yields each complete statement with the number of its first line.
    def each_statement
      code = +''
      first = number = 1
      @io.each_line do |line|
        raise SyntaxError, "#{@name}: line #{number} #{NOT_UTF8}" unless line.valid_encoding?
        line = line.delete_prefix(BYTE_ORDER_MARK) if number == 1
        break if line.chomp == '__END__'

        code << line
        number += 1
        next unless complete?(code)

        yield code, first unless code.strip.empty?
        code = +''
        first = number
      end
      yield code, first unless code.strip.empty?  # raises what is wrong with it
    end

    private

    UNFINISHED = /unexpected end-of-input|unterminated|anywhere before EOF|embedded document meets end of file/.freeze

    def complete?(code)
      return false if code.end_with?("\\\n")

      verbose, $VERBOSE = $VERBOSE, nil
      RubyVM::InstructionSequence.compile(code)
      true
    rescue SyntaxError => e
      !e.message.match?(UNFINISHED)
    ensure
      $VERBOSE = verbose
    end

    def echo(value)
      puts "=> #{value.inspect}" unless value.nil?
      $stdout.flush
    end

    def fail_with(error)
      name = error.class.name
      if error.is_a?(Klip::Error)
        warn 'java exception'
        name = Java.ruby_name(error.java_class)
      end
      puts "ERROR #{name}: #{error.message}"
      warn error.full_message if TOPLEVEL_BINDING.receiver.instance_variable_get(:@shell).debug?
      throw :klip_exit, 1
    end
  end
end
