rows = LOAD '$out/visits.tsv' AS (user:chararray, city:chararray, visits:long);
STORE rows INTO 'hbase://pig_visits' USING org.apache.pig.backend.hadoop.hbase.HBaseStorage('d:city d:visits');
