"""What the tests share: a store of their own, scans that take long, and signals."""

import contextlib
import shutil
import signal
import tempfile
import unittest

import klip


# A value, and a filter that rejects it. The regular expression is slow on purpose, some 100 us a row; the back-reference keeps
# Java's from being fast.
SLOW = b"a" * 15 + b"b"
NOTHING = r"ValueFilter(=, 'regexstring:^(a+)+\1$')"


@contextlib.contextmanager
def alarm(handler):
    """The handler is called by the main thread, soon."""
    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class StoreTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="klip_python_")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.connection = self.open()

    def tearDown(self):
        self.connection.close()

    def uri(self):
        return f"klip:{self.directory}/store"

    def open(self):
        return klip.connect(self.uri(), sync_wal=False, block_cache_bytes=8 << 20)

    def logins(self, users=("alice", "bob"), days=range(20140601, 20140631)):
        """A table with a row-key schema, a row per user and day."""
        table = self.connection.create_table(
            "logins", {"d": {"VERSIONS": 3}}, row_key="username:text(10,'*') date:digits(8)"
        )
        encode = table.schema.encode
        table.put_all(klip.Put(encode(user, day), {b"d:day": str(day)}) for user in users for day in days)
        return table
