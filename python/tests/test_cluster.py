"""The same package on clusters, over HBase's protocol: klip serve, or those that KLIP_CLUSTERS names (compat/native)."""

import os
import subprocess
import tempfile
import time
import unittest

from case import NOTHING, SLOW, alarm

import klip


class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if "KLIP_CLUSTERS" in os.environ:
            cls.uris = os.environ["KLIP_CLUSTERS"].split()
            return
        directory = tempfile.TemporaryDirectory(prefix="klip_python_")
        cls.addClassCleanup(directory.cleanup)
        program = os.environ["KLIP_PROGRAM"]
        cls.server = subprocess.Popen(
            [program, "serve", "--data", directory.name + "/store", "--rpc-port", "0", "--zk-port", "0", "--no-fsync"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        cls.addClassCleanup(cls.stop)
        ready = dict(word.split("=", 1) for word in cls.server.stdout.readline().split() if "=" in word)
        cls.uris = (f"hbase+rpc://{ready['rpc']}", f"hbase+zk://{ready['zookeeper']}")

    @classmethod
    def stop(cls):
        cls.server.terminate()
        cls.server.wait(20)
        cls.server.stdout.close()

    def check_metrics(self, connection, table):
        metrics = connection.cluster_metrics()
        self.assertEqual(len(metrics["cluster_id"]), 36)
        self.assertIn(table.regions()[0]["server"], [server["name"] for server in metrics["live_servers"]])
        # HBase's servers report their regions every 3 s.
        deadline = time.monotonic() + 30
        name = ""
        while name != f"{table.name},m" and time.monotonic() < deadline:
            for server in connection.cluster_metrics()["live_servers"]:
                for region in server["regions"]:
                    self.assertEqual(set(region), set(klip.RegionMetrics.__annotations__))
                    if region["name"].startswith(f"{table.name},m,"):
                        name = region["name"].rsplit(",", 1)[0]
        self.assertEqual(name, f"{table.name},m")

    def test_rows_scans_and_admin(self):
        for number, uri in enumerate(self.uris):
            with klip.connect(uri, rpc_timeout_ms=20000) as connection:
                name = f"python{number}"
                table = connection.create_table(
                    name, {"f": {"VERSIONS": 2}}, row_key="user:text(6,'*') day:digits(2)", splits=["m"]
                )
                encode = table.schema.encode
                table.put_all(klip.Put(encode(user, day), {b"f:q": str(day)}) for user in ("ann", "zoe") for day in range(50))
                self.assertEqual([key for key, _ in table.scan(where="day=7")], [b"ann***07", b"zoe***07"])
                self.assertEqual([key for key, _ in table.scan(where="day=7", reverse=True, threads=2)], [b"zoe***07", b"ann***07"])
                self.assertEqual(len(list(table.scan())), 100)
                self.assertEqual(table.row(b"ann***07"), {b"f:q": b"7"})
                self.assertEqual(table.counter_inc("ann***07", "f:n", 3), 3)
                self.assertFalse(table.check_and_put("ann***07", "f:q", None, {"f:q": "x"}))
                with table.batch() as batch:
                    batch.delete("ann***07")
                    batch.put("ann***08", {"f:q": "new"})
                self.assertEqual(table.rows(["ann***07", "ann***08"]), [(b"ann***08", {b"f:q": b"new"})])
                self.assertEqual([region["start_key"] for region in table.regions()], [b"", b"m"])
                self.assertTrue(all(region["server"] for region in table.regions()))
                self.check_metrics(connection, table)
                with self.assertRaises(klip.NoSuchColumnFamilyError):
                    table.put("r", {"nof:q": "v"})
                with self.assertRaises(klip.UnsupportedError):
                    connection.apply([(name, klip.Put("r", {"f:q": "v"}))])
                connection.delete_table(name, disable=True)
                with self.assertRaises(klip.TableNotFoundError):
                    connection.table(name).row("r")

    def test_replicas(self):
        with klip.connect(self.uris[0]) as connection:
            table = connection.create_table("replicas", ["f"], attributes={"REGION_REPLICATION": "2"})
            table.put("r", {"f:q": "v"})
            self.assertFalse(table.cells("r", consistency="timeline", replica=0)[0].stale)
            self.assertFalse(table.cells("r")[0].stale)
            # HBase's replicas see what files hold when they are opened.
            connection.flush("replicas")
            connection.disable_table("replicas")
            connection.enable_table("replicas")
            found = table.cells("r", consistency="timeline", replica=1)
            self.assertEqual([(cell.value, cell.stale) for cell in found], [(b"v", True)])
            self.assertEqual(len(found[0]), 6)
            for _, cells in table.scan(cells=True, consistency="timeline", replica=1):
                self.assertTrue(cells[0].stale)
            with self.assertRaisesRegex(ValueError, "consistency"):
                table.row("r", consistency="eventual")
            connection.delete_table("replicas", disable=True)

    def test_closing(self):
        with klip.connect(self.uris[0]) as connection:
            table = connection.create_table("closing", ["f"])
            table.put_all(klip.Put(f"{i:04}", {"f:q": "v"}) for i in range(100))
            scanner = table.scan()
            next(scanner)
            connection.delete_table("closing", disable=True)
        for call in (lambda: table.row("r"), table.scan, lambda: connection.tables()):
            with self.assertRaisesRegex(klip.InvalidArgumentError, "closed"):
                call()
        with self.assertRaisesRegex(klip.InvalidArgumentError, "closed"):
            for _ in scanner:
                pass

    def test_signals_end_a_scan(self):
        with klip.connect(self.uris[0]) as connection:
            table = connection.create_table("slow", ["f"])
            table.put_all(klip.Put(f"{i:06}", {"f:q": SLOW}) for i in range(20000))
            scanner = table.scan(filter=NOTHING)
            with alarm(lambda *_: scanner.close()), self.assertRaises(klip.CancelledError):
                next(scanner)
            connection.delete_table("slow", disable=True)

    def test_nobody_there(self):
        with self.assertRaises(klip.Error):
            with klip.connect("hbase+rpc://127.0.0.1:1", operation_timeout_ms=500) as connection:
                connection.table("t").row("r")


if __name__ == "__main__":
    unittest.main()
