module Shell
  # Quotas as they are typed and printed.
  module QuotaText
    OWNERS = { 'USER' => :user, 'TABLE' => :table, 'NAMESPACE' => :namespace, 'REGIONSERVER' => :region_server }.freeze
    UNITS = 'bkmgtp'.freeze

    module_function

    # What Klip::Connection#set_quota takes.
    def parse(args)
      args = args.dup
      type = args.delete('TYPE')
      quota = { 'THROTTLE' => :throttle, 'SPACE' => :space }.fetch(type) do
        raise "Invalid TYPE argument. got #{type}" if type
        raise 'Expected TYPE argument' unless args.key?('GLOBAL_BYPASS')

        :bypass
      end
      quota = send(quota, args).compact
      OWNERS.each { |name, key| quota[key] = args.delete(name).to_s if args.key?(name) }
      raise ArgumentError, "Unexpected arguments: #{args.inspect}" unless args.empty?
      raise 'One of USER, TABLE, NAMESPACE or REGIONSERVER must be specified' unless OWNERS.values.any? { |key| quota.key?(key) }

      quota
    end

    def throttle(args)
      limit = args.delete('LIMIT')
      type = args.delete('THROTTLE_TYPE')
      scope = args.delete('SCOPE')
      return { kind: 'throttle', throttle_type: type } if limit == 'NONE'

      count, unit, period = limit.to_s.downcase.match(%r{\A(\d+)(req|cu|[bkmgtp])/(sec|min|hour|day)\z})&.captures
      raise ArgumentError, 'Invalid throttle limit syntax' if count.nil?
      raise ArgumentError, 'Invalid throttle limit, must be greater than 0' if count.to_i.zero?

      counted = { 'req' => 'NUMBER', 'cu' => 'CAPACITY_UNIT' }.fetch(unit, 'SIZE')
      { kind: 'throttle', throttle_type: "#{type || 'REQUEST'}_#{counted}",
        limit: counted == 'SIZE' ? bytes(count, unit) : count.to_i, period: period, cluster: scope == 'CLUSTER' }
    end

    def space(args)
      limit = args.delete('LIMIT')
      policy = args.delete('POLICY')
      return { kind: 'space' } if limit == 'NONE'
      raise ArgumentError, 'Expected a POLICY to be provided' if policy.nil?

      count, unit = limit.to_s.downcase.match(/\A(\d+)([bkmgtp]?)\z/)&.captures
      raise ArgumentError, 'Invalid size limit syntax' if count.nil?

      { kind: 'space', limit: bytes(count, unit), policy: policy }
    end

    def bypass(args)
      { kind: 'bypass', bypass: args.delete('GLOBAL_BYPASS').to_s == 'true' }
    end

    def bytes(count, unit)
      count.to_i << (10 * (UNITS.index(unit.to_s) || 0))
    end

    # The filters of list_quotas.
    def select(quotas, args)
      args = args.dup
      limit = args.delete('LIMIT').to_i
      unexpected = args.keys - OWNERS.keys
      raise ArgumentError, "Unexpected arguments: #{args.inspect}" if unexpected.any?

      patterns = args.to_h { |name, regex| [OWNERS.fetch(name), /\A#{regex}\z/] }
      found = quotas.select { |quota| wanted?(quota, patterns) }
      limit.positive? ? found.first(limit) : found
    end

    # TABLE alone means quotas of tables, and not those of users on tables.
    def wanted?(quota, patterns)
      patterns.empty? ||
        (quota[:user].nil? == patterns[:user].nil? && patterns.all? { |key, regex| quota[key]&.match?(regex) })
    end

    # "USER => u1, TABLE => t1"
    def owner(quota)
      OWNERS.filter_map { |name, key| "#{name} => #{quota[key]}" if quota[key] }.join(', ')
    end

    # As HBase's QuotaSettings print themselves.
    def setting(quota)
      return "GLOBAL_BYPASS => #{quota[:bypass]}" if quota.key?(:bypass)
      return space_setting(quota) if quota.key?(:policy)

      scope = quota[:cluster] ? 'CLUSTER' : 'MACHINE'
      "TYPE => THROTTLE, THROTTLE_TYPE => #{quota[:throttle_type]}, LIMIT => #{limit_text(quota)}/#{quota[:period]}, SCOPE => #{scope}"
    end

    def space_setting(quota)
      owner = %w[TABLE NAMESPACE].filter_map { |name| ", #{name} => #{quota[OWNERS[name]]}" if quota[OWNERS[name]] }
      "TYPE => SPACE#{owner.join}, LIMIT => #{size_text(quota[:space_limit])}, VIOLATION_POLICY => #{quota[:policy]}"
    end

    def limit_text(quota)
      case quota[:throttle_type]
      when /NUMBER\z/ then "#{quota[:limit]}req"
      when /UNIT\z/ then "#{quota[:limit]}CU"
      when /MS\z/ then "#{quota[:limit]}ms"
      else size_text(quota[:limit])
      end
    end

    # "5.00M"
    def size_text(bytes)
      power = (UNITS.size - 1).downto(0).find { |one| bytes >= 1 << (10 * one) } || 0
      format('%.2f%s', bytes.to_f / (1 << (10 * power)), UNITS[power].upcase)
    end
  end
end
