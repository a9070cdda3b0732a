# Switches, of the group tools.
class Shell::GroupBuilder
  # NAME_switch and NAME_enabled. `title`: as Klip::Connection and HBase call it.
  def switch(name, switch_command, title)
    command(switch_command, <<~HELP) do |on|
      Turns the #{title} on or off, and prints the previous state. klip's own store has none, and only stores the setting:

        hbase> #{switch_command} true
        hbase> #{switch_command} false
    HELP
      raise ArgumentError, "#{on.inspect} is not true or false" unless %w[true false].include?(on.to_s)

      before = connection.set_switch(title, on.to_s == 'true').to_s
      formatter.row(["Previous #{title} state : #{before}"])
      before
    end
    command("#{name}_enabled", "Prints whether the #{title} is on:\n\n  hbase> #{name}_enabled\n") do
      on = connection.switch_on?(title)
      formatter.row([on.to_s])
      on
    end
  end
end

Shell.extend_group 'tools' do
  command 'splitormerge_switch', <<~'HELP' do |type, on|
    Turns splits or merges of regions on or off, and prints the previous state:

      hbase> splitormerge_switch 'SPLIT', true
      hbase> splitormerge_switch 'MERGE', false
  HELP
    before = connection.set_switch(split_or_merge(type), on ? true : false).to_s
    formatter.row(["Previous #{type.to_s.upcase} state : #{before}"])
    before
  end

  command 'splitormerge_enabled', <<~'HELP' do |type|
    Prints whether splits, or merges, of regions are on:

      hbase> splitormerge_enabled 'SPLIT'
      hbase> splitormerge_enabled 'MERGE'
  HELP
    on = connection.switch_on?(split_or_merge(type))
    formatter.row([on.to_s])
    on
  end

  switch 'balancer', 'balance_switch', 'balancer'
  switch 'normalizer', 'normalizer_switch', 'normalizer'
  switch 'catalogjanitor', 'catalogjanitor_switch', 'catalog janitor'
  switch 'cleaner_chore', 'cleaner_chore_switch', 'cleaner chore'
  switch 'snapshot_cleanup', 'snapshot_cleanup_switch', 'snapshot cleanup'

  command 'compaction_switch', <<~'HELP' do |on, *servers|
    Turns compactions on or off, on all servers or those named, until they restart. Prints the previous state. A store in a
    directory refuses to turn them off:

      hbase> compaction_switch true
      hbase> compaction_switch false, 'server2', 'server1'
  HELP
    raise ArgumentError, "#{on.inspect} is not true or false" unless %w[true false].include?(on.to_s)

    formatter.header(["['SERVER'", "'PREV_STATE']"])  # as HBase prints it
    before = connection.set_compactions(servers_named(servers.flatten.compact), on.to_s == 'true')
    before.each { |server, state| formatter.row([server, state.to_s]) }
    formatter.footer(before.size)
  end
end

class Shell::Command
  private

  def split_or_merge(type)
    name = type.to_s.downcase
    %w[split merge].include?(name) ? name : raise(ArgumentError, 'only SPLIT or MERGE accepted for type!')
  end
end
