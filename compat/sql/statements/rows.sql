-- Rows of values with NULLs, and DECIMAL arithmetic. Phoenix cuts quotients to the scale of a column.
CREATE TABLE te5 (a VARCHAR NOT NULL, b VARCHAR, c DECIMAL, v INTEGER CONSTRAINT pk PRIMARY KEY (a, b, c))
UPSERT INTO te5 VALUES ('a', 'x', 1, 1)
UPSERT INTO te5 VALUES ('a', NULL, 2, 2)
UPSERT INTO te5 VALUES ('a', NULL, NULL, 3)
UPSERT INTO te5 VALUES ('b', 'y', NULL, 4)
UPSERT INTO te5 VALUES ('b', 'y', 5, 5)
SELECT v FROM te5 WHERE (a, b) < ('a', 'x') ORDER BY v
SELECT v FROM te5 WHERE (a, b) > ('a', 'a') ORDER BY v
SELECT v FROM te5 WHERE (a, b, c) >= ('a', 'x', 1) ORDER BY v
SELECT v FROM te5 WHERE (a, b, c) > ('b', 'y', 1) ORDER BY v
SELECT v FROM te5 WHERE (a, b, c) < ('b', 'y', 1) ORDER BY v
SELECT v FROM te5 WHERE (a, b) = ('a', NULL)
SELECT v FROM te5 WHERE (b, c) > ('a', 0) ORDER BY v
SELECT v FROM te5 WHERE (b, c) IN (('x', 1), ('y', 5)) ORDER BY v
SELECT v FROM te5 WHERE (v, c) > (1, 1) ORDER BY v
SELECT v FROM te5 WHERE (v, c) < (3, 1) ORDER BY v
SELECT v FROM te5 WHERE NOT (a, b) > ('a', 'a') ORDER BY v
SELECT v, (a, b) > ('a', 'a') FROM te5 ORDER BY v
SELECT 2.5 + 0.5, 1.50 * 2, 5.0 - 2, 10.00 / 4, 1.20 || '', 1e2 + 0 FROM te5 WHERE v = 1
SELECT SUM(v * 1.50), AVG(v * 1.0), MAX(v * 1.00), MIN(1.50) FROM te5
CREATE TABLE te8 (a INTEGER, v INTEGER CONSTRAINT pk PRIMARY KEY (a))
UPSERT INTO te8 VALUES (NULL, 1)
CREATE TABLE tq (id INTEGER PRIMARY KEY, d DECIMAL(10,3), e DECIMAL(5,1), u DECIMAL, n INTEGER, b BIGINT)
UPSERT INTO tq VALUES (1, 2.222, 1.5, 2.222, 7, 7)
UPSERT INTO tq VALUES (2, 10, 10, 10, 3, 3)
UPSERT INTO tq VALUES (3, 0.001, 0.1, 0.001, 1000, 1000)
SELECT 10 / 3.0, 10.00 / 3, 1.000 / 3, 1 / 3.00, n / 3.0, n / 7.00 FROM tq
SELECT d * d, d * e, d * 3, d * 1.55555, d * u, e * e * e FROM tq
SELECT d + 0.0001, d + u, e + d, d - 0.00001, e - 1.55 FROM tq
SELECT AVG(d), SUM(d), AVG(e), SUM(d) / 3, SUM(d) / COUNT(*), AVG(u) FROM tq
SELECT id FROM tq WHERE d / 3 > 0.74
SELECT id FROM tq WHERE d / 3 = 0.74
SELECT d / 3, d / 7, d / 3.0, d / 7.00, d / n, d / b FROM tq
SELECT d / d, d / e, e / d, e / 3, e / n FROM tq
SELECT u / 3, u / n, u / d, d / u, n / d, n / u, 1 / d FROM tq
SELECT 10 / 3.0, 10.00 / 3, 1.000 / 3, 1 / 3.00, n / 3.0, n / 7.00 FROM tq
SELECT d * d, d * e, d * 3, d * 1.55555, d * u, e * e * e FROM tq
SELECT d + 0.0001, d + u, e + d, d - 0.00001, e - 1.55 FROM tq
SELECT d / 3 * 3 R0, d * 3 / 7 R1, (d + 1) / 3 R2, d / 3 + 1 R3, -d / 7 R4 FROM tq
SELECT AVG(d) R0, SUM(d) R1, AVG(e) R2, SUM(d) / 3 R3, SUM(d) / COUNT(*) R4, AVG(u) R5 FROM tq
SELECT ROUND(d / 3, 2) R0, FLOOR(d / 3) R1, CAST(d / 3 AS DECIMAL(10,5)) R2, COALESCE(d, 1) / 3 R3 FROM tq
SELECT id FROM tq WHERE d / 3 > 0.74
SELECT id FROM tq WHERE d / 3 = 0.74
SELECT CAST(n AS DECIMAL(10,2)) / 3 R0, CAST(n AS DECIMAL) / 3 R1, TO_NUMBER('10') / 3 R2 FROM tq
