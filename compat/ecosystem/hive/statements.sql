CREATE EXTERNAL TABLE orders (id STRING, city STRING, amount INT, extra MAP<STRING, STRING>)
STORED BY 'org.apache.hadoop.hive.hbase.HBaseStorageHandler'
WITH SERDEPROPERTIES ('hbase.columns.mapping' = ':key,f:city,f:amount#b,m:')
TBLPROPERTIES ('hbase.table.name' = 'hive_orders');
CREATE TABLE lines (id STRING, city STRING, amount INT) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t';
LOAD DATA LOCAL INPATH 'orders.tsv' INTO TABLE lines;
INSERT INTO TABLE orders SELECT id, city, amount, map('colour', IF(amount % 2 = 0, 'red', 'blue'), concat('n', amount % 3), 'x')
  FROM lines;
INSERT INTO TABLE orders SELECT 'p1', CAST(NULL AS STRING), 5, map('size', 'XL');
SELECT * FROM orders WHERE city IS NULL;
SELECT * FROM orders WHERE id = 'o0007';
SELECT * FROM orders WHERE id < 'o0004';
SELECT id, amount FROM orders WHERE id BETWEEN 'o0299' AND 'o0302';
SELECT * FROM orders WHERE id > 'o0898';
SELECT id, extra['colour'], extra['n1'] FROM orders WHERE city = 'Genf' AND id >= 'o0601' AND id <= 'o0610';
SELECT id, amount FROM orders WHERE amount = 4400 OR id = 'o0002';
SELECT city, COUNT(*), SUM(amount), MIN(id), MAX(id) FROM orders GROUP BY city ORDER BY city;
SELECT COUNT(*), SUM(amount) FROM orders WHERE id BETWEEN 'o0250' AND 'o0650' AND amount > 3000;
SELECT key, COUNT(*) FROM orders LATERAL VIEW explode(extra) cells AS key, value GROUP BY key ORDER BY key;
SET hive.fetch.task.conversion=none;
SELECT id FROM orders WHERE id > 'o0298' AND id <= 'o0301';
SELECT o.id, o.city, l.amount FROM orders o JOIN lines l ON o.amount = l.amount
  WHERE o.id < 'o0003' AND l.amount < 60 ORDER BY o.id;
SET hive.fetch.task.conversion=more;
CREATE TABLE stamps (key INT, value STRING, small SMALLINT, real DOUBLE, yes BOOLEAN, written TIMESTAMP)
STORED BY 'org.apache.hadoop.hive.hbase.HBaseStorageHandler'
WITH SERDEPROPERTIES ('hbase.columns.mapping' = ':key,d:value#s,d:small,d:real,d:yes,:timestamp',
  'hbase.table.default.storage.type' = 'binary')
TBLPROPERTIES ('hbase.table.name' = 'hive_stamps');
INSERT INTO TABLE stamps SELECT CAST(substr(id, 2) AS INT), city, CAST(amount AS SMALLINT), amount / 4, amount % 2 = 0,
  CAST(concat('2020-01-02 03:04:', substr(id, 4)) AS TIMESTAMP) FROM lines WHERE id <= 'o0010';
INSERT INTO TABLE stamps SELECT -5, 'Bern', CAST(-1 AS SMALLINT), CAST(NULL AS DOUBLE), CAST(NULL AS BOOLEAN),
  CAST('2020-01-02 03:05:00' AS TIMESTAMP);
SELECT * FROM stamps;
SELECT key, value FROM stamps WHERE key = 7;
SELECT key, value FROM stamps WHERE key >= 3 AND key < 6;
SELECT key, written FROM stamps WHERE written >= CAST('2020-01-02 03:04:08' AS TIMESTAMP);
SET hive.optimize.ppd.storage=false;
SELECT key, written FROM stamps WHERE written >= CAST('2020-01-02 03:04:08' AS TIMESTAMP);
SELECT o.id, o.city, l.amount FROM orders o JOIN lines l ON o.amount = l.amount
  WHERE o.id < 'o0003' AND l.amount < 60 ORDER BY o.id;
SELECT COUNT(*) FROM orders WHERE id >= 'o0299' AND id < 'o0602';
SET hive.optimize.ppd.storage=true;
CREATE TABLE keyed (key STRUCT<city: STRING, id: STRING>, counts MAP<STRING, INT>)
ROW FORMAT DELIMITED COLLECTION ITEMS TERMINATED BY '~'
STORED BY 'org.apache.hadoop.hive.hbase.HBaseStorageHandler'
WITH SERDEPROPERTIES ('hbase.columns.mapping' = ':key,d:c_.*', 'hbase.columns.mapping.prefix.hide' = 'true')
TBLPROPERTIES ('hbase.table.name' = 'hive_keyed');
INSERT INTO TABLE keyed SELECT named_struct('city', city, 'id', id), map('c_amount', amount, 'c_half', CAST(amount / 2 AS INT))
  FROM lines WHERE id <= 'o0006';
SELECT * FROM keyed;
SELECT key.id, counts FROM keyed WHERE key.city = 'Genf';
DROP TABLE stamps;
DROP TABLE orders;
SHOW TABLES;
