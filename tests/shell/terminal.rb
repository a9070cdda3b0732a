# Output on a terminal of 60 columns: padded and wrapped. And what TAB offers.
require 'pty'
require 'tmpdir'
def on_terminal(script)
  Dir.mktmpdir do |dir|
    File.write("#{dir}/script.rb", script)
    PTY.open do |terminal, line|
      line.winsize = [24, 60]
      pid = spawn(File.readlink('/proc/self/exe'), '-n', "#{dir}/store", "#{dir}/script.rb", in: File::NULL, out: line)
      line.close
      text = +''
      begin
        loop { text << terminal.readpartial(4096) }
      rescue EOFError, Errno::EIO
        Process.wait(pid)
      end
      puts text.gsub(/Took [0-9.]+ seconds/, 'Took N seconds').gsub("\r", '|')
    end
  end
end
on_terminal <<~'END'
  create 'table', 'f'
  put 'table', 'a row key that is too long', 'f:q', 'a value of which more than one line is needed', 1000
  scan 'table'
  get 'table', 'a row key that is too long'
  describe 'table'
  list
END
create 'orders', 'items', 'total'
create 'other', 'f'
require 'shell/completion'
tab = Shell::Completion.new(@shell.connection); nil
tab.names("'o", 'scan ')
tab.names('"oth', 't = get_table ')
tab.names("'", "get 'orders', 'row', ")
tab.names("'to", "scan 'orders', {COLUMNS => ")
tab.names("'x", "scan 'nope', {COLUMNS => ")
tab.names('scan', '')
