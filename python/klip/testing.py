"""A server for tests: `klip serve` on free ports, with an empty store that is deleted afterwards. Replaces HBase's mini cluster.

    from klip.testing import server

    def test_visits():
        with server() as hbase:
            happybase.Connection(port=hbase.ports["thrift"]) ...        # or hbase.connect(), or any client of HBase by hbase.zookeeper

With pytest, `pytest_plugins = ["klip.testing"]` in conftest.py provides the fixtures `klip_server`, new for each test, and
`klip_session_server`, one for all of them.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import subprocess
import tempfile
from typing import Any, Dict, Iterator, List, Optional, Sequence

from .connection import Connection, connect
from .program import find

_START_SECONDS = 30


class Server:
    """A running server. `ports`: "rpc", "zookeeper", "thrift", "thrift2", "rest", "http", "sql"."""

    def __init__(self, process: subprocess.Popen[str], ready: Dict[str, str]) -> None:
        self._process = process
        self.ports = {name: int(at.rpartition(":")[2]) for name, at in ready.items() if name != "data"}

    @property
    def uri(self) -> str:
        """For klip.connect, `klip --store` and the shell."""
        return f"hbase+rpc://127.0.0.1:{self.ports['rpc']}"

    @property
    def zookeeper(self) -> str:
        """hbase.zookeeper.quorum with its port, for clients of HBase."""
        return f"127.0.0.1:{self.ports['zookeeper']}"

    def connect(self, **options: Any) -> Connection:
        return connect(self.uri, **options)

    def kill(self) -> None:
        """Ends the server as a crash does. The block ends without a complaint."""
        self._process.kill()
        self._process.wait()


@contextlib.contextmanager
def server(
    options: Sequence[str] = (),
    *,
    thrift: bool = True,
    rest: bool = False,
    sql: bool = False,
    directory: Optional[str] = None,
    program: Optional[str] = None,
) -> Iterator[Server]:
    """Starts a server and ends it with the block.

    options    more options of klip serve: ["--memory-limit", "1GB"]
    thrift     both Thrift interfaces too; `rest`, `sql`: these gateways too
    directory  of the store, which is kept; None: a temporary one
    program    klip; None: the environment's KLIP_PROGRAM, else the one in the wheel, else the one on PATH
    """
    klip = program or find()
    if klip is None:
        raise RuntimeError("klip is not on PATH; set KLIP_PROGRAM to its path")
    ports = ["--rpc-port", "--zk-port", "--http-port"]
    ports += ["--thrift-port", "--thrift2-port"] if thrift else []
    ports += ["--rest-port"] if rest else []
    ports += ["--sql-port"] if sql else []
    with contextlib.ExitStack() as stack:
        if directory is None:
            directory = os.path.join(stack.enter_context(tempfile.TemporaryDirectory(prefix="klip_")), "store")
        log = stack.enter_context(tempfile.TemporaryFile("w+"))
        command: List[str] = [klip, "serve", "--data", directory, "--no-fsync"]
        for port in ports:
            command += [port, "0"]
        process = subprocess.Popen(command + list(options), stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            assert process.stdout is not None
            line = process.stdout.readline()  # at once, or nothing when the server could not start
            ready = dict(word.split("=", 1) for word in line.split() if "=" in word)
            if "rpc" not in ready:
                process.wait(_START_SECONDS)
                log.seek(0)
                raise RuntimeError(f"klip serve did not start: {log.read()}")
            yield Server(process, ready)
        finally:
            process.terminate()
            process.wait(_START_SECONDS)
            if process.stdout is not None:
                process.stdout.close()


def _one_server() -> Iterator[Server]:
    with server() as running:
        yield running


with contextlib.suppress(ImportError):
    _fixture: Any = importlib.import_module("pytest").fixture
    klip_server = _fixture(_one_server, name="klip_server")
    klip_session_server = _fixture(_one_server, name="klip_session_server", scope="session")
