# Switches, of the group tools. Those of splits and merges are the store's; the others turn on and off what klip has no need to do, and
# are remembered as long as the shell runs.
class Shell::GroupBuilder
  # NAME_switch and NAME_enabled. `what`: as printed; nil: the bare state.
  def switch(name, switch_command, title)
    command(switch_command, <<~HELP) do |on|
      Turns the #{title} on or off, and prints what it was before. klip has none, and only remembers it:

        hbase> #{switch_command} true
        hbase> #{switch_command} false
    HELP
      raise ArgumentError, "#{on.inspect} is not true or false" unless %w[true false].include?(on.to_s)

      before = admin.switches[name]
      admin.switches[name] = on.to_s == 'true'
      formatter.row(["Previous #{title} state : #{before}"])
      before
    end
    command("#{name}_enabled", "Tells whether the #{title} is on:\n\n  hbase> #{name}_enabled\n") do
      formatter.row([admin.switches[name].to_s])
      admin.switches[name]
    end
  end
end

Shell.extend_group 'tools' do
  command 'splitormerge_switch', <<~'HELP' do |type, on|
    Turns splits, or merges, of regions on or off, and prints what it was before:

      hbase> splitormerge_switch 'SPLIT', true
      hbase> splitormerge_switch 'MERGE', false
  HELP
    before = split_or_merge(type, on ? true : false)
    formatter.row(["Previous #{type.to_s.upcase} state : #{before}"])
    before
  end

  command 'splitormerge_enabled', <<~'HELP' do |type|
    Tells whether regions may be split, or merged:

      hbase> splitormerge_enabled 'SPLIT'
      hbase> splitormerge_enabled 'MERGE'
  HELP
    # There is no question without a change: set it, and set it back.
    on = split_or_merge(type, true)
    split_or_merge(type, false) unless on
    formatter.row([on.to_s])
    on
  end

  answers_of_one_server

  switch 'balancer', 'balance_switch', 'balancer'
  switch 'normalizer', 'normalizer_switch', 'normalizer'
  switch 'catalogjanitor', 'catalogjanitor_switch', 'catalog janitor'
  switch 'cleaner_chore', 'cleaner_chore_switch', 'cleaner chore'
  switch 'snapshot_cleanup', 'snapshot_cleanup_switch', 'snapshot cleanup'

  command 'compaction_switch', <<~'HELP' do |*|
    Turns compactions on or off. klip's cannot be turned off:

      hbase> compaction_switch true
  HELP
    raise 'compaction_switch is not supported: the storage engine decides when it compacts'
  end
end

class Shell::Command
  private

  def split_or_merge(type, on)
    case type.to_s.upcase
    when 'SPLIT' then connection.set_split_enabled(on)
    when 'MERGE' then connection.set_merge_enabled(on)
    else raise ArgumentError, 'only SPLIT or MERGE accepted for type!'
    end
  end
end
