"""Scans: by range, by key field, by filter; in pieces, ended early, by several threads, by Ctrl-C."""

import _thread
import datetime
import json
import subprocess
import sys
import threading
import unittest

from case import NOTHING, SLOW, StoreTest, alarm

import klip


class Scans(StoreTest):
    def setUp(self):
        super().setUp()
        self.table = self.logins()

    def keys(self, **scan):
        return [key.decode() for key, _ in self.table.scan(**scan)]

    def test_ranges(self):
        self.assertEqual(len(self.keys()), 60)
        self.assertEqual(len(self.keys(row_prefix="alice*****2014060")), 9)
        self.assertEqual(self.keys(row_start="bob", limit=1), ["bob*******20140601"])
        self.assertEqual(self.keys(row_start="alice*****20140630", row_stop="bob"), ["alice*****20140630"])
        self.assertEqual(
            self.keys(row_start="alice*****20140602", row_stop="alice*****20140604", include_start=False, include_stop=True),
            ["alice*****20140603", "alice*****20140604"],
        )
        self.assertEqual(self.keys(reverse=True, limit=2), ["bob*******20140630", "bob*******20140629"])
        self.assertEqual(self.keys(row_prefix="alice", reverse=True, limit=1), ["alice*****20140630"])
        self.assertEqual(self.keys(row_prefix="nobody"), [])
        for none in (0, -1):  # not all rows
            with self.assertRaisesRegex(ValueError, "limit"):
                self.table.scan(limit=none)
            with self.assertRaisesRegex(ValueError, "limit"):
                self.table.explain(limit=none)

    def test_key_fields(self):
        self.assertEqual(self.keys(where="date=20140628"), ["alice*****20140628", "bob*******20140628"])
        self.assertEqual(self.keys(where={"date": 20140628}), self.keys(where="date=20140628"))
        self.assertEqual(self.keys(where={"date": [20140628]}), self.keys(where="date=20140628"))
        self.assertEqual(
            self.keys(where={"date": {20140603, 20140601}, "username": "bob"}), ["bob*******20140601", "bob*******20140603"]
        )
        self.assertEqual(len(self.keys(where="date=20140603..20140605 OR username=bob")), 33)
        self.assertEqual(self.keys(where={"date": (20140628,)}), self.keys(where="date=20140628"))
        self.assertEqual(self.keys(where={"date": 20140628, "username": None}), self.keys(where="date=20140628"))
        self.assertEqual(self.keys(where={"username": "o'hara"}), [])
        for wrong in ({"date": ()}, {"date": 1.5}, {"date": {"from": 1}}, {"date": True}):
            with self.assertRaises((TypeError, ValueError)):
                self.keys(where=wrong)

    def test_times(self):
        schema = klip.Schema("day:date at:ts newest:reverse_ts")
        at = datetime.datetime(2014, 6, 28, 14, 30, 45, 123000, datetime.timezone(datetime.timedelta(hours=2)))
        key = schema.encode(datetime.date(2014, 6, 28), at, at)
        self.assertEqual(schema.decode(key), {"day": "20140628", "at": 1403958645123, "newest": 1403958645123})
        self.assertEqual(schema.encode(at, at, at), key)
        self.assertEqual(schema.check_query("at=2014-06-28T12:30:45.123Z"), "at=1403958645123")
        self.assertEqual(self.table.explain(where="date=20140628")["kind"], "skip scan")
        self.assertEqual(self.table.count(where="date=20140628"), 2)
        self.assertEqual(self.table.count(where={"username": "bob"}), len(self.keys(where="username=bob")))
        self.assertEqual(self.table.count(), len(self.keys()))
        for bad in ("nonsense=1", "date=x", "date="):
            with self.assertRaises(klip.InvalidArgumentError):
                self.table.scan(where=bad)
        plain = self.connection.create_table("plain", ["f"])
        with self.assertRaisesRegex(klip.InvalidArgumentError, "no row-key schema"):
            plain.scan(where="date=1")
        with self.assertRaises(klip.InvalidArgumentError):
            plain.schema

    def test_schema(self):
        schema = self.table.schema
        self.assertEqual(str(schema), "username:text(10,'*') date:digits(8)")
        key = schema.encode("alice", 20140601)
        self.assertEqual(key, b"alice*****20140601")
        self.assertEqual(schema.encode(date="20140601", username="alice"), key)
        self.assertEqual(schema.encode("alice", date=20140601), key)
        self.assertEqual(schema.decode(key), {"username": "alice", "date": "20140601"})
        self.assertEqual(schema.check_query("date=20140601"), "date=20140601")
        for call in (
            lambda: schema.encode("alice"),
            lambda: schema.encode("alice", date=1, other=2),
            lambda: schema.encode(username="alice"),
            lambda: schema.encode("alice", None),
        ):
            with self.assertRaises(TypeError):
                call()
        for call in (lambda: schema.encode("a" * 11, 1), lambda: schema.decode(b"short"), lambda: klip.Schema("x:what")):
            with self.assertRaises(klip.InvalidArgumentError):
                call()
        typed = klip.Schema("salt(16) org:u32 at:reverse_ts id:bytes(3) level:i8")
        key = typed.encode(7, 1400000000000, b"\0\xff'", -5)
        decoded = typed.decode(key)
        self.assertEqual(
            {name: decoded[name] for name in ("org", "at", "id", "level")},
            {"org": 7, "at": 1400000000000, "id": b"\0\xff'", "level": -5},
        )
        self.assertEqual([field.name for field in typed.fields if field.derived], ["salt"])

    def test_filters_and_pieces(self):
        self.assertEqual(self.keys(filter="ValueFilter(=, 'substring:0628')"), self.keys(where="date=20140628"))
        self.assertEqual(self.keys(filter="RowFilter(=, 'substring:bob')", where="date=20140628"), ["bob*******20140628"])
        with self.assertRaises(klip.InvalidArgumentError):
            self.table.scan(filter="Nonsense(")
        wide = self.connection.create_table("wide", ["f"])
        wide.put("r", {f"f:{i:03}": b"x" for i in range(100)})
        pieces = list(wide.scan(batch=30))
        self.assertEqual([len(row) for _, row in pieces], [30, 30, 30, 10])
        self.assertEqual(len({key for _, row in pieces for key in row}), 100)
        self.assertEqual([len(row) for _, row in wide.scan(max_per_family=7)], [7])

    def test_statistics(self):
        self.connection.flush("logins")
        statistics = self.table.statistics()
        self.assertEqual(statistics["rows"], 60)
        self.assertEqual([field["name"] for field in statistics["fields"]], ["username", "date"])
        self.assertEqual(self.table.distinct_keys(1, count_rows=True), [(("alice",), 30), (("bob",), 30)])
        self.assertEqual(len(self.table.distinct_keys(2)), 60)
        scanner = self.table.scan(where="date=20140628")
        list(scanner)
        self.assertEqual(json.loads(scanner.explain(False))["actual"]["rows_returned"], 2)
        self.assertIn("skip scan", scanner.explain(True))

    def test_early_ends(self):
        scanner = self.table.scan()
        next(scanner)
        scanner.close()
        self.assertEqual(list(scanner), [])
        with self.assertRaises(ValueError):
            scanner.explain(True)
        with self.table.scan() as scanner:
            self.assertIs(iter(scanner), scanner)
            next(scanner)
        self.assertIsNone(next(scanner, None))
        scanner = self.table.scan(limit=1)
        self.assertEqual(len(list(scanner)), 1)
        self.assertIsNone(next(scanner, None))

    def test_many_rows(self):
        many = self.connection.create_table("many", ["f"])
        many.put_all(klip.Put(b"%06d" % i, {"f:q": b"%d" % i, "f:r": b""}) for i in range(5000))
        expected = [(b"%06d" % i, {b"f:q": b"%d" % i, b"f:r": b""}) for i in range(5000)]
        self.assertEqual(list(many.scan()), expected)
        self.assertEqual(list(many.scan(reverse=True)), expected[::-1])
        self.connection.flush("many")
        self.assertEqual(list(many.scan(threads=4)), expected)
        # Rows taken while others are fetched are their own.
        rows = many.scan()
        kept = [next(rows) for _ in range(100)]
        list(rows)
        self.assertEqual(kept, expected[:100])

    def test_threads_share_a_table(self):
        failures = []

        def work(number):
            try:
                for turn in range(50):
                    self.table.put(f"thread{number}", {"d:turn": str(turn)})
                    self.assertEqual(self.table.row(f"thread{number}")[b"d:turn"], str(turn).encode())
                    self.assertEqual(len(self.keys(row_prefix="alice")), 30)
                    self.table.counter_inc("counter", "d:n")
            except BaseException as error:  # noqa: B902: shown below
                failures.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.assertEqual(self.table.counter_get("counter", "d:n"), 200)


