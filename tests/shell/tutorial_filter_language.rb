# The filters of the filter language, one by one.
create 'articles', 'basic', 'stats'
[%w[1 Hadoop ann 10], %w[2 HBase bob 25], %w[3 Hive ann 7]].each do |id, title, author, views|
  put 'articles', id, 'basic:title', title, 1000
  put 'articles', id, 'basic:author', author, 1000
  put 'articles', id, 'stats:views', views, 2000
end
scan 'articles', {FILTER => "KeyOnlyFilter()", LIMIT => 1}
scan 'articles', {FILTER => "FirstKeyOnlyFilter()"}
scan 'articles', {FILTER => "RowFilter(>, 'binary:2')"}
scan 'articles', {FILTER => "FamilyFilter(=, 'binary:stats')"}
scan 'articles', {FILTER => "QualifierFilter(=, 'regexstring:^t')"}
scan 'articles', {FILTER => "MultipleColumnPrefixFilter('au','vi')", STOPROW => '2'}
scan 'articles', {FILTER => "ColumnCountGetFilter(1)"}
scan 'articles', {FILTER => "PageFilter(1)"}
scan 'articles', {FILTER => "ColumnPaginationFilter(1, 1)"}
scan 'articles', {FILTER => "InclusiveStopFilter('1')"}
scan 'articles', {FILTER => "TimestampsFilter(2000)"}
scan 'articles', {FILTER => "ColumnRangeFilter('a', true, 'b', false)"}
scan 'articles', {FILTER => "DependentColumnFilter('basic', 'author', false, =, 'binary:bob')"}
scan 'articles', {FILTER => "SingleColumnValueExcludeFilter('basic', 'author', =, 'binary:ann')"}
scan 'articles', {FILTER => "(PrefixFilter('1') OR PrefixFilter('3')) AND ValueFilter(!=, 'binary:ann')"}
scan 'articles', {FILTER => "SKIP ValueFilter(!=, 'binary:bob')"}
scan 'articles', {FILTER => "WHILE RowFilter(!=, 'binary:2')"}
