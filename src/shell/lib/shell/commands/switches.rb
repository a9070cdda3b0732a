# Switches, of the group tools.
class Shell::GroupBuilder
  # NAME_switch and NAME_enabled. `title`: as Klip::Connection and HBase call it.
  def switch(name, switch_command, title)
    command(switch_command, <<~HELP) do |on|
      Turns the #{title} on or off, and prints what it was before. klip's own store has none, and only remembers it:

        hbase> #{switch_command} true
        hbase> #{switch_command} false
    HELP
      raise ArgumentError, "#{on.inspect} is not true or false" unless %w[true false].include?(on.to_s)

      before = connection.set_switch(title, on.to_s == 'true').to_s
      formatter.row(["Previous #{title} state : #{before}"])
      before
    end
    command("#{name}_enabled", "Tells whether the #{title} is on:\n\n  hbase> #{name}_enabled\n") do
      on = connection.switch_on?(title)
      formatter.row([on.to_s])
      on
    end
  end
end

Shell.extend_group 'tools' do
  command 'splitormerge_switch', <<~'HELP' do |type, on|
    Turns splits, or merges, of regions on or off, and prints what it was before:

      hbase> splitormerge_switch 'SPLIT', true
      hbase> splitormerge_switch 'MERGE', false
  HELP
    before = connection.set_switch(split_or_merge(type), on ? true : false).to_s
    formatter.row(["Previous #{type.to_s.upcase} state : #{before}"])
    before
  end

  command 'splitormerge_enabled', <<~'HELP' do |type|
    Tells whether regions may be split, or merged:

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

  answers_of_one_server

  command 'compaction_switch', <<~'HELP' do |*|
    Turns compactions on or off. klip's cannot be turned off:

      hbase> compaction_switch true
  HELP
    raise 'compaction_switch is not supported: the storage engine decides when it compacts'
  end
end

class Shell::Command
  private

  def split_or_merge(type)
    name = type.to_s.downcase
    %w[split merge].include?(name) ? name : raise(ArgumentError, 'only SPLIT or MERGE accepted for type!')
  end
end
