"""klip.files without pyarrow: what --columns says, and what is refused before a file is read. compat/analytics reads and writes the files."""

import os

from klip import files

from case import StoreTest


class FilesTest(StoreTest):
    def test_columns_are_as_text_names_them(self):
        table = self.connection.create_table("t", ["d"], row_key="user:text('|') day:date")
        self.assertIsNone(files._columns(None, table))
        self.assertEqual(
            files._columns("user,day,d:visits i64,d:from,d:a:int bytes,d:http://x", table),
            {"d:visits": "i64", "d:from": "bytes", "d:a:int": "bytes", "d:http://x": "bytes"},
        )
        plain = self.connection.create_table("plain", ["d"])
        self.assertEqual(files._columns("row,d:x text", plain), {"d:x": "text"})
        for text, error in (
            ("d:temp:int", "a type follows a blank, 'd:temp i32'"),
            ("d:c:float", "write 'd:c:float bytes'"),
            ("day,nix", "'nix' is not a family:qualifier or key field: user, day"),
            ("d:a,d:a i64", "named twice"),
        ):
            with self.assertRaisesRegex(ValueError, error):
                files._columns(text, table)
        with self.assertRaisesRegex(ValueError, "the same qualifier"):
            files._targets({"d:x": "i64", "e:x": "i64"})

    def test_pipes_in_place_of_files_are_refused(self):
        directory = os.path.join(self.directory, "files", "day=1")
        os.makedirs(directory)
        open(os.path.join(directory, "part-0.parquet"), "w").close()
        files._check_files(os.path.dirname(directory))
        os.mkfifo(os.path.join(directory, "part-1.parquet"))
        with self.assertRaisesRegex(ValueError, "part-1.parquet is not a regular file"):
            files._check_files(os.path.dirname(directory))
