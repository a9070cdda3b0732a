"""The Python of docs/python.md and the example run as they are written."""

import contextlib
import io
import os
import pathlib
import re
import runpy
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Docs(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="klip_python_")
        self.addCleanup(directory.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(directory.name)

    def test_python_md(self):
        text = (ROOT / "docs/python.md").read_text()
        blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        self.assertGreater(len(blocks), 4)
        names = {}
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            for block in blocks:
                exec(compile(block, "docs/python.md", "exec"), names)
        self.assertEqual(
            out.getvalue(), "alice b'3'\nbob b'1'\norg.apache.hadoop.hbase.TableNotFoundException\n"
        )

    def test_analytics_md(self):
        text = (ROOT / "docs/analytics.md").read_text()
        blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        self.assertEqual(len(blocks), 4)
        names = {}
        for block in blocks:
            exec(compile(block, "docs/analytics.md", "exec"), names)

    def test_example(self):
        self.addCleanup(setattr, sys, "argv", sys.argv)
        sys.argv = ["first_steps.py", "store"]
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            runpy.run_path(str(ROOT / "examples/first_steps.py"), run_name="__main__")
        self.assertEqual(out.getvalue(), "{b'd:visits': b'3'}\nalice 5\nbob 1\nfull walk\n")


if __name__ == "__main__":
    unittest.main()
