require 'irb'
require 'shell/completion'

module Shell
  # irb with HBase's prompt: what is typed on a terminal, or piped in without -n.
  class Console
    HISTORY_FILE = '.klip_shell_history'.freeze

    LIBRARY = File.dirname(__dir__).freeze

    # An irb that does not print nil.
    class Irb < IRB::Irb
      def output_value(*)
        super unless @context.last_value.nil?
      end

      # Without the frames of the shell itself and of Ruby.
      def handle_exception(error)
        return puts('Interrupted') if error.is_a?(IRB::Abort)

        require 'did_you_mean' if error.is_a?(NameError)  # not at the start: it takes time to load
        error.backtrace&.reject! { |frame| frame.start_with?(LIBRARY, '<internal:') }
        super
      end
    end

    # Lines as UTF-8. Ruby's lexer ends the shell at other bytes.
    module Utf8Lines
      def gets
        while (line = super)
          @lines_read = (@lines_read || 0) + 1
          line = line.delete_prefix(Script::BYTE_ORDER_MARK) if @lines_read == 1
          return line if line.valid_encoding?

          puts "ERROR: line #{@lines_read} #{Script::NOT_UTF8}"
        end
      end
    end

    def initialize(session)
      @session = session
    end

    # Returns at the end of the input. Errors of statements are printed, and the next one is read.
    def run
      configure
      @session.banner
      irb = quietly { Irb.new(IRB::WorkSpace.new(TOPLEVEL_BINDING)) }
      @session.export_to(TOPLEVEL_BINDING.receiver)  # again: irb has its own `help`
      irb.context.io.singleton_class.prepend(Utf8Lines)
      # irb reads a pipe through its own buffer.
      @session.input = irb.context.io.instance_variable_get(:@stdin) unless $stdin.tty?
      Completion.new(@session.connection).install
      irb.run(IRB.conf)
    end

    private

    def configure
      IRB.setup(nil, argv: [])
      IRB.conf[:LC_MESSAGES] = IRB::Locale.new('en_US.UTF-8')  # whatever LANG says, as for scripts
      IRB.conf[:IRB_NAME] = IRB.conf[:AP_NAME] = 'hbase'
      prompt = '%N:%03n:%i'
      IRB.conf[:PROMPT][:HBASE] = { PROMPT_I: "#{prompt}> ", PROMPT_N: "#{prompt}> ", PROMPT_S: "#{prompt}%l ",
                                    PROMPT_C: "#{prompt}* ", RETURN: "=> %s\n" }
      IRB.conf.update(PROMPT_MODE: :HBASE, INSPECT_MODE: :p, ECHO_ON_ASSIGNMENT: true, USE_AUTOCOMPLETE: false,
                      USE_COLORIZE: $stdout.tty? && !ENV['NO_COLOR'], **history,
                      AUTO_INDENT: $stdin.tty?,
                      BACK_TRACE_LIMIT: @session.debug? ? 100 : 0)
    end

    # Only where there is a home to write to.
    def history
      home = ENV['HOME']
      return { SAVE_HISTORY: nil } unless home && File.writable?(home)

      { HISTORY_FILE: File.join(home, HISTORY_FILE) }
    end

    # irb warns that it cannot call its help "help".
    def quietly
      out, $stdout = $stdout, File.open(File::NULL, 'w')
      yield
    ensure
      $stdout.close
      $stdout = out
    end
  end
end
