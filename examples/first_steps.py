"""First steps in Python: a table with a row-key schema, rows, a scan by a field of the key. Usage: first_steps.py DIRECTORY"""

import sys

import klip


def main(directory: str) -> None:
    with klip.connect(f"klip:{directory}") as connection:
        logins = connection.create_table("logins", {"d": {"VERSIONS": 3}}, row_key="username:text(10,'*') date:digits(8)")
        encode = logins.schema.encode

        with logins.batch() as batch:
            batch.put(encode("alice", 20140627), {b"d:visits": b"3"})
            batch.put(encode("alice", 20140628), {b"d:visits": b"5"})
            batch.put(encode("bob", 20140628), {b"d:visits": b"1"})

        # One row. A row that does not exist is an empty dict.
        print(logins.row(encode("alice", 20140627)))

        # The date is not at the front of the key: klip jumps from user to user.
        for key, row in logins.scan(where="date=20140628"):
            print(logins.schema.decode(key)["username"], row[b"d:visits"].decode())
        print(logins.explain(where="date=20140628")["kind"])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: first_steps.py DIRECTORY")
    main(sys.argv[1])
