rows = LOAD 'hbase://pig_visits' USING org.apache.pig.backend.hadoop.hbase.HBaseStorage('d:city d:visits', '-loadKey true') AS (user:chararray, city:chararray, visits:long);
cities = FOREACH (GROUP rows BY city) GENERATE group, COUNT(rows), SUM(rows.visits);
STORE cities INTO '$out/by_city';
some = LOAD 'hbase://pig_visits' USING org.apache.pig.backend.hadoop.hbase.HBaseStorage('d:visits', '-loadKey true -gte u0290 -lt u0310 -caching 7') AS (user:chararray, visits:long);
STORE some INTO '$out/range';
wide = LOAD 'hbase://pig_visits' USING org.apache.pig.backend.hadoop.hbase.HBaseStorage('d:v*', '-loadKey true -limit 5 -lte u0005') AS (user:chararray, visits:map[]);
STORE wide INTO '$out/wide';
