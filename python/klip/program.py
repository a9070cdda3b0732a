"""The program klip, in wheels that contain it."""

import os
import shutil
import sys
from typing import NoReturn, Optional

BUNDLED = os.path.join(os.path.dirname(__file__), "bin", "klip")


def find() -> Optional[str]:
    """The path of klip: that of the environment's KLIP_PROGRAM, else the one in this package, else the one on PATH; None: there is none."""
    return os.environ.get("KLIP_PROGRAM") or (BUNDLED if os.path.exists(BUNDLED) else shutil.which("klip"))


def main() -> NoReturn:
    """Becomes the program in this package; pip makes the command klip call this."""
    os.execv(BUNDLED, ["klip", *sys.argv[1:]])
