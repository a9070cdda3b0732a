require 'shell/script'

module Shell
  # One run of the program: a script, then statements from the terminal or a pipe.
  class Run
    def initialize(options)
      @options = options
    end

    # The exit code.
    def call
      session = Shell.new(connect, embedded: @options.embedded?,
                                   interactive: @options.interactive?, debug: @options.debug?,
                                   configuration: @options.configuration, uri: @options.uri)
      session.export_to(TOPLEVEL_BINDING.receiver)
      define_exit
      code = catch(:klip_exit) do
        run_script
        @options.interactive? ? run_console(session) : run_standard_input
        0
      end
      $stdout.flush
      session.connection.close
      code
    rescue SystemExit => e
      e.status
    rescue Errno::EPIPE
      $stdout.reopen(File::NULL)  # the reader of our output has gone, as in `klip shell ... | head`
      0
    end

    private

    def connect
      Klip::Connection.open(@options.uri, {})
    rescue Klip::Error => e
      warn "klip shell: #{e.message}"
      exit 3
    end

    # `exit` leaves at once, from scripts and from irb.
    def define_exit
      leave = proc { |code = 0| throw :klip_exit, Integer === code ? code : (code ? 0 : 1) }
      main = TOPLEVEL_BINDING.receiver
      %i[exit quit].each { |name| main.define_singleton_method(name, &leave) }
    end

    # A script's mistakes end the program; those of commands only with -n.
    def run_script
      return unless @options.script

      $0 = @options.script
      File.open(@options.script) { |file| Script.new(file, @options.script).run }
    end

    # After a script, the program ends if its input is a terminal.
    def run_standard_input
      $stdin.set_encoding(Encoding::UTF_8)  # whatever LANG says, as for scripts
      Script.new($stdin, 'stdin').run unless @options.script && $stdin.tty?
    end

    def run_console(session)
      require 'shell/console'
      Console.new(session).run
    end
  end
end