class LongScans(StoreTest):
    """Scans that find nothing and would take many seconds."""

    ROWS = 50000

    def setUp(self):
        super().setUp()
        self.table = self.connection.create_table("long", ["f"])
        with self.connection.loader("long") as loader:
            for number in range(self.ROWS):
                loader.put(b"%08d" % number, {"f:q": SLOW})

    def scan_in_thread(self):
        """A scanner, the thread that waits in it, and a list for its exception."""
        scanner = self.table.scan(filter=NOTHING)
        outcome = []

        def work():
            try:
                outcome.append(next(scanner, None))
            except klip.Error as error:
                outcome.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        with self.assertRaisesRegex(ValueError, "another thread"):  # once it is in there, and while other threads run
            while thread.is_alive():
                scanner.explain(False)
        with self.assertRaisesRegex(ValueError, "another thread"):
            next(scanner)
        return scanner, thread, outcome

    def test_closing_a_scanner_that_another_thread_waits_in(self):
        scanner, thread, outcome = self.scan_in_thread()
        scanner.close()
        thread.join()
        self.assertIsInstance(outcome[0], klip.CancelledError)
        self.assertEqual(list(scanner), [])

    def test_closing_the_connection_meanwhile(self):
        _, thread, outcome = self.scan_in_thread()
        self.connection.close()
        thread.join()
        # Closed: the thread was about to enter the call.
        self.assertIsInstance(outcome[0], (klip.CancelledError, klip.InvalidArgumentError))

    def test_ctrl_c(self):
        for threads in (1, 2):
            scanner = self.table.scan(filter=NOTHING, threads=threads)
            timer = threading.Timer(0.1, _thread.interrupt_main)
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                list(scanner)
            timer.join()
            self.assertLess(json.loads(scanner.explain(False))["actual"]["rows_read"], self.ROWS)
            self.assertEqual(list(scanner), [])
        self.assertEqual(len(list(self.table.scan(limit=3))), 3)

    def test_signal_handlers_run_within_a_scan(self):
        scanner = self.table.scan(filter=NOTHING)
        with alarm(lambda *_: scanner.close()), self.assertRaises(klip.CancelledError):
            next(scanner)


    def test_handlers_may_use_and_close_the_connection(self):
        scanner = self.table.scan(filter=NOTHING)
        seen = []

        def handler(*_):
            seen.append(self.table.row("00000001"))
            self.connection.close()

        with alarm(handler), self.assertRaises(klip.CancelledError):
            next(scanner)
        self.assertEqual(len(seen[0]), 1)
        with self.open() as again:  # the store is closed
            self.assertEqual(again.tables(), ["long"])


