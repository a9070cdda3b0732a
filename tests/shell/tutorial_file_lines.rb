# Lines of a file as puts, counted and looked through, as in tutorials on loading small files by the shell.
require 'tmpdir'; nil
path = File.join(Dir.mktmpdir, 'pages.tsv'); nil
File.write(path, "com.example/a\t12\ncom.example/b\t7\norg.example/c\t31\n"); nil
create 'pages', {NAME => 'f', VERSIONS => 2}
File.foreach(path) do |line|
  key, hits = line.chomp.split("\t")
  put 'pages', key, 'f:hits', hits, 5
end
count 'pages', INTERVAL => 2, CACHE => 10
(1..3).each { |i| put 'pages', "row#{'%03d' % i}", 'f:n', (i * 10).to_s, 7 }; nil
get 'pages', 'row002', 'f:n:c(org.apache.hadoop.hbase.util.Bytes).toString'
scan 'pages', {STARTROW => 'row', ENDROW => 'row003', FILTER => "(QualifierFilter(=, 'binary:n') AND ValueFilter(>=, 'binary:10'))"}
scan 'pages', {ROWPREFIXFILTER => 'com.', METRICS => ['ROWS_SCANNED']}
deleteall 'pages', {ROWPREFIXFILTER => 'row'}
pages = get_table 'pages'
pages.scan(LIMIT => 1)
truncate 'pages'
exists 'pages'
count 'pages'
require 'fileutils'; FileUtils.rm_rf(File.dirname(path)); nil
