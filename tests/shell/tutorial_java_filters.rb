# Filters made of Java classes, all names written out.
create 't', 'f'
put 't', 'a', 'f:x', '1', 1
put 't', 'b', 'f:x', '2', 1
put 't', 'c', 'f:y', '2', 1
scan 't', {FILTER => org.apache.hadoop.hbase.filter.PrefixFilter.new(org.apache.hadoop.hbase.util.Bytes.toBytes('b'))}
scan 't', {FILTER => org.apache.hadoop.hbase.filter.RowFilter.new(org.apache.hadoop.hbase.filter.CompareFilter::CompareOp.valueOf('EQUAL'), org.apache.hadoop.hbase.filter.SubstringComparator.new('c'))}
filter = org.apache.hadoop.hbase.filter.SingleColumnValueFilter.new("f".to_java_bytes, "x".to_java_bytes, org.apache.hadoop.hbase.CompareOperator::GREATER_OR_EQUAL, "2".to_java_bytes)
filter.setFilterIfMissing(true)
scan 't', {FILTER => filter}
list = org.apache.hadoop.hbase.filter.FilterList.new([org.apache.hadoop.hbase.filter.QualifierFilter.new(org.apache.hadoop.hbase.CompareOperator::EQUAL, org.apache.hadoop.hbase.filter.BinaryComparator.new('x'.to_java_bytes)), org.apache.hadoop.hbase.filter.PageFilter.new(1)])
scan 't', {FILTER => list}
scan 't', {FILTER => org.apache.hadoop.hbase.filter.MultiRowRangeFilter.new([org.apache.hadoop.hbase.filter.MultiRowRangeFilter::RowRange.new('a', true, 'b', false), org.apache.hadoop.hbase.filter.MultiRowRangeFilter::RowRange.new('c', true, '', false)])}
