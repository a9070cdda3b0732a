Shell.group 'general', 'GENERAL HBASE SHELL COMMANDS' do
  command 'version', "Prints the version of HBase that klip behaves as, and klip's own:\n\n  hbase> version\n" do
    puts Shell::VERSION_TEXT
  end

  command 'table_help', "Prints how to use references to tables:\n\n  hbase> table_help\n" do
    puts Hbase::Table::HELP
  end

  command 'whoami', "Prints the user:\n\n  hbase> whoami\n" do
    require 'etc'
    groups = Process.groups.filter_map { |id| Etc.getgrgid(id)&.name rescue nil }
    puts "#{Etc.getpwuid&.name || Process.uid} (auth:SIMPLE)"
    puts "    groups: #{groups.join(', ')}" unless groups.empty?
  end
end