class Closing(StoreTest):
    def test_everything_is_empty_once_the_connection_is_closed(self):
        table = self.logins()
        scanner = table.scan()
        next(scanner)
        untouched = table.scan()
        loader = self.connection.loader("logins")
        schema = table.schema
        row = table.row("alice*****20140601")
        self.connection.close()
        self.connection.close()
        for call in (
            lambda: list(untouched),
            lambda: [None for _ in range(100) if next(scanner)],
            lambda: table.row("x"),
            lambda: table.put("x", {"d:q": "v"}),
            lambda: table.scan(),
            lambda: loader.finish(),
            lambda: table.schema,
            lambda: self.connection.tables(),
            lambda: self.connection.table("logins"),
            lambda: self.connection.flush("logins"),
        ):
            with self.assertRaisesRegex(klip.InvalidArgumentError, "closed"):
                call()
        self.assertEqual(schema.decode("alice*****20140601")["username"], "alice")
        self.assertEqual(row, {b"d:day": b"20140601"})
        with self.open() as again:
            self.assertEqual(again.tables(), ["logins"])

    def test_a_connection_lives_as_long_as_what_came_from_it(self):
        self.logins()
        self.connection.close()
        table = self.open().table("logins")
        self.assertEqual(len(list(table.scan())), 60)
        scanner = table.scan()
        connection = table.connection
        del table
        self.assertEqual(len(list(scanner)), 60)
        connection.close()

    def test_a_store_is_free_when_nothing_holds_it(self):
        self.connection.close()
        for _ in range(3):
            self.open()
        with self.open():
            with self.assertRaises(klip.StoreInUseError):
                self.open()

    def test_any_order_of_freeing(self):
        # In a process of its own, since a mistake is a crash. Seeds make it repeatable.
        script = """
import gc, random, sys, threading, klip
uri, seed = sys.argv[1], int(sys.argv[2])
random = random.Random(seed)
connection = klip.connect(uri, sync_wal=False)
things = []
def work():
    for _ in range(300):
        try:
            table = connection.table("logins")
            kind = random.randrange(6)
            if kind == 0: things.append(table)
            elif kind == 1: things.append(table.scan())
            elif kind == 2:
                scanner = table.scan(threads=2); next(scanner); things.append(scanner)
            elif kind == 3: things.append(connection.loader("logins"))
            elif kind == 4: things.append(table.schema)
            elif things:
                thing = things.pop(random.randrange(len(things)))
                if isinstance(thing, klip.Scanner): list(thing)
                del thing
            if random.random() < 0.02: gc.collect()
        except (klip.InvalidArgumentError, klip.CancelledError, IndexError, StopIteration):
            pass
workers = [threading.Thread(target=work) for _ in range(3)]
for worker in workers: worker.start()
if seed % 2: connection.close()
for worker in workers: worker.join()
if seed % 3 == 0: del connection
random.shuffle(things)
print("left", len(things) > 0)
"""
        self.logins()
        self.connection.close()
        for seed in range(6):
            ended = subprocess.run([sys.executable, "-c", script, self.uri(), str(seed)], capture_output=True, text=True)
            self.assertEqual((ended.returncode, ended.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
