-- Labels of columns without an alias: default arguments, computed constants, conversions, tables and families; types of parts of CHAR and of times.
CREATE TABLE lb (k INTEGER PRIMARY KEY, i INTEGER, b BIGINT, d DOUBLE, f FLOAT, x DECIMAL(10,2), y DECIMAL, c CHAR(5), v VARCHAR(10), s VARCHAR, dt DATE, tm TIME, ts TIMESTAMP, ud UNSIGNED_DATE, us UNSIGNED_TIMESTAMP, vb VARBINARY, bo BOOLEAN, ia INTEGER ARRAY, sa VARCHAR ARRAY, ui UNSIGNED_INT, ti TINYINT, fam.q VARCHAR, fam.n INTEGER, "lower" INTEGER)
UPSERT INTO lb (k, i, c, s, x, d) VALUES (1, 2, 'ab', 'abcdef', 12.34, 1.5)
SELECT ROUND(i), FLOOR(b), CEIL(ui), ROUND(d), ROUND(d, 2), ROUND(y), FLOOR(y, 2), CEIL(x, 1), TRUNC(d), TRUNC(x, 1) FROM lb
SELECT ROUND(dt, 'day'), ROUND(tm, 'hour'), ROUND(ts, 'minute', 5), FLOOR(dt, 'month'), CEIL(ts, 'day'), TRUNC(dt, 'week'), ROUND(ts, 'year'), FLOOR(ud, 'day'), CEIL(us, 'millisecond') FROM lb
SELECT TO_CHAR(i), TO_CHAR(dt, 'yyyy'), TO_NUMBER(s || NULL, '0') IS NULL, TO_DATE(v), TO_TIME(v, 'HH'), TO_TIMESTAMP(v, 'yyyy', 'UTC') FROM lb
SELECT UPPER(s), UPPER(s, 'tr'), LOWER(s), LPAD(s, 5), LPAD(s, 5, '*'), REGEXP_SUBSTR(s, 'a'), REGEXP_REPLACE(s, 'a'), REGEXP_SPLIT(s, 'a')[1], ARRAY_TO_STRING(sa, ','), STRING_TO_ARRAY(s, ',') FROM lb
SELECT COALESCE(i, b), COALESCE(x, i), CASE WHEN 1 = 1 THEN i ELSE b END, CASE WHEN i = 1 THEN d ELSE b END, CASE WHEN i = 1 THEN 1 ELSE x END, CASE WHEN i = 1 THEN NULL ELSE 2 END, CASE WHEN i = 1 THEN NULL ELSE 'a' END FROM lb
SELECT CAST(i AS INTEGER), CAST(i AS BIGINT), CAST(x AS DECIMAL(5,1)), CAST(x AS BIGINT), CAST(1.5 AS INTEGER), CAST(s AS VARCHAR(10)), CAST(NULL AS INTEGER), CAST(dt AS TIMESTAMP) FROM lb
SELECT 2 * 3 * i, i + 1 + 1, i + (1 + 1), i - (1 - 2), i + 2 - 1, 7 / 2 * i, 1.5 * 2 + i, ('a' || 'b') || s, s || (1 + 2), i + NULL, LENGTH(s) + NULL, PI() FROM lb
SELECT UPPER('abc'), LOWER('A') || s, LENGTH('abc') + i, SUBSTR('hello', 2, 3), ROUND(2.567, 2), TO_CHAR(5), SQRT(16) + i, REGEXP_SPLIT('a,b', ','), TO_DATE('2020-01-01') + 1, TO_CHAR(TO_DATE('2020-05-05'), 'yyyy') FROM lb
SELECT 1 = i, 1 < i, d = 1, f > 1, b = 1.0, b >= 1.5, b < 2.5, i = 1.5, i <> 1.5, ti = 300, ti < 300, ui > -1, c = 'abcdef', vb = 'a', ts = DATE '2020-01-01', 'a' < s, i = NULL FROM lb WHERE k = 2
SELECT i IN (1), i NOT IN (1), i IN (2, 1, 2), d IN (1, 2.5), s IN (UPPER('a'), 'B'), i IN (NULL, 1), i IN (NULL), i BETWEEN 1.5 AND 2.5, 1 BETWEEN i AND b, k IS NULL, k IS NOT NULL, dt IN (DATE '2020-01-02', DATE '2020-01-01') FROM lb WHERE k = 2
SELECT s LIKE 'a', s LIKE 'a\_b', s NOT LIKE 'a', s LIKE 'a' || '%', s LIKE NULL, i = 1 AND TRUE, i = 1 OR 1 = 1, i = 1 AND 1 = 2, 1 BETWEEN 0 AND 2, NOT TRUE, NULL IS NULL, (i, b) = (1, 2) FROM lb WHERE k = 2
SELECT SUM(1 + 1), MIN('a'), SUM(n), COUNT(DISTINCT UPPER(q)), SUM(lb.i), MAX("lower"), AVG(ROUND(d, 1)), ROUND(SUM(d), 2), COALESCE(MAX(i), 0) + 1 FROM lb
SELECT t.i, t.n + 1, fam.n + 1, t.i + t.b, UPPER(t.q), SUM(t.i), t."lower" + 1 FROM lb t GROUP BY t.i, t.n, t.b, t.q, t."lower"
SELECT ROUND(dt, 'hour'), CASE WHEN bo THEN ti ELSE i END, COUNT(*) FROM lb GROUP BY ROUND(dt, 'hour'), CASE WHEN bo THEN ti ELSE i END
SELECT a.i + b.i, UPPER(a.s), a.fam.n, a.n + 1, a.fam.n + 1, b.q || 'x', a."lower", a."lower" + 1, a.i IN (1, 2) FROM lb a JOIN lb b ON a.k = b.k
SELECT * FROM (SELECT i + 1, UPPER(s), COUNT(*) FROM lb GROUP BY i, s)
SELECT SUBSTR(c, 1), SUBSTR(c, 2), SUBSTR(c, 1, 3), SUBSTR(c, -5), SUBSTR(c, i), SUBSTR(c, i, 2), SUBSTR(c, 6), LENGTH(SUBSTR(c, 2)) FROM lb
SELECT k FROM lb WHERE SUBSTR(c, 1, 3) = 'ab'
SELECT SUBSTR(c, 1, 1), COUNT(*) FROM lb GROUP BY SUBSTR(c, 1, 1)
SELECT tm + 1 A, ud + 1 B, us - 0.5 C, ts + 1 D, dt - 1 E FROM lb
SELECT SUM(CASE WHEN i > 1 THEN i ELSE NULL END) A FROM lb
SELECT TO_CHAR(x, '0.###E0') R1, TO_CHAR(12345, '##0.##E0') R2, TO_CHAR(x, '00.00E00') R3, TO_CHAR(d, '0E0') R4, TO_CHAR(0, '0.#E0') R5, TO_CHAR(-0.00123, '##0.##E0') R6, TO_CHAR(1e300, '0.0E0') R7 FROM lb
SELECT TO_CHAR(-1234, 'x0.0E0y;(0.0E0)') A, TO_CHAR(25, '0E0') B, TO_CHAR(1000000, '#,##0.0E0') C, TO_CHAR(5, '.00E0') D, TO_NUMBER('1.5E3', '0.0') E FROM lb
