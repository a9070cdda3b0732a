"""SQL by the interface of PEP 249."""

import datetime
import decimal
import os
import threading
import time
from unittest import mock

import klip

from case import StoreTest, alarm


class SqlTest(StoreTest):
    def setUp(self):
        super().setUp()
        self.sql = self.connection.sql()
        self.sql.execute("CREATE TABLE p (k BIGINT PRIMARY KEY, t VARCHAR(20), d DECIMAL(10,2), at TIMESTAMP, day DATE, "
                         "time TIME, b BOOLEAN, f DOUBLE, v VARBINARY, a DATE ARRAY)")  # fmt: skip

    def test_values_come_back(self):
        moment = datetime.datetime(2014, 6, 28, 12, 30, 15, 123456)
        row = (2**62, "Köln", decimal.Decimal("12.5"), moment, moment.date(), datetime.time(12, 30), True, 0.1, b"\x00\xff")
        cursor = self.sql.execute(
            "UPSERT INTO p VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ARRAY[TO_DATE('2014-06-28')])", row
        )
        self.assertEqual((cursor.rowcount, cursor.description), (1, None))
        self.assertEqual(cursor.execute("SELECT * FROM p").fetchall(), [(*row, [moment.date()])])
        self.assertEqual(cursor.description[1], ("T", "VARCHAR(20)", None, None, 20, None, True))
        self.assertEqual(cursor.description[2][:6], ("D", "DECIMAL(10,2)", None, None, 10, 2))
        self.assertEqual(cursor.description[1][1], klip.dbapi.STRING)
        self.assertNotEqual(cursor.description[1][1], klip.dbapi.NUMBER)
        cursor.execute("UPSERT INTO p (k, day, time) VALUES (1, ?, ?)", [moment.replace(microsecond=0)] * 2)
        self.assertEqual(
            cursor.execute("SELECT day, time, t, a FROM p WHERE k = 1").fetchall(),
            [(moment.replace(microsecond=0), moment.replace(microsecond=0), None, None)],
        )
        self.assertEqual(cursor.execute("SELECT CAST(? AS DECIMAL)", [2**70]).fetchone(), (2**70,))
        self.assertEqual(cursor.execute("SELECT CAST('  ' AS CHAR(2)), ' '").fetchone(), ("", " "))
        aware = moment.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
        cursor.execute("UPSERT INTO p (k, at) VALUES (3, ?)", [aware])
        self.assertEqual(cursor.execute("SELECT at FROM p WHERE k = 3").fetchone()[0], moment.replace(hour=10))

    def test_cursors_of_sql(self):
        self.sql.cursor().executemany("UPSERT INTO p (k) VALUES (?)", [(k,) for k in range(5)])
        self.sql.execute("DECLARE c CURSOR FOR SELECT k FROM p WHERE k > ?", (0,))
        self.sql.execute("OPEN c")
        self.assertEqual(self.sql.execute("FETCH NEXT 3 ROWS FROM c").fetchone(), (1,))
        self.assertEqual(list(self.sql.execute("FETCH NEXT 3 ROWS FROM c")), [(4,)])
        self.sql.execute("CLOSE c")

    def test_tenants(self):
        self.sql.execute("CREATE TABLE m (org VARCHAR NOT NULL, k BIGINT NOT NULL CONSTRAINT pk PRIMARY KEY (org, k)) MULTI_TENANT=true")
        self.connection.sql(tenant="acme").execute("UPSERT INTO m VALUES (1)")
        self.assertEqual(list(self.sql.execute("SELECT * FROM m")), [("acme", 1)])
        self.assertEqual(list(self.connection.sql(tenant="other").execute("SELECT * FROM m")), [])

    def test_the_past(self):
        self.sql.execute("UPSERT INTO p (k) VALUES (1)")
        year = datetime.timedelta(days=365)
        now = datetime.datetime.now(datetime.timezone.utc)
        self.assertEqual(list(self.connection.sql(as_of=now - year).execute("SELECT k FROM p")), [])
        epoch = self.connection.sql(as_of=datetime.datetime(1970, 1, 1))
        self.assertEqual(list(epoch.execute("SELECT k FROM p")), [])
        with mock.patch.dict(os.environ, TZ="UTC-12"):
            time.tzset()
            soon = (now + datetime.timedelta(hours=1)).replace(tzinfo=None)
            self.assertEqual(list(self.connection.sql(as_of=soon).execute("SELECT k FROM p")), [(1,)])
        time.tzset()
        later = self.connection.sql(as_of=now + year)
        self.assertEqual(list(later.execute("SELECT k FROM p")), [(1,)])
        self.connection.sql(as_of=now - year).execute("UPSERT INTO p (k) VALUES (2)")
        self.assertEqual(list(self.connection.sql(as_of=now).execute("SELECT k FROM p WHERE k = 2")), [(2,)])

    def test_fetching(self):
        cursor = self.sql.cursor()
        cursor.executemany("UPSERT INTO p (k) VALUES (?)", ([i] for i in range(3000)))
        self.assertEqual(cursor.rowcount, 3000)
        cursor.execute("SELECT k FROM p ORDER BY k")
        self.assertEqual(cursor.fetchone(), (0,))
        self.assertEqual(cursor.fetchmany(2), [(1,), (2,)])
        self.assertEqual(cursor.fetchmany(), [(3,)])
        with self.assertRaisesRegex(klip.dbapi.InterfaceError, "fetched already"):
            cursor.__arrow_c_stream__()
        self.assertEqual([row[0] for row in cursor], list(range(4, 3000)))
        self.assertEqual((cursor.fetchone(), cursor.fetchmany(5), cursor.fetchall()), (None, [], []))
        self.assertEqual(cursor.execute("SELECT k FROM p WHERE k >= 100").rowcount, -1)
        self.assertEqual(len(cursor.fetchall()), 2900)

    def test_changes_wait_for_commit(self):
        with klip.dbapi.Connection(self.connection._native) as other:
            other.execute("UPSERT INTO p (k) VALUES (1)")
            other.rollback()
            other.execute("UPSERT INTO p (k) VALUES (2)")
        self.assertEqual(self.sql.execute("SELECT k FROM p").fetchall(), [(2,)])
        try:
            with klip.dbapi.Connection(self.connection._native) as other:
                other.execute("UPSERT INTO p (k) VALUES (3)")
                raise KeyError
        except KeyError:
            pass
        self.assertEqual(self.sql.execute("SELECT k FROM p").fetchall(), [(2,)])
        other = self.connection.sql(autocommit=False)
        other.execute("UPSERT INTO p (k) VALUES (4)")
        other.autocommit = True
        self.assertEqual(self.sql.execute("SELECT COUNT(*) FROM p").fetchone(), (2,))

    def test_errors(self):
        api = klip.dbapi
        with self.assertRaises(api.ProgrammingError) as caught:
            self.sql.execute("SELECT * FROM nowhere")
        self.assertEqual((caught.exception.number, caught.exception.sql_state), (1012, "42M03"))
        for kind, statement, values in (
            (api.ProgrammingError, "SELEC 1", []),
            (api.DataError, "SELECT TO_NUMBER('x')", []),
            (api.IntegrityError, "UPSERT INTO p (k) VALUES (NULL)", []),
            (api.InterfaceError, "SELECT ?", [object()]),
            (api.InterfaceError, "SELECT ?", "x"),
        ):
            with self.subTest(statement), self.assertRaises(kind):
                self.sql.execute(statement, values).fetchall()
        cursor = self.sql.cursor()
        with self.assertRaises(api.InterfaceError):
            cursor.fetchone()
        cursor.close()
        with self.assertRaisesRegex(api.InterfaceError, "cursor is closed"):
            cursor.execute("SELECT 1")
        self.sql.close()
        with self.assertRaisesRegex(api.InterfaceError, "connection is closed"):
            self.sql.cursor()
        with self.assertRaises(api.OperationalError), api.connect("klip:/proc/nowhere"):
            pass

    def endless(self, cursor):
        cursor.executemany("UPSERT INTO p (k, t) VALUES (?, 'x')", ([i] for i in range(1000)))
        return cursor.execute("SELECT COUNT(*) FROM p a, p b, p c WHERE a.t || b.t || c.t = 'y'")

    def test_signals_end_a_statement(self):
        class Alarm(Exception):
            pass

        def handler(*_):
            raise Alarm

        cursor = self.sql.cursor()
        with self.assertRaises(Alarm), alarm(handler):
            self.endless(cursor).fetchall()
        self.assertEqual(self.sql.execute("SELECT 1").fetchall(), [(1,)])

    def test_cancel(self):
        timer = threading.Timer(0.2, self.sql.cancel)
        timer.start()
        self.addCleanup(timer.join)
        with self.assertRaises(klip.dbapi.OperationalError):
            self.endless(self.sql.cursor()).fetchall()

    def test_closing_the_connection_ends_results(self):
        cursor = self.sql.execute("SELECT k FROM p")
        self.connection.close()
        with self.assertRaisesRegex(klip.dbapi.Error, "closed"):
            cursor.fetchall()
        with self.assertRaises(klip.dbapi.Error):
            self.sql.commit()
        self.connection = self.open()
