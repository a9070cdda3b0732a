# Filters as texts and as objects, under their Java names.
import org.apache.hadoop.hbase.filter.CompareFilter
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter
import org.apache.hadoop.hbase.filter.SubstringComparator
import org.apache.hadoop.hbase.filter.BinaryComparator
import org.apache.hadoop.hbase.filter.RegexStringComparator
import org.apache.hadoop.hbase.filter.RowFilter
import org.apache.hadoop.hbase.filter.FilterList
import org.apache.hadoop.hbase.CompareOperator
import org.apache.hadoop.hbase.util.Bytes

create 't', 'f'
('a'..'d').each { |c| put 't', "row#{c}", 'f:name', "name of #{c}", 1000; put 't', "row#{c}", "f:#{c}", "it's", 2000 }
scan 't', {FILTER => "PrefixFilter('rowb') OR ValueFilter(=,'substring:OF D')"}
scan 't', {COLUMNS => 'f:name', FILTER => SingleColumnValueFilter.new(Bytes.toBytes('f'), Bytes.toBytes('name'), CompareFilter::CompareOp.valueOf('EQUAL'), BinaryComparator.new(Bytes.toBytes('name of c')))}
missing = SingleColumnValueFilter.new('f'.to_java_bytes, 'd'.to_java_bytes, CompareOperator::EQUAL, SubstringComparator.new("t's"))
missing.setFilterIfMissing(true)
scan 't', {FILTER => missing}
either = FilterList.new(FilterList::Operator::MUST_PASS_ONE)
either.addFilter(RowFilter.new(CompareOperator::LESS, BinaryComparator.new('rowb')))
either.addFilter(RowFilter.new(CompareOperator::EQUAL, RegexStringComparator.new('[d]$')))
scan 't', {FILTER => either, COLUMN => ['f:name']}
scan 't', FILTER => org.apache.hadoop.hbase.filter.FuzzyRowFilter.new(java.util.Arrays.asList(org.apache.hadoop.hbase.util.Pair.new('row?'.to_java_bytes, [0, 0, 0, 1].to_java(:byte)))), LIMIT => 2
scan 't', {FILTER => org.apache.hadoop.hbase.filter.ColumnPaginationFilter.new(1, 1), LIMIT => 1}
scan 't', {FILTER => org.apache.hadoop.hbase.filter.KeyOnlyFilter.new, LIMIT => 1}
count 't', FILTER => org.apache.hadoop.hbase.filter.PrefixFilter.new('rowa')
scan 't', {FILTER => "NoSuchFilter('x')"}
