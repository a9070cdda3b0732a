module Shell
  # TAB completes, inside quotes, the names of tables and, after a table's name, its column families. Elsewhere, it completes
  # what irb does, including commands.
  class Completion
    TABLE_BEFORE = /(?:\A|[\s(=;])\w+[\s(]+(['"])([^'"]+)\1\s*,.*\z/m.freeze

    def initialize(connection)
      @connection = connection
    end

    def install
      return unless defined?(Reline)

      others = IRB::InputCompletor::CompletionProc
      Reline.dig_perfect_match_proc = nil  # would look for documentation, which takes seconds to load
      Reline.completion_proc = lambda do |target, before = nil, after = nil|
        names(target, before.to_s) || others.call(target, before, after)
      end
    end

    # Candidates for `target`, which stands behind `before`; nil: not inside quotes.
    def names(target, before)
      quote = target[/\A(['"])[^'"]*\z/, 1] or return
      table = before[TABLE_BEFORE, 2]
      candidates = table ? families(table) : @connection.tables
      candidates.map { |name| quote + name }.select { |name| name.start_with?(target) }
    rescue Klip::Error
      []
    end

    private

    def families(table)
      @connection.describe_table(table)[:families].map { |family| "#{family[:name]}:" }
    end
  end
end
