-- UPSERT SELECT, ON DUPLICATE KEY and DELETE on a key with a descending part.
CREATE TABLE ca (k INTEGER NOT NULL, j VARCHAR NOT NULL, a BIGINT, b DECIMAL(8,2), c VARCHAR(10), d DATE, e DOUBLE, f.g INTEGER, f.h BOOLEAN CONSTRAINT pk PRIMARY KEY (k, j DESC))
UPSERT INTO ca VALUES (1, 'a', 10, 1.5, 'one', TO_DATE('2020-01-01'), 0.5, 1, TRUE)
UPSERT INTO ca VALUES (1, 'b', 20, 2.5, 'two', TO_DATE('2020-02-01'), 1.5, 2, FALSE)
UPSERT INTO ca VALUES (2, 'a', 30, NULL, 'three', NULL, NULL, NULL, NULL)
UPSERT INTO ca (k, j) VALUES (3, 'c')
UPSERT INTO ca (k, j, a) VALUES (1, 'a', 11)
UPSERT INTO ca (k, j, c) VALUES (1, 'a', NULL)
UPSERT INTO ca (k, j, c) VALUES (1, 'a', '')
SELECT * FROM ca
UPSERT INTO ca (k, j, a) SELECT k + 10, j, a * 2 FROM ca WHERE a IS NOT NULL
UPSERT INTO ca (k, j, b) SELECT k, j, a FROM ca
UPSERT INTO ca (k, j, a) SELECT k, j, b FROM ca WHERE k = 1
UPSERT INTO ca (k, j, c) SELECT k, j, 'const' FROM ca WHERE k > 10
UPSERT INTO ca (k, j, c) SELECT k, j, c || c || c || c FROM ca WHERE k > 10
UPSERT INTO ca (k, j, a) SELECT MAX(k) + 100, 'z', COUNT(*) FROM ca
UPSERT INTO ca (k, j, a) SELECT k + 1000, MIN(j), SUM(a) FROM ca GROUP BY k
UPSERT INTO ca (k, j, d) SELECT k, j, TO_DATE('2021-01-01') FROM ca WHERE k = 2
UPSERT INTO ca (k, j, a) SELECT k, j, NULL FROM ca WHERE k = 3
UPSERT INTO ca SELECT k + 5000, j, a, b, c, d, e, f.g, f.h FROM ca WHERE k = 1
UPSERT INTO ca SELECT * FROM ca WHERE k = 5001
UPSERT INTO ca (k, j) SELECT k, j FROM ca ORDER BY k LIMIT 2
UPSERT INTO ca (k, j, g) SELECT a.k, a.j, b.k FROM ca a JOIN ca b ON a.k = b.k AND a.j = b.j
SELECT k, j, a, b, c, d, e, g, h FROM ca
UPSERT INTO ca (k, j, a) VALUES (1, 'a', 5) ON DUPLICATE KEY UPDATE a = a + 1
UPSERT INTO ca (k, j, a) VALUES (77, 'a', 5) ON DUPLICATE KEY UPDATE a = a + 1
UPSERT INTO ca (k, j, a) VALUES (77, 'a', 5) ON DUPLICATE KEY UPDATE a = a + 1, c = 'dup'
UPSERT INTO ca (k, j, a) VALUES (77, 'a', 5) ON DUPLICATE KEY IGNORE
UPSERT INTO ca (k, j, a) VALUES (78, 'a', 5) ON DUPLICATE KEY IGNORE
UPSERT INTO ca (k, j) VALUES (77, 'a') ON DUPLICATE KEY UPDATE k = 5
UPSERT INTO ca (k, j) VALUES (77, 'a') ON DUPLICATE KEY UPDATE nope = 5
UPSERT INTO ca (k, j) VALUES (77, 'a') ON DUPLICATE KEY UPDATE c = a
UPSERT INTO ca (k, j) VALUES (77, 'a') ON DUPLICATE KEY UPDATE a = NULL
UPSERT INTO ca (k, j) VALUES (77, 'a') ON DUPLICATE KEY UPDATE a = COALESCE(a, 0) + 7, g = CASE WHEN g IS NULL THEN 1 ELSE g + 1 END
UPSERT INTO ca (k, j) SELECT k, j FROM ca ON DUPLICATE KEY IGNORE
SELECT k, j, a, c, g FROM ca WHERE k IN (1, 77, 78)
DELETE FROM ca WHERE k = 1 AND j = 'a'
DELETE FROM ca WHERE k = 1000
DELETE FROM ca WHERE j = 'a' AND k > 4000
DELETE FROM ca WHERE a > 30 ORDER BY k LIMIT 1
DELETE FROM ca WHERE k IN (SELECT k FROM ca WHERE a = 20)
DELETE FROM ca WHERE (k, j) = (2, 'a')
DELETE FROM ca WHERE (k, j) IN ((3, 'c'), (77, 'a'))
SELECT COUNT(*) FROM ca
DELETE FROM ca WHERE k BETWEEN 10 AND 20
SELECT k, j FROM ca
DELETE FROM ca
UPSERT INTO ca (k, j, a) VALUES (1, 'x', 1)
UPSERT INTO ca (k, j, a, b, c, d, e, g, h) VALUES (2, 'y', '5', '1.5', 5, '2020-01-01', '2.5', '7', 'true')
UPSERT INTO ca (k, j, a) VALUES ('5', 'y', 1)
UPSERT INTO ca (k, j, a) VALUES (6.0, 'y', 1.0)
UPSERT INTO ca (k, j, b) VALUES (7, 'y', 123456.789)
UPSERT INTO ca (k, j, b) VALUES (7, 'y', 1234567.1)
UPSERT INTO ca (k, j, e) VALUES (8, 'y', 1)
UPSERT INTO ca (k, j, h) VALUES (9, 'y', 0)
UPSERT INTO ca (k, j, h) VALUES (9, 'y', 'false')
UPSERT INTO ca (k, j, d) VALUES (10, 'y', 1000)
UPSERT INTO ca (k, j, a) VALUES (11, 'y', TO_DATE('2020-01-01'))
UPSERT INTO ca (k, j, b) VALUES (16, 'y', 10 / 4.0)
UPSERT INTO ca (k, j, b) VALUES (16, 'z', 10 / 3.0)
UPSERT INTO ca (k, j, c) VALUES (24, 'y', 'back\\s')
UPSERT INTO ca (k, "J", "A") VALUES (25, 'y', 1)
UPSERT INTO ca (k, "j", a) VALUES (26, 'y', 1)
UPSERT INTO ca (k, j, f.g) VALUES (28, 'y', 1)
UPSERT INTO ca (k, j, f.a) VALUES (30, 'y', 1)
SELECT a.k, b.k, c.k FROM ca a JOIN ca b ON a.a = b.k JOIN ca c ON b.a = c.k
SELECT a.k, t.m FROM ca a JOIN (SELECT j jj, MAX(k) m FROM ca GROUP BY j) t ON a.j = t.jj AND a.k = t.m
SELECT k FROM ca WHERE k = (SELECT MAX(k) FROM ca)
SELECT k FROM ca WHERE k > (SELECT AVG(k) FROM ca) AND j = 'y' LIMIT 3
SELECT k FROM ca e1 WHERE EXISTS (SELECT 1 FROM ca e2 WHERE e2.k = e1.a)
SELECT k FROM ca e1 WHERE NOT EXISTS (SELECT 1 FROM ca e2 WHERE e2.a = e1.k) LIMIT 4
