"""Row keys: schemas and queries. help(klip.keys) shows docs/keys.md."""

import pathlib

__doc__ = (pathlib.Path(__file__).parent / "keys.md").read_text(encoding="utf-8")
