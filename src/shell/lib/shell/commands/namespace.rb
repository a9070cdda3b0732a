Shell.group 'namespace', 'NAMESPACE MANAGEMENT COMMANDS' do
  command 'create_namespace', <<~'HELP' do |name, properties = {}|
    Creates a namespace, optionally with properties:

      hbase> create_namespace 'ns1'
      hbase> create_namespace 'ns1', {'PROPERTY_NAME' => 'PROPERTY_VALUE'}
  HELP
    connection.create_namespace(name.to_s, properties.to_h { |key, value| [key.to_s, value.to_s] })
  end

  command 'drop_namespace', "Deletes a namespace, which must be empty:\n\n  hbase> drop_namespace 'ns1'\n" do |name|
    connection.delete_namespace(name.to_s)
  end

  command 'alter_namespace', <<~'HELP' do |name, *changes|
    Sets or removes properties of a namespace:

      hbase> alter_namespace 'ns1', {METHOD => 'set', 'PROPERTY_NAME' => 'PROPERTY_VALUE'}
      hbase> alter_namespace 'ns1', {METHOD => 'unset', NAME => 'PROPERTY_NAME'}
  HELP
    raise ArgumentError, 'There should be at least one argument but the namespace name' if changes.empty?

    properties = namespace_properties(name).dup
    changes.flatten.each do |change|
      change = change.dup
      case method = change.delete('METHOD')
      when 'set' then change.each { |key, value| properties[key.to_s] = value.to_s }
      when 'unset' then Array(change['NAME']).each { |key| properties.delete(key) }
      else raise ArgumentError, "Unknown method: #{method}"
      end
    end
    connection.modify_namespace(name.to_s, properties)
  end

  command 'describe_namespace', "Prints a namespace's properties:\n\n  hbase> describe_namespace 'ns1'\n" do |name|
    properties = namespace_properties(name)
    formatter.header(['DESCRIPTION'])
    parts = ["NAME => '#{name}'", *properties.sort.map { |key, value| "#{key} => '#{value}'" }]
    formatter.row(["{#{parts.join(', ')}}"])
    print_quotas('NAMESPACE', name)
  end

  command 'list_namespace', <<~'HELP' do |regex = '.*'|
    Lists all namespaces, or those whose full name matches a regular expression:

      hbase> list_namespace
      hbase> list_namespace 'abc.*'
  HELP
    print_list('NAMESPACE', connection.namespaces.map(&:first).grep(/\A(?:#{regex})\z/))
  end

  command 'list_namespace_tables', <<~'HELP' do |name|
    Lists the tables of a namespace:

      hbase> list_namespace_tables 'ns1'
  HELP
    namespace_properties(name)
    print_list('TABLE', tables_in(name).map { |table| table.delete_prefix("#{name}:") })
  end
end

class Shell::Command
  private

  def namespace_properties(name)
    found = connection.namespaces.assoc(name.to_s)
    raise "Unknown namespace #{name}!" if found.nil?

    found[1]
  end
end
