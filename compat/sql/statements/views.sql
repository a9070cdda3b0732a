-- Views that can be written, views that add columns to the key, and DROP and ALTER of what has views.
CREATE TABLE view_base (kind VARCHAR NOT NULL, id INTEGER NOT NULL, a VARCHAR, b INTEGER CONSTRAINT pk PRIMARY KEY (kind, id))
UPSERT INTO view_base VALUES ('x', 1, 'one', 1)
UPSERT INTO view_base VALUES ('y', 2, 'two', 2)
CREATE VIEW vx AS SELECT * FROM view_base WHERE kind = 'x'
UPSERT INTO vx (id, a) VALUES (5, 'five')
UPSERT INTO vx VALUES ('x', 6, 'six', 6)
UPSERT INTO vx (kind, id, a) VALUES ('y', 7, 'seven')
UPSERT INTO vx (kind, id, a) VALUES ('x', 8, 'eight')
SELECT * FROM vx ORDER BY id
SELECT * FROM view_base ORDER BY kind, id
DELETE FROM vx WHERE id = 6
DELETE FROM vx WHERE id = 2
SELECT * FROM view_base ORDER BY kind, id
UPSERT INTO vx (id, a) SELECT id + 100, a FROM view_base WHERE kind = 'y'
UPSERT INTO vx (kind, id, a) SELECT kind, id + 200, a FROM view_base
UPSERT INTO vx SELECT * FROM view_base
SELECT * FROM view_base ORDER BY kind, id
CREATE VIEW vb AS SELECT * FROM view_base WHERE b = 7
UPSERT INTO vb (kind, id) VALUES ('z', 1)
UPSERT INTO vb (kind, id, b) VALUES ('z', 2, 8)
UPSERT INTO vb (kind, id, b) VALUES ('z', 3, 7)
UPSERT INTO vb VALUES ('z', 4, 'a', 7)
UPSERT INTO vb VALUES ('z', 4, 'a', NULL)
SELECT * FROM vb ORDER BY kind, id
CREATE VIEW vr AS SELECT * FROM view_base WHERE b > 3
UPSERT INTO vr VALUES ('w', 1, 'a', 7)
DELETE FROM vr
CREATE VIEW v2 AS SELECT * FROM vx WHERE b = 9
UPSERT INTO v2 (id, a) VALUES (90, 'ninety')
UPSERT INTO v2 (id, a, b) VALUES (91, 'ninety', 8)
UPSERT INTO v2 (kind, id, a) VALUES ('y', 92, 'ninety')
SELECT * FROM v2
CREATE VIEW v3 (note VARCHAR) AS SELECT * FROM v2
UPSERT INTO v3 (id, note) VALUES (93, 'a note')
SELECT * FROM v3 ORDER BY id
CREATE VIEW vn AS SELECT * FROM view_base WHERE a IS NULL
UPSERT INTO vn (kind, id, b) VALUES ('n', 1, 1)
UPSERT INTO vn (kind, id, a, b) VALUES ('n', 2, 'not null', 1)
UPSERT INTO vn (kind, id, a, b) VALUES ('n', 3, NULL, 1)
SELECT * FROM vn ORDER BY kind, id
CREATE VIEW vk (sub VARCHAR NOT NULL PRIMARY KEY, extra INTEGER) AS SELECT * FROM view_base WHERE kind = 'k'
UPSERT INTO vk (id, sub, extra, a) VALUES (1, 's1', 10, 'first')
UPSERT INTO vk (id, sub, extra, a) VALUES (1, 's2', 20, 'second')
UPSERT INTO vk VALUES ('k', 2, 'third', 3, 's3', 30)
UPSERT INTO vk (id, extra) VALUES (4, 40)
SELECT * FROM vk ORDER BY id, sub
SELECT id, sub FROM vk WHERE sub = 's2'
SELECT id, sub FROM vk WHERE id = 1 AND sub > 's1'
SELECT * FROM view_base WHERE kind = 'k' ORDER BY id
SELECT COUNT(*) FROM vk
DELETE FROM vk WHERE sub = 's1'
SELECT id, sub, extra FROM vk ORDER BY id, sub
CREATE VIEW vk2 (sub2 INTEGER NOT NULL, sub3 VARCHAR, more VARCHAR CONSTRAINT pk PRIMARY KEY (sub2, sub3 DESC)) AS SELECT * FROM view_base WHERE kind = 'm'
UPSERT INTO vk2 (id, sub2, sub3, more) VALUES (1, 2, 'a', 'm1')
UPSERT INTO vk2 (id, sub2, sub3, more) VALUES (1, 2, 'b', 'm2')
UPSERT INTO vk2 (id, sub2, more) VALUES (1, 3, 'm3')
SELECT id, sub2, sub3, more FROM vk2 ORDER BY id, sub2, sub3
SELECT id, sub2, sub3, more FROM vk2 WHERE sub3 = 'b'
SELECT more FROM vk2 WHERE (id, sub2, sub3) = (1, 2, 'a')
CREATE VIEW vk3 (tail VARCHAR PRIMARY KEY) AS SELECT * FROM vk2
UPSERT INTO vk3 (id, sub2, sub3, tail) VALUES (5, 6, 'c', 'end')
SELECT id, sub2, sub3, tail FROM vk3 ORDER BY id, sub2, tail
CREATE VIEW vk4 (tail VARCHAR PRIMARY KEY) AS SELECT * FROM vk2 WHERE sub2 = 12
UPSERT INTO vk4 (id, sub3, tail) VALUES (7, 'd', 'end4')
SELECT id, sub2, sub3, tail FROM vk4 ORDER BY id, sub2, tail
CREATE TABLE view_bin (k VARBINARY PRIMARY KEY, a INTEGER)
CREATE VIEW vbytes (k2 VARCHAR PRIMARY KEY) AS SELECT * FROM view_bin
CREATE VIEW vdup (a VARCHAR) AS SELECT * FROM view_base
CREATE VIEW vconst AS SELECT * FROM view_base WHERE 1 = 1
CREATE VIEW vor AS SELECT * FROM view_base WHERE kind = 'x' OR kind = 'y'
UPSERT INTO vor VALUES ('x', 1000, 'or', 1)
CREATE VIEW vrev AS SELECT * FROM view_base WHERE 'x' = kind
UPSERT INTO vrev (id, a) VALUES (1001, 'reverse')
SELECT * FROM vrev WHERE id = 1001
CREATE TABLE view_base (k INTEGER PRIMARY KEY)
DROP TABLE view_base
ALTER VIEW vx ADD c2 VARCHAR
UPSERT INTO vx (id, c2) VALUES (2000, 'added')
SELECT id, c2 FROM vx WHERE id = 2000
ALTER VIEW vx ADD IF NOT EXISTS c2 VARCHAR
ALTER VIEW vx DROP COLUMN c2
SELECT * FROM vx WHERE id = 2000
ALTER VIEW vx DROP COLUMN kind
ALTER VIEW vx DROP COLUMN b
SELECT * FROM vx WHERE id = 5
DROP VIEW vx
DROP VIEW v3
DROP VIEW v2
DROP VIEW vx
DROP TABLE view_base
DROP TABLE view_base CASCADE
SELECT * FROM vb
CREATE TABLE b2 (kind VARCHAR NOT NULL, id INTEGER NOT NULL, a VARCHAR, b INTEGER, d DATE, n DECIMAL CONSTRAINT pk PRIMARY KEY (kind, id))
CREATE VIEW w1 (sub VARCHAR PRIMARY KEY, extra INTEGER) AS SELECT * FROM b2 WHERE kind = 'k'
UPSERT INTO b2 VALUES ('k', 9, 'base', 1)
UPSERT INTO w1 (id, sub, extra) VALUES (9, 'x', 1)
UPSERT INTO w1 (id, extra) VALUES (10, 1)
SELECT * FROM w1 ORDER BY id, sub
SELECT id, sub FROM w1 WHERE sub IS NULL
SELECT id, a FROM b2 WHERE kind = 'k' AND id = 9
SELECT id, a FROM b2 WHERE kind = 'k' AND id >= 9
SELECT id, a FROM b2 WHERE kind = 'k' AND id <= 9
SELECT id, a FROM b2 WHERE kind = 'k' AND id > 9
SELECT id, a FROM b2 WHERE kind = 'k' AND id IN (9, 10)
SELECT id, a FROM b2 WHERE (kind, id) > ('k', 9)
DELETE FROM b2 WHERE kind = 'k' AND id = 9
SELECT * FROM w1 ORDER BY id, sub
DELETE FROM b2
SELECT * FROM w1 ORDER BY id, sub
CREATE VIEW w2 AS SELECT * FROM b2 WHERE b = 1 + 1
UPSERT INTO w2 (kind, id) VALUES ('c', 1)
SELECT * FROM w2
CREATE VIEW w3 AS SELECT * FROM b2 WHERE d = TO_DATE('2026-01-02')
UPSERT INTO w3 (kind, id) VALUES ('d', 1)
SELECT * FROM w3
CREATE VIEW w4 AS SELECT * FROM b2 WHERE n = 1.5 AND b = -3
UPSERT INTO w4 (kind, id) VALUES ('e', 1)
UPSERT INTO w4 (kind, id, n) VALUES ('e', 2, 1.50)
SELECT * FROM w4 ORDER BY id
CREATE VIEW w5 AS SELECT * FROM w1 WHERE kind = 'other'
UPSERT INTO w5 (id, sub) VALUES (1, 'q')
SELECT * FROM w5
CREATE VIEW w6 AS SELECT * FROM b2 WHERE kind = a
UPSERT INTO w6 (kind, id, a) VALUES ('q', 1, 'q')
CREATE VIEW w7 AS SELECT * FROM b2 WHERE UPPER(kind) = 'X'
UPSERT INTO w7 (kind, id, a) VALUES ('q', 1, 'q')
CREATE VIEW w8 AS SELECT * FROM b2 WHERE kind IN ('x')
UPSERT INTO w8 (id, a) VALUES (1, 'q')
CREATE VIEW w9 AS SELECT * FROM b2 WHERE NOT kind = 'x'
UPSERT INTO w9 (kind, id, a) VALUES ('q', 1, 'q')
CREATE VIEW w10 AS SELECT * FROM b2 WHERE b = 2.5
UPSERT INTO w10 (kind, id) VALUES ('t', 1)
CREATE VIEW w11 AS SELECT * FROM b2 WHERE kind = NULL
CREATE VIEW w14 (kind INTEGER PRIMARY KEY) AS SELECT * FROM b2
CREATE TABLE b3 (k VARCHAR PRIMARY KEY, a INTEGER)
CREATE VIEW y1 (k2 INTEGER PRIMARY KEY) AS SELECT * FROM b3
CREATE TABLE b4 (k CHAR(3) PRIMARY KEY, a INTEGER)
CREATE VIEW y2 (k2 VARCHAR PRIMARY KEY) AS SELECT * FROM b4
UPSERT INTO y2 (k, k2, a) VALUES ('ab', 'tail', 1)
UPSERT INTO b4 VALUES ('abc', 5)
SELECT * FROM y2 ORDER BY k
SELECT * FROM b4 ORDER BY k
SELECT * FROM b4 WHERE k = 'ab'
SELECT * FROM y2 WHERE k = 'ab' AND k2 = 'tail'
CREATE VIEW y3 (k3 DECIMAL PRIMARY KEY) AS SELECT * FROM y2
CREATE TABLE b5 (k CHAR(3) PRIMARY KEY, a INTEGER) SALT_BUCKETS=4
CREATE VIEW z1 (k2 VARCHAR PRIMARY KEY) AS SELECT * FROM b5 WHERE a = 3
UPSERT INTO z1 (k, k2) VALUES ('abc', 'salted')
UPSERT INTO z1 (k, k2) VALUES ('abd', 'salted')
SELECT * FROM z1 ORDER BY k
SELECT * FROM z1 WHERE k = 'abc' AND k2 = 'salted'
SELECT * FROM b5 ORDER BY k
UPSERT INTO z1 (k, k2) VALUES ('abd', 'salted') ON DUPLICATE KEY UPDATE a = 4
UPSERT INTO z1 (k, k2) VALUES ('abe', 'new') ON DUPLICATE KEY IGNORE
SELECT * FROM b5 ORDER BY k
ALTER TABLE b4 ADD late VARCHAR
SELECT * FROM y2 ORDER BY k
UPSERT INTO y2 (k, k2, late) VALUES ('ab', 'tail', 'late value')
SELECT * FROM y2 ORDER BY k
ALTER TABLE b4 DROP COLUMN a
SELECT * FROM y2 ORDER BY k
ALTER VIEW y2 DROP COLUMN late
SELECT * FROM y2 ORDER BY k
CREATE VIEW y4 AS SELECT * FROM b4
ALTER VIEW y4 DROP COLUMN late
SELECT * FROM y4 ORDER BY k
DROP VIEW w1 CASCADE
SELECT * FROM w5
DROP VIEW IF EXISTS w1
DROP VIEW w1
DROP TABLE b5
DROP VIEW z1
DROP TABLE b5
