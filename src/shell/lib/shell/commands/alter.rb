# `alter` and its kin: also of the group ddl.
class Shell::GroupBuilder
  def alter_command(name, help, async:)
    command(name, help) do |table, *args|
      Shell::Alteration.new(connection, table.to_s).apply(args)
      print_alter_progress(table) unless async
    end
  end
end

Shell.extend_group 'ddl' do
  alter_command 'alter', <<~'HELP', async: false
    Changes a table: adds or changes column families, or deletes them. Attributes that you do not name keep their values:

      hbase> alter 't1', NAME => 'f1', VERSIONS => 5
      hbase> alter 't1', 'f1', {NAME => 'f2', IN_MEMORY => true}, {NAME => 'f3', VERSIONS => 5}
      hbase> alter 'ns1:t1', NAME => 'f1', METHOD => 'delete'
      hbase> alter 'ns1:t1', 'delete' => 'f1'

    Attributes of the table:

      hbase> alter 't1', MAX_FILESIZE => '134217728'
      hbase> alter 't1', METHOD => 'table_att', 'coprocessor' => 'file:///foo.jar|com.foo.FooObserver|1001|arg1=1,arg2=2'
      hbase> alter 't1', COPROCESSOR => {CLASSNAME => 'com.foo.FooObserver', PRIORITY => 1001}
      hbase> alter 't1', METHOD => 'table_att_unset', NAME => 'MAX_FILESIZE'
      hbase> alter 't1', METHOD => 'table_att_unset', NAME => ['MAX_FILESIZE', 'coprocessor$1']
      hbase> alter 't1', METHOD => 'table_remove_coprocessor', CLASSNAME => 'com.foo.FooObserver'

    Configuration, of the table or of a family:

      hbase> alter 't1', CONFIGURATION => {'hbase.hregion.scan.loadColumnFamiliesOnDemand' => 'true'}
      hbase> alter 't1', {NAME => 'f2', CONFIGURATION => {'hbase.hstore.blockingStoreFiles' => '10'}}
      hbase> alter 't1', METHOD => 'table_conf_unset', NAME => 'hbase.hregion.majorcompaction'

    Several changes are made in one step:

      hbase> alter 't1', {NAME => 'f1', VERSIONS => 3}, {MAX_FILESIZE => '134217728'}, {METHOD => 'delete', NAME => 'f2'}
  HELP

  alter_command 'alter_async', <<~'HELP', async: true
    Like alter, but prints no progress. klip has no regions that would have to reopen:

      hbase> alter_async 't1', NAME => 'f1', VERSIONS => 5
  HELP

  command 'alter_status', "Prints how many regions have applied the last alter:\n\n  hbase> alter_status 't1'\n" do |table|
    print_alter_progress(table)
  end
end

class Shell::Command
  private

  def print_alter_progress(table)
    regions = connection.regions(table.to_s).size
    puts 'Updating all regions with the new schema...', "#{regions}/#{regions} regions updated.", 'Done.'
  end
end

module Shell
  # The changes of one `alter`, which are made as one step.
  class Alteration
    def initialize(connection, table)
      @connection = connection
      @name = table
    end

    def apply(args)
      raise ArgumentError, "Can't find a table: #{@name}" unless @connection.table_exists?(@name)

      args = args.flatten.compact
      raise ArgumentError, 'There should be at least one argument but the table name' if args.empty?

      @table = @connection.describe_table(@name)
      args.each do |arg|
        Schema.check_type(arg)
        arg.is_a?(String) ? change_family('NAME' => arg) : change(arg.dup)
      end
      @connection.modify_table(@table)
    end

    private

    def change(arg)
      arg.delete('REOPEN_REGIONS')
      if arg.key?('delete')
        delete_family(arg['delete'])
      elsif arg.key?('METHOD') && arg['METHOD'] != 'table_att'
        by_method(arg.delete('METHOD').to_s, arg)
      elsif arg.key?('NAME')
        change_family(arg)
      else
        arg.delete('METHOD')
        Schema.apply_table(@table, arg)
        arg.each_key { |key| puts "Unknown argument ignored: #{key}" }
      end
    end

    def by_method(method, arg)
      case method
      when 'delete' then delete_family(arg['NAME'])
      when 'table_att_unset' then unset('attribute', arg['NAME'])
      when 'table_conf_unset' then unset('configuration', arg['NAME'])
      when 'table_remove_coprocessor' then remove_coprocessors(Array(arg['CLASSNAME']))
      else raise ArgumentError, "Unknown method: #{method}"
      end
    end

    def change_family(arg)
      existing = @table[:families].find { |family| family[:name] == arg['NAME'].to_s }
      family = Schema.family(arg, existing)
      @table[:families] << family unless existing
    end

    def delete_family(name)
      raise ArgumentError, 'NAME parameter missing for delete method' if name.nil?

      removed = @table[:families].reject! { |family| family[:name] == name.to_s }
      raise ArgumentError, "Family #{name} does not exist in table #{@name}" if removed.nil?
    end

    def unset(what, names)
      Array(names).each do |name|
        removed = [@table[:attributes].delete(name), @table[:configuration].delete(name)].compact
        raise ArgumentError, "Could not find #{what}: #{name}" if removed.empty?
      end
    end

    def remove_coprocessors(classes)
      classes.each do |name|
        found = @table[:attributes].find { |key, text| key.match?(/\Acoprocessor\$/i) && text.split('|')[1] == name }
        raise ArgumentError, "Could not find coprocessor: #{name}" if found.nil?

        @table[:attributes].delete(found[0])
      end
    end
  end
end
