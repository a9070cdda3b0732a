"""Tables as wholes, namespaces, regions, snapshots; the exceptions."""

import unittest

from case import StoreTest

import klip
from klip import _klip, errors


class Admin(StoreTest):
    def test_tables(self):
        connection = self.connection
        table = connection.create_table("t", {"a": {"VERSIONS": 5, "IN_MEMORY": True}, "b": {}}, attributes={"DURABILITY": "ASYNC_WAL"})
        self.assertEqual((table.name, connection.tables()), ("t", ["t"]))
        self.assertEqual((table.families()["a"]["VERSIONS"], table.families()["a"]["IN_MEMORY"]), ("5", "true"))
        descriptor = connection.describe_table("t")
        self.assertEqual(descriptor["attributes"], {"DURABILITY": "ASYNC_WAL"})
        descriptor["families"].pop()
        descriptor["attributes"]["MAX_FILESIZE"] = 1 << 40
        connection.modify_table(descriptor)
        self.assertEqual(list(table.families()), ["a"])
        connection.add_family("t", "c", {"TTL": 100})
        connection.modify_family("t", "c", {"TTL": 200})
        self.assertEqual(table.families()["c"]["TTL"], "200")
        connection.delete_family("t", "c")
        with self.assertRaises(klip.TableNotDisabledError) as caught:
            connection.delete_table("t")
        self.assertEqual(caught.exception.java_class, "org.apache.hadoop.hbase.TableNotDisabledException")
        self.assertFalse(caught.exception.retryable)
        table.put("r", {"a:q": "v"})
        connection.disable_table("t")
        self.assertFalse(connection.is_table_enabled("t"))
        with self.assertRaises(klip.TableNotEnabledError):
            table.row("r")
        connection.enable_table("t")
        self.assertTrue(table.exists("r"))
        connection.disable_table("t")
        connection.truncate_table("t")
        self.assertFalse(table.exists("r"))
        connection.delete_table("t", disable=True)
        self.assertFalse(connection.table_exists("t"))
        with self.assertRaises(klip.TableNotFoundError):
            table.row("r")
        for bad in ({"": {}}, {"f": {"VERSIONS": 0}}, {"f": {"TTL": "long"}}, {"f": {"TTL": [1]}}):
            with self.assertRaises(ValueError, msg=str(bad)):
                connection.create_table("bad", bad)

    def test_namespaces(self):
        connection = self.connection
        connection.create_namespace("n")
        self.assertIn("n", connection.namespaces())
        connection.create_table("n:t", ["f"])
        connection.create_table("u", ["f"])
        self.assertEqual(connection.tables("n"), ["n:t"])
        with self.assertRaises(klip.ConstraintViolationError):
            connection.delete_namespace("n")
        connection.delete_table("n:t", disable=True)
        connection.delete_namespace("n")
        with self.assertRaises(klip.NamespaceNotFoundError):
            connection.create_table("n:t", ["f"])

    def test_regions(self):
        table = self.connection.create_table("t", ["f"], splits=[b"g\0h", "p"])
        self.assertEqual([region["start_key"] for region in table.regions()], [b"", b"g\0h", b"p"])
        self.connection.split_table("t", "c")
        self.assertEqual([region["end_key"] for region in table.regions()], [b"c", b"g\0h", b"p", b""])
        first, second = (region["encoded_name"] for region in table.regions()[:2])
        self.connection.merge_regions(first, second)
        self.assertEqual(len(table.regions()), 3)
        self.connection.flush("t")
        self.connection.compact_table("t", major=True)
        self.assertGreaterEqual(self.connection.metrics()["files"], 0)
        metrics = self.connection.cluster_metrics()
        self.assertEqual(set(metrics), set(klip.ClusterMetrics.__annotations__))
        [server] = metrics["live_servers"]
        self.assertEqual(set(server), set(klip.ServerMetrics.__annotations__))
        self.assertEqual((metrics["active_master"], metrics["average_load"]), (server["name"], 3))
        self.assertEqual(set(server["regions"][0]), set(klip.RegionMetrics.__annotations__))
        self.assertEqual(server["regions"][1]["name"].split(",")[:2], ["t", "g\\x00h"])

    def test_snapshots(self):
        connection = self.connection
        table = connection.create_table("t", ["f"])
        table.put("r", {"f:q": "old"})
        connection.snapshot("s", "t")
        self.assertEqual([(one["name"], one["table"]) for one in connection.snapshots()], [("s", "t")])
        table.put("r", {"f:q": "new"})
        connection.clone_snapshot("s", "copy")
        self.assertEqual(connection.table("copy").row("r"), {b"f:q": b"old"})
        connection.disable_table("t")
        connection.restore_snapshot("s")
        connection.enable_table("t")
        self.assertEqual(table.row("r"), {b"f:q": b"old"})
        with self.assertRaises(klip.SnapshotExistsError):
            connection.snapshot("s", "t")
        connection.delete_snapshot("s")
        self.assertEqual(connection.snapshots(), [])


class Errors(unittest.TestCase):
    def test_each_code_has_its_class(self):
        number = 1
        while name := _klip.code_name(number):
            error = errors.make(number, "text", "java.Class", True, 0, "")
            self.assertEqual(type(error).__name__, name.removesuffix("Error") + "Error")
            self.assertIs(getattr(klip, type(error).__name__), type(error))
            self.assertEqual((str(error), error.code, error.java_class, error.retryable), ("text", number, "java.Class", True))
            number += 1
        self.assertEqual(number - 1, len(errors._CLASSES))

    def test_they_are_pythons_too(self):
        self.assertTrue(issubclass(klip.InvalidArgumentError, ValueError))
        self.assertTrue(issubclass(klip.TimedOutError, TimeoutError))

    def test_binary_texts(self):
        self.assertEqual(klip.to_string_binary(b"a\0\\\xff"), "a\\x00\\x5C\\xFF")
        self.assertEqual(klip.from_string_binary("a\\x00\\x5C\\xFF"), b"a\0\\\xff")


if __name__ == "__main__":
    unittest.main()
