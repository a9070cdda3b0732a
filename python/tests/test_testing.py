"""The server for other people's tests."""

import os
import socket
import tempfile
import unittest

import klip
import klip.testing


class Testing(unittest.TestCase):
    def test_a_server_with_every_door(self):
        with klip.testing.server(rest=True, sql=True) as server:
            self.assertEqual(
                set(server.ports), {"rpc", "zookeeper", "http", "thrift", "thrift2", "rest", "sql"}
            )
            for port in server.ports.values():
                socket.create_connection(("127.0.0.1", port), 5).close()
            with server.connect() as connection:
                connection.create_table("t", ["f"]).put("a", {"f:x": "1"})
                self.assertEqual(connection.table("t").row("a"), {b"f:x": b"1"})
        with self.assertRaises(OSError):
            socket.create_connection(("127.0.0.1", server.ports["rpc"]), 5)

    def test_a_directory_is_kept(self):
        with tempfile.TemporaryDirectory() as directory:
            for rows in (0, 1):
                with klip.testing.server(directory=directory + "/store") as server, server.connect() as connection:
                    if rows == 0:
                        connection.create_table("t", ["f"]).put("a", {"f:x": "1"})
                        server.kill()
                    else:
                        self.assertEqual(len(list(connection.table("t").scan())), 1)

    def test_two_at_once(self):
        with klip.testing.server() as one, klip.testing.server() as other:
            self.assertNotEqual(one.ports["rpc"], other.ports["rpc"])

    def test_errors(self):
        with self.assertRaisesRegex(RuntimeError, "--no-such-option"), klip.testing.server(["--no-such-option"]):
            pass
        with self.assertRaisesRegex(FileNotFoundError, "nowhere"), klip.testing.server(program="/nowhere"):
            pass
        program = os.environ.pop("KLIP_PROGRAM")
        self.addCleanup(os.environ.__setitem__, "KLIP_PROGRAM", program)
        path = os.environ.pop("PATH")
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        with self.assertRaisesRegex(RuntimeError, "klip is not on PATH"), klip.testing.server():
            pass


if __name__ == "__main__":
    unittest.main()
