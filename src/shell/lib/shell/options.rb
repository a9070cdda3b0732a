module Shell
  # The command line: klip shell [OPTIONS] [URI] [SCRIPT [ARGUMENTS]]. Options are those of HBase's shell.
  class Options
    USAGE = <<~TEXT
      Usage: klip shell [OPTIONS] [URI] [SCRIPT [ARGUMENTS]]

      URI is a directory (klip-data when left out) or klip:DIRECTORY, hbase+zk://HOST:PORT[/ZNODE], hbase+rpc://HOST:PORT.

       -d | --debug            Show backtraces.
       -h | --help             This help.
       -n | --noninteractive   Run SCRIPT and what is on standard input, and exit with non-zero status on the first error.
       --top-level-defs        Ignored: commands are always defined on Ruby's main object.
       -Dkey=value             Configuration; hbase.zookeeper.quorum, hbase.zookeeper.property.clientPort and
                               zookeeper.znode.parent name the cluster when URI is left out.
    TEXT

    DEFAULT_STORE = 'klip-data'.freeze

    attr_reader :uri, :script, :configuration

    # Removes the options from `argv`; the rest are the script's arguments. Ends the program on --help and on errors.
    def self.parse(argv)
      new.tap { |options| options.send(:read, argv) }
    end

    def embedded?
      @uri.start_with?('klip:')
    end

    def interactive?
      @interactive
    end

    def debug?
      @debug
    end

    private

    def initialize
      @interactive = true
      @debug = false
      @configuration = {}
    end

    def read(argv)
      read_option(argv.shift, argv) while argv.first&.start_with?('-')
      place = argv.first
      @uri = argv.shift if place && !File.file?(place) && !(place.end_with?('.rb') && !File.exist?(place))
      @script = argv.shift
      fail_with("no such script: #{@script}") unless @script.nil? || File.file?(@script)
      @uri = full_uri(@uri || cluster_uri || DEFAULT_STORE)
    end

    def read_option(option, argv)
      case option
      when '-h', '--help' then puts(USAGE) || exit(0)
      when '--man' then require('shell/manual') && puts(Manual.new.page) || exit(0)
      when '-d', '--debug' then @debug = true
      when '-n', '--noninteractive' then @interactive = false
      when '-r', '--return-values'
        warn '[INFO] the -r | --return-values option is ignored. we always behave as though it was given.'
      when '--top-level-defs', '-' then nil
      when '-D' then configure(argv.shift || fail_with("-D takes a 'key=value' parameter"))
      when /\A-D/ then configure(option.delete_prefix('-D'))
      else fail_with("unknown option #{option}; see klip shell --help")
      end
    end

    def configure(pair)
      key, value = pair.split('=', 2)
      fail_with("#{pair} is not of the form key=value") if value.nil?
      @configuration[key] = value
    end

    def cluster_uri
      quorum = @configuration['hbase.zookeeper.quorum'] or return
      port = @configuration.fetch('hbase.zookeeper.property.clientPort', '2181')
      hosts = quorum.split(',').map { |host| host.include?(':') ? host : "#{host}:#{port}" }
      "hbase+zk://#{hosts.join(',')}#{@configuration['zookeeper.znode.parent']}"
    end

    def full_uri(place)
      place.start_with?('klip:', 'hbase+') ? place : "klip:#{place}"
    end

    def fail_with(message)
      warn "klip shell: #{message}"
      exit 2
    end
  end
end
