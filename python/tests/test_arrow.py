"""Tables and results of SQL as columns of Arrow. Readers of other projects are tried by `./x compat analytics`."""

import struct

import klip

from case import StoreTest

TYPES = {"d:visits": "i64", "d:from": "text", "d:raw": "bytes", "d:rate": "f64", "d:ok": "boolean"}
TARGETS = {name.partition(":")[2]: (name, type) for name, type in TYPES.items()}


class ArrowTest(StoreTest):
    def fill(self):
        table = self.connection.create_table("t", ["d"], row_key="user:text('|') day:date n:u32")
        for i in range(500):
            data = {"d:visits": struct.pack(">q", i - 250), "d:raw": bytes([i % 256])}
            if i % 3:
                data.update({"d:from": "Köln", "d:rate": struct.pack(">d", i / 7), "d:ok": b"\xff"})
            table.put(table.schema.encode(f"user{i % 5}", 20140601 + i % 30, i), data)
        return table

    def test_what_is_read_can_be_written(self):
        table = self.fill()
        copy = self.connection.create_table("copy", ["d"], row_key="user:text('|') day:date n:u32")
        self.assertEqual(copy.write_arrow(table.arrow(TYPES), TARGETS), 500)
        self.assertEqual(list(copy.scan()), list(table.scan()))
        self.assertEqual(copy.write_arrow(table.arrow(TYPES, where="user=user3 day=20140604"), TARGETS), 17)

    def test_an_object_scans_anew_each_time(self):
        table = self.fill()
        rows = table.arrow(["d:raw"], limit=3)
        plain = self.connection.create_table("plain", ["d"])
        for number in (3, 3):
            with self.assertRaisesRegex(klip.InvalidArgumentError, "column 'user'"):
                plain.write_arrow(rows, {"raw": "d:raw"})
            copy = self.connection.create_table("copy", ["d"], row_key="user:text('|') day:date n:u32")
            self.assertEqual(copy.write_arrow(rows, {"raw": "d:raw"}), number)
            self.connection.delete_table("copy", disable=True)

    def test_tables_without_a_schema(self):
        table = self.connection.create_table("plain", ["d"])
        table.put(b"a\xff", {"d:x": "1"})
        copy = self.connection.create_table("copy", ["d"])
        self.assertEqual(copy.write_arrow(table.arrow(["d:x"]), {"x": ("d", "x")}), 1)
        self.assertEqual(list(copy.scan()), list(table.scan()))

    def test_results_of_sql(self):
        self.fill()
        sums = self.connection.create_table("sums", ["d"], row_key="user:text")
        cursor = self.connection.sql().execute('SELECT "user", COUNT(*) AS "n" FROM "t" GROUP BY "user"')
        self.assertEqual(sums.write_arrow(cursor, {"n": ("d:n", "i64")}), 5)
        self.assertEqual(sums.row("user0"), {b"d:n": struct.pack(">q", 100)})
        with self.assertRaisesRegex(klip.dbapi.InterfaceError, "no rows"):
            cursor.__arrow_c_stream__()

    def test_errors(self):
        table = self.fill()
        table.put(table.schema.encode("user9", 20140601, 1), {"d:visits": "few"})
        copy = self.connection.create_table("copy", ["d"], row_key="user:text('|') day:date n:u32")
        with self.assertRaisesRegex(klip.InvalidArgumentError, r"row 'user9\|20140601.*column 'visits': 'few' has 3 bytes"):
            copy.write_arrow(table.arrow({"d:visits": "i64"}), {"visits": ("d:visits", "i64")})
        with self.assertRaisesRegex(klip.InvalidArgumentError, "column 'd:visits'"):
            table.arrow({"d:visits": "int"}).__arrow_c_stream__()
        with self.assertRaisesRegex(ValueError, "family:qualifier"):
            table.arrow(["d"]).__arrow_c_stream__()
        with self.assertRaises(TypeError):
            table.arrow("d:visits")
        capsule = table.arrow(["d:raw"]).__arrow_c_stream__()

        class Once:
            def __arrow_c_stream__(self, requested_schema=None):
                return capsule

        self.assertEqual(copy.write_arrow(Once(), {"raw": "d:raw"}), 500)
        with self.assertRaisesRegex(ValueError, "read before"):
            copy.write_arrow(Once(), {"raw": "d:raw"})

    def test_streams_of_a_closed_connection(self):
        table = self.fill()
        capsule = table.arrow(TYPES).__arrow_c_stream__()
        self.connection.close()
        del capsule
        self.connection = self.open()
