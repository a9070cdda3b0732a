"""Rows: reading and writing them, in all the forms that Python knows."""

import pathlib
import struct
import unittest

from case import StoreTest

import klip


class Rows(StoreTest):
    def setUp(self):
        super().setUp()
        self.table = self.connection.create_table("t", {"f": {"VERSIONS": 3}, "g": None})

    def test_put_and_row(self):
        self.table.put(b"r", {b"f:a": b"1", "f:b": "zwei", ("g", b"\0:"): bytearray(b"3")}, timestamp=10)
        self.assertEqual(self.table.row("r"), {b"f:a": b"1", b"f:b": b"zwei", b"g:\0:": b"3"})
        self.assertEqual(self.table.row(b"r", ["g", "f:a"]), {b"f:a": b"1", b"g:\0:": b"3"})
        self.assertEqual(self.table.row(b"r", ["f:a"], include_timestamp=True), {b"f:a": (b"1", 10)})
        self.assertEqual(self.table.row(b"r", timestamp=10), {})
        self.assertEqual(self.table.row(b"r", ["f:a"], time_range=(10, 11)), {b"f:a": b"1"})
        self.assertEqual(self.table.row(b"r", filter="ValueFilter(=, 'binary:zwei')"), {b"f:b": b"zwei"})
        self.assertEqual(self.table.row(b"none"), {})
        self.assertEqual(self.table.row(b"r", ["f:none"]), {})

    def test_a_store_is_a_path_or_a_uri(self):
        for store in (self.directory + "/by_text", pathlib.Path(self.directory) / "by_path"):
            with klip.connect(store) as connection:
                connection.create_table("u", ["f"])
            with klip.connect(f"klip:{store}", create_if_missing=False) as connection:
                self.assertEqual(connection.tables(), ["u"])
            with klip.dbapi.connect(store) as sql:
                self.assertEqual(sql.cursor().execute("SELECT 1").fetchall(), [(1,)])

    def test_versions(self):
        for version in (1, 2, 3):
            self.table.put("r", {"f:a": (str(version), version)})
        self.table.put("r", {"f:b": "x"}, timestamp=9)
        cells = self.table.cells("r", "f:a")
        self.assertEqual([(cell.value, cell.timestamp) for cell in cells], [(b"3", 3), (b"2", 2), (b"1", 1)])
        self.assertEqual((cells[0].family, cells[0].qualifier, cells[0].type, cells[0].tags), (b"f", b"a", 4, b""))
        self.assertEqual(len(self.table.cells("r")), 4)
        self.assertEqual(len(self.table.cells("r", ["f:a", "f:b"], versions=2)), 3)
        self.assertEqual(self.table.row("r"), {b"f:a": b"3", b"f:b": b"x"})
        (_, newest), = self.table.scan(versions=None)
        self.assertEqual(newest, {b"f:a": b"3", b"f:b": b"x"})
        self.assertEqual(self.table.row("r", timestamp=3), {b"f:a": b"2"})

    def test_delete(self):
        def fill():
            for version in (1, 2, 3):
                self.table.put("r", {"f:a": str(version), "f:b": "x", "g:c": "y"}, timestamp=version)

        fill()
        self.table.delete("r", ["f:a"])
        self.assertEqual(self.table.row("r"), {b"f:b": b"x", b"g:c": b"y"})
        self.table.delete("r", ["f"])
        self.assertEqual(self.table.row("r"), {b"g:c": b"y"})
        self.table.delete("r")
        self.assertEqual(self.table.row("r"), {})
        table = self.connection.create_table("u", {"f": {"VERSIONS": 3}})
        for version in (1, 2, 3):
            table.put("r", {"f:a": str(version)}, timestamp=version)
        table.delete("r", ["f:a"], timestamp=2, exact=True)
        self.assertEqual([cell.timestamp for cell in table.cells("r")], [3, 1])
        table.delete("r", ["f:a"], exact=True)
        self.assertEqual([cell.timestamp for cell in table.cells("r")], [1])
        table.put("r", {"f:a": "4"}, timestamp=4)
        table.delete("r", ["f:a"], timestamp=3)
        self.assertEqual([cell.timestamp for cell in table.cells("r")], [4])
        (_, raw), = table.scan(cells=True, raw=True, versions=None)
        self.assertIn(12, [cell.type for cell in raw])

    def test_delete_of_no_columns(self):
        self.table.put("r", {"f:a": "1", "g:b": "2"})
        before = self.table.row("r")
        for none in ([], (), iter([])):
            self.table.delete("r", none)
            self.table.delete("r", none, timestamp=1 << 50)
            with self.table.batch(batch_size=1) as batch:
                batch.delete("r", none)
            self.assertEqual(self.table.row("r"), before)
        for call in (
            lambda no: self.table.mutate(no),
            lambda no: self.table.mutate(klip.Put("r", {"f:c": "3"}), no),
            lambda no: self.table.check_and_mutate("r", klip.Condition("f:a", "1"), no),
            lambda no: self.table.batch().add(no),
            lambda no: self.connection.apply([("t", no)]),
        ):
            with self.assertRaisesRegex(ValueError, "without columns"):
                call(klip.Delete("r", columns=[]))
        for text in ("fg", b"f", bytearray(b"f"), ""):  # not the families that its letters are
            for call in (
                lambda: self.table.delete("r", text),
                lambda: self.table.batch().delete("r", text),
                lambda: self.table.mutate(klip.Delete("r", text)),
            ):
                with self.assertRaisesRegex(TypeError, "a list"):
                    call()
        self.assertEqual(self.table.row("r"), before)
        self.table.delete("r", iter(["f:a"]))
        self.assertEqual(self.table.row("r"), {b"g:b": b"2"})
        with self.table.batch() as batch:
            batch.delete("r")
        self.assertEqual(self.table.row("r"), {})

    def test_no_columns_of_other_calls(self):
        self.table.put("r", {"f:a": "1"})
        row = self.table.row("r")
        self.assertEqual(self.table.row("r", []), row)  # as happybase has it: all of them
        self.assertEqual(self.table.rows(["r"], []), [(b"r", row)])
        self.assertEqual(list(self.table.scan(columns=[])), [(b"r", row)])
        self.assertEqual(self.table.rows([]), [])
        for call in (
            lambda: self.table.increment("r", {}),
            lambda: self.table.append("r", {}),
            lambda: self.table.mutate(klip.Put("r", {})),
            lambda: self.table.put_all([klip.Put("r", {})]),
            lambda: self.table.check_and_put("r", "f:a", "1", {}),
            lambda: self.connection.apply([("t", klip.Put("r", {}))]),
        ):
            with self.assertRaises(ValueError):
                call()
        self.assertEqual(self.table.row("r"), row)

    def test_rows_and_exists(self):
        self.table.put("a", {"f:q": "1"})
        self.table.put("c", {"f:q": "3"})
        self.assertEqual(self.table.rows(["c", b"b", "a"]), [(b"c", {b"f:q": b"3"}), (b"a", {b"f:q": b"1"})])
        self.assertTrue(self.table.exists("a"))
        self.assertTrue(self.table.exists("a", ["f:q"]))
        self.assertFalse(self.table.exists("a", ["f:none"]))
        self.assertEqual(self.table.first_row(), (b"a", {b"f:q": b"1"}))
        self.assertEqual(self.table.last_row(), (b"c", {b"f:q": b"3"}))
        self.assertIsNone(self.connection.create_table("empty", ["f"]).first_row())

    def test_counters_and_appends(self):
        self.assertEqual(self.table.counter_get("r", "f:n"), 0)
        self.assertEqual(self.table.counter_inc("r", "f:n"), 1)
        self.assertEqual(self.table.counter_dec("r", "f:n", 5), -4)
        self.table.counter_set("s", "f:n", 1 << 40)
        self.assertEqual(self.table.counter_get("s", "f:n"), 1 << 40)
        self.assertEqual(self.table.increment("s", {"f:n": 1, "f:m": 7}), {b"f:m": 7, b"f:n": (1 << 40) + 1})
        self.assertEqual(self.table.append("r", {"f:log": "a"}), {b"f:log": b"a"})
        self.assertEqual(self.table.append("r", {"f:log": "b"}), {b"f:log": b"ab"})
        self.table.put("r", {"g:old": "1"}, timestamp=5)
        written = self.table.mutate(
            klip.Put("r", {"f:q": "v"}), klip.Increment("r", {"f:n": 1}), klip.Delete("r", ["g:old"])
        )
        self.assertEqual(struct.unpack(">q", written[b"f:n"])[0], -3)
        self.assertEqual(sorted(self.table.row("r")), [b"f:log", b"f:n", b"f:q"])

    def test_conditions(self):
        put = klip.Put("r", {"f:q": "new"})
        self.assertTrue(self.table.check_and_put("r", "f:q", None, {"f:q": "old"}))
        self.assertFalse(self.table.check_and_put("r", "f:q", None, {"f:q": "older"}))
        self.assertFalse(self.table.check_and_mutate("r", klip.Condition("f:q", "x"), put))
        self.assertTrue(self.table.check_and_mutate("r", klip.Condition("f:q", "z", op=">"), put))
        self.assertTrue(
            self.table.check_and_mutate(
                "r", klip.Condition(filter="ValueFilter(=, 'binary:new')"), klip.Delete("r", ["f"]), klip.Put("r", {"g:q": "v"})
            )
        )
        self.assertEqual(self.table.row("r"), {b"g:q": b"v"})
        self.assertFalse(self.table.check_and_mutate("other", klip.Condition("f:q", "x"), klip.Put("other", {"f:q": "y"})))
        for bad in (klip.Condition(), klip.Condition("f:q", filter="x"), klip.Condition("f:q", "v", op="~")):
            with self.assertRaises(ValueError):
                self.table.check_and_mutate("r", bad, put)

    def test_batches(self):
        with self.table.batch(batch_size=2) as batch:
            for row in "abc":
                batch.put(row, {"f:q": row})
            self.assertEqual([key for key, _ in self.table.scan()], [b"a", b"b"])
            batch.delete("a")
            batch.add(klip.Increment("d", {"f:n": 3}))
        self.assertEqual([key for key, _ in self.table.scan()], [b"b", b"c", b"d"])
        with self.assertRaises(RuntimeError), self.table.batch(transaction=True) as batch:
            batch.put("x", {"f:q": "1"})
            raise RuntimeError("changed my mind")
        self.assertFalse(self.table.exists("x"))
        with self.assertRaises(klip.NoSuchColumnFamilyError), self.table.batch(timestamp=5) as batch:
            batch.put("x", {"nof:q": "1"})
            batch.put("y", {"f:q": "1"})
        self.assertEqual(self.table.row("y", include_timestamp=True), {b"f:q": (b"1", 5)})
        with self.assertRaises(ValueError):
            self.table.batch(batch_size=5, transaction=True)

    def test_changes_of_several_tables(self):
        other = self.connection.create_table("u", ["f"])
        done = self.connection.apply(
            [("t", klip.Put("r", {"f:q": "1"})), ("u", klip.Put("s", {"f:q": "2"}))],
            [("t", "r", klip.Condition("f:q", None))],
        )
        self.assertTrue(done)
        self.assertEqual((self.table.row("r"), other.row("s")), ({b"f:q": b"1"}, {b"f:q": b"2"}))
        self.assertFalse(
            self.connection.apply([("u", klip.Delete("s"))], [("t", "r", klip.Condition("f:q", "other"))])
        )
        self.assertTrue(other.exists("s"))

    def test_prepend(self):
        data = {"f:check": "x", "f:q": "1"}
        first = self.table.prepend("f:check", data)
        self.assertEqual(first, (1 << 63) - 1)
        self.assertEqual(self.table.prepend("f:check", data), first - 1)
        self.assertEqual(self.table.first_row(), (struct.pack(">Q", first - 1), {b"f:check": b"x", b"f:q": b"1"}))
        with self.assertRaises(klip.InvalidArgumentError):
            self.table.prepend("f:check", {"f:q": "1"})

    def test_loader(self):
        with self.connection.loader("t") as loader:
            for number in range(2500):
                loader.put(b"%06d" % number, {"f:q": str(number)})
        self.assertEqual(sum(1 for _ in self.table.scan()), 2500)
        with self.assertRaises(RuntimeError), self.connection.loader("t") as loader:
            loader.put("x", {"f:q": "1"})
            raise RuntimeError("no")
        self.assertFalse(self.table.exists("x"))
        with self.assertRaises(klip.InvalidArgumentError), self.connection.loader("t") as loader:
            loader.put("y", {"f:q": "1"})
            loader.put("x", {"f:q": "1"})

    def test_bad_input(self):
        for call in (
            lambda: self.table.row(5),
            lambda: self.table.row(None),
            lambda: self.table.row("r", "f:q"),
            lambda: self.table.row("r", [5]),
            lambda: self.table.put("r", {"f:q": 5}),
            lambda: self.table.put("r", {"f:q": None}),
            lambda: self.table.put("r", [("f:q", "v")]) or self.table.put("r", 7),
            lambda: self.table.increment("r", {"f:q": "1"}),
            lambda: self.table.scan(row_prefix="a", row_start="b"),
            lambda: self.table.row("r", nonsense=1),
            lambda: self.connection.table(b"t"),
            lambda: klip.connect(5),
            lambda: klip.connect(b"store"),
            lambda: self.connection.create_table("u", "f"),
        ):
            with self.assertRaises(TypeError):
                call()
        for call in (
            lambda: self.table.put("r", {"f": "v"}),
            lambda: self.table.put("r", {"f:q": ("v", 1, 2)}),
            lambda: self.table.put("r", {("f",): "v"}),
            lambda: self.table.row("r", timestamp=1, time_range=(0, 2)),
            lambda: self.table.row("r", filter="ValueFilter("),
            lambda: self.connection.table("t\0x"),
            lambda: klip.connect("nonsense:"),
            lambda: self.table.put("r", {"f:\ud800": "v"}),
            lambda: self.table.put("", {"f:q": "v"}),
            lambda: self.table.put("r", {}),
        ):
            with self.assertRaises(ValueError):
                call()
        with self.assertRaises(OverflowError):
            self.table.row("r", max_per_family=1 << 40)
        with self.assertRaises(OverflowError):
            self.table.put("r", {"f:q": ("v", 1 << 70)})
        with self.assertRaises(klip.NoSuchColumnFamilyError):
            self.table.put("r", {"nof:q": "v"})
        with self.assertRaises(TypeError):
            type(self.table._native)()


if __name__ == "__main__":
    unittest.main()
