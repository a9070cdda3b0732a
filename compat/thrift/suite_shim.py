"""A pytest plugin for happybase's tests, which use nose's assert_raises without importing it, and hand the port to thriftpy2 as
text, which takes numbers only."""

import builtins
import os

import happybase.connection
import pytest

builtins.assert_raises = pytest.raises
happybase.connection.DEFAULT_PORT = int(os.environ["GATEWAY_PORT"])
