-- CHAR compared with constants that have trailing spaces, and by LIKE.
DROP TABLE IF EXISTS ch
CREATE TABLE ch (k INTEGER PRIMARY KEY, c CHAR(5), v VARCHAR, e CHAR(3))
UPSERT INTO ch VALUES (1, 'ab', 'ab', 'ab')
UPSERT INTO ch VALUES (2, 'ab c', 'ab ', 'ab')
UPSERT INTO ch VALUES (3, 'abcde', 'ab ', 'abc')
SELECT k FROM ch WHERE c LIKE '%b'
SELECT k FROM ch WHERE c LIKE 'ab___'
SELECT k FROM ch WHERE c LIKE 'ab_'
SELECT k FROM ch WHERE c LIKE '_b%'
SELECT k FROM ch WHERE c LIKE '% '
SELECT k FROM ch WHERE c = v
SELECT k FROM ch WHERE v = c
SELECT k FROM ch WHERE e = v
SELECT k FROM ch WHERE c = e
SELECT k FROM ch WHERE v = 'ab '
SELECT k FROM ch WHERE v = 'ab'
SELECT k FROM ch WHERE c > 'ab '
SELECT k FROM ch WHERE c >= 'ab  '
SELECT k FROM ch WHERE c < 'ab c '
SELECT k FROM ch WHERE c <> 'ab '
SELECT k FROM ch WHERE 'ab  ' = c
SELECT k FROM ch WHERE c = 'ab         '
SELECT k FROM ch WHERE c BETWEEN 'ab ' AND 'ab z '
SELECT k FROM ch WHERE c IN ('ab   ', 'ab c ')
SELECT k FROM ch WHERE c = CAST('ab ' AS VARCHAR)
SELECT k FROM ch WHERE (c, k) = ('ab ', 1)
SELECT k FROM ch WHERE CASE WHEN c = 'ab ' THEN 1 ELSE 0 END = 1
SELECT k FROM ch WHERE c NOT LIKE '%b'
SELECT k FROM ch WHERE c ILIKE 'AB %'
CREATE TABLE ck (c CHAR(5) NOT NULL, d CHAR(3) NOT NULL CONSTRAINT pk PRIMARY KEY (c, d DESC))
UPSERT INTO ck VALUES ('ab', 'x')
UPSERT INTO ck VALUES ('abc', 'xyz')
SELECT c FROM ck WHERE c = 'ab '
SELECT c FROM ck WHERE c = 'ab ' AND d = 'x '
SELECT c FROM ck WHERE d = 'x  '
SELECT c FROM ck WHERE c LIKE 'ab %'
SELECT c FROM ck WHERE d LIKE 'x %'
SELECT c FROM ck WHERE (c, d) > ('ab ', 'x ')
SELECT c FROM ck WHERE c IN ('ab ', 'q')
DROP TABLE ck
DROP TABLE ch
