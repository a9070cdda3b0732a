-- CurrentSCN: reads as of a time in the past.
CREATE TABLE scn (k INTEGER PRIMARY KEY, v VARCHAR, n INTEGER) VERSIONS=5
CREATE TABLE scn_kept (k INTEGER PRIMARY KEY, v VARCHAR) VERSIONS=5, KEEP_DELETED_CELLS=true
UPSERT INTO scn VALUES (1, 'old', 1)
UPSERT INTO scn VALUES (2, 'deleted later', 2)
UPSERT INTO scn VALUES (3, 'null later', 3)
UPSERT INTO scn_kept VALUES (1, 'old')
UPSERT INTO scn_kept VALUES (2, 'deleted later')
MARK
UPSERT INTO scn VALUES (1, 'new', 10)
UPSERT INTO scn VALUES (3, NULL)
UPSERT INTO scn VALUES (4, 'inserted later', 4)
DELETE FROM scn WHERE k = 2
UPSERT INTO scn_kept VALUES (1, 'new')
DELETE FROM scn_kept WHERE k = 2
SELECT * FROM scn
SCN
SELECT * FROM scn
SELECT * FROM scn_kept
SELECT COUNT(*) FROM scn
SELECT COUNT(*), SUM(n) FROM scn WHERE n > 0
SELECT * FROM scn WHERE k = 1
SELECT * FROM scn WHERE k IN (1, 4)
SELECT v FROM scn WHERE v = 'new'
SELECT v FROM scn WHERE v = 'old'
SELECT DISTINCT k FROM scn
SELECT a.k, b.v FROM scn a JOIN scn_kept b ON a.k = b.k ORDER BY a.k
SELECT k FROM scn ORDER BY k DESC LIMIT 1
UPSERT INTO scn VALUES (5, 'five', 5)
DELETE FROM scn
CREATE TABLE scn_new (k INTEGER PRIMARY KEY)
DROP TABLE scn_kept
TENANT
SELECT * FROM scn
SELECT * FROM scn_kept
DROP TABLE scn
DROP TABLE scn_kept
