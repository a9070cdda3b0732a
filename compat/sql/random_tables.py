"""Writes SQL scripts of random tables, for run.sh: R0 ..., copies K0 ... and E0 ..., and C0 ..., which klip creates.

create.test  by Phoenix: R with its rows, views of R, and K without rows
write.test   by klip: the same rows in K, and in E, which klip creates by the statement of R; and C, with rows
map.test     by Phoenix: a view over each C
read.test    by both: queries of all of them

Usage: random_tables.py SEED TABLES DIRECTORY
"""

import random
import sys
from pathlib import Path

TEXTS = ["a", "b", "ab", "xyz", "ü", "long text"]
TYPES = {
    "INTEGER": lambda r: str(r.randint(-3, 3)),
    "BIGINT": lambda r: str(r.choice([-(2**40), -1, 0, 1, 2**40])),
    "SMALLINT": lambda r: str(r.randint(-300, 300)),
    "UNSIGNED_INT": lambda r: str(r.randint(0, 3)),
    "DOUBLE": lambda r: r.choice(["-1.5", "0.25", "2.5"]),
    "DECIMAL(10,2)": lambda r: r.choice(["-1.5", "0.01", "100", "12345678.9"]),
    "VARCHAR": lambda r: f"'{r.choice(TEXTS)}'",
    "CHAR(3)": lambda r: f"'{r.choice(['a', 'abc', 'xy'])}'",
    # In keys, of full length: Phoenix finds 'xy' to be less than 'xy' in a descending CHAR(3).
    "CHAR(2)": lambda r: f"'{r.choice(['ab', 'xy', 'zz'])}'",
    "DATE": lambda r: f"TO_DATE('20{r.randint(10, 20)}-0{r.randint(1, 9)}-01')",
    "BOOLEAN": lambda r: r.choice(["TRUE", "FALSE"]),
    "INTEGER ARRAY": lambda r: f"ARRAY[{r.randint(-3, 3)}, {r.randint(0, 9)}]",
    "VARCHAR ARRAY": lambda r: f"ARRAY['{r.choice(TEXTS)}', '{r.choice(TEXTS)}']",
}
OWN_FAMILY = '"0".'
KEY_TYPES = ["INTEGER", "BIGINT", "VARCHAR", "CHAR(2)", "DECIMAL(10,2)", "DATE"]


class Table:
    def __init__(self, chance):
        self.chance = chance
        self.keys = [(f"A{i}", chance.choice(KEY_TYPES), chance.random() < 0.3) for i in range(chance.randint(1, 3))]
        self.families = chance.choice([["", ""], ["", "F."]])
        self.cells = [(chance.choice(self.families), f"B{i}", chance.choice(list(TYPES))) for i in range(chance.randint(1, 6))]
        self.immutable = chance.random() < 0.5
        self.salted = chance.random() < 0.3
        self.encoded = chance.choice([0, 1, 2, 2, 3, 4])
        self.single_cell = self.immutable and self.encoded > 0 and chance.random() < 0.8
        self.default = None
        if not self.single_cell and chance.random() < 0.3:
            plain = [name for _, name, kind in self.cells if kind == "INTEGER"]
            self.default = plain[0] if plain else None

    def columns(self, first_family=""):
        keys = [f"{name} {kind} NOT NULL" for name, kind, _ in self.keys]
        cells = [
            f"{family or first_family}{name} {kind}" + (" DEFAULT -2" if name == self.default else "")
            for family, name, kind in self.cells
        ]
        key = ", ".join(name + (" DESC" if descending else "") for name, _, descending in self.keys)
        return f"({', '.join(keys + cells)} CONSTRAINT PK PRIMARY KEY ({key}))"

    def create(self, name):
        properties = [f"COLUMN_ENCODED_BYTES={self.encoded}"]
        if self.salted:
            properties.append("SALT_BUCKETS=3")
        if self.immutable and not self.single_cell:
            properties.append("IMMUTABLE_STORAGE_SCHEME=ONE_CELL_PER_COLUMN")
        kind = "IMMUTABLE TABLE" if self.immutable else "TABLE"
        return f"CREATE {kind} {name} {self.columns()} {', '.join(properties)}"

    def can_be_mapped(self):
        """Whether Phoenix answers right over a table that is not its own. A column IS NULL only where its family has other cells, and
        conditions on a descending VARCHAR or DECIMAL take its end for a part of it."""
        descending = any(descending and kind in ("VARCHAR", "DECIMAL(10,2)") for _, kind, descending in self.keys)
        return not (self.salted or self.default or "F." in self.families or descending)

    def has_phoenix_cells(self):
        """Whether klip stores a table of its own as Phoenix does. It stores defaults, and its marker of rows is in the default family
        if any column is."""
        families = [family for family, _, _ in self.cells]
        return self.encoded > 0 and not self.default and (families[0] == "" or "" not in families)

    def literal(self, kind, null=0.0):
        return "NULL" if self.chance.random() < null else TYPES[kind](self.chance)

    def key_literal(self, kind, descending):
        """Phoenix cannot read back a negative DECIMAL in a descending key: -1.5 becomes -102.5404."""
        value = self.literal(kind)
        return value.lstrip("-") if descending and kind.startswith("DECIMAL") else value

    def upsert(self, name):
        cells = [cell for cell in self.cells if self.chance.random() < 0.7]
        names = [key for key, _, _ in self.keys] + [family + cell for family, cell, _ in cells]
        values = [self.key_literal(kind, descending) for _, kind, descending in self.keys] + [self.literal(kind, 0.25) for _, _, kind in cells]
        return f"UPSERT INTO {name} ({', '.join(names)}) VALUES ({', '.join(values)})"

    def equal(self, key):
        return f"{key[0]} = {self.literal(key[1])}"

    def delete(self, name):
        return f"DELETE FROM {name} WHERE {self.equal(self.keys[0])}"

    def condition(self):
        kinds = [(name, kind) for name, kind, _ in self.keys]
        kinds += [(family + name, kind) for family, name, kind in self.cells if not kind.endswith("ARRAY")]
        name, kind = self.chance.choice(kinds)
        # Phoenix takes a NULL in a column with a default for a value.
        operation = "=" if kind == "BOOLEAN" or name == self.default else self.chance.choice(["=", "=", "<", ">=", "IN", "IS"])
        if operation == "IS":
            return f"{name} IS {self.chance.choice(['NULL', 'NOT NULL'])}"
        if operation == "IN":
            return f"{name} IN ({self.literal(kind)}, {self.literal(kind)})"
        return f"{name} {operation} {self.literal(kind)}"

    def queries(self, name, ordered):
        order = " ORDER BY " + ", ".join(key for key, _, _ in self.keys) if ordered or self.salted else ""
        yield f"SELECT * FROM {name}{order}"
        yield f"SELECT COUNT(*) FROM {name}"
        point = " AND ".join(self.equal(key) for key in self.keys)
        yield f"SELECT * FROM {name} WHERE {point}"
        for _ in range(6):
            yield f"SELECT * FROM {name} WHERE {self.condition()}{order}"
        yield f"SELECT COUNT(*) FROM {name} WHERE {self.condition()} AND {self.condition()}"


def main():
    seed, tables, directory = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    chance = random.Random(seed)
    scripts = {name: [] for name in ("create", "write", "map", "read")}
    for number in range(tables):
        table = Table(chance)
        scripts["create"] += [table.create(f"R{number}"), table.create(f"K{number}")]
        klips = ["K"]
        if table.has_phoenix_cells():
            klips.append("E")
            scripts["write"].append(table.create(f"E{number}"))
        for at in range(chance.randint(5, 15)):
            statement = table.delete("{}") if at % 6 == 5 else table.upsert("{}")
            scripts["create"].append(statement.format(f"R{number}"))
            scripts["write"] += [statement.format(f"{name}{number}") for name in klips]
        scripts["create"].append(f"CREATE VIEW V{number} AS SELECT * FROM R{number} WHERE {table.equal(table.keys[0])}")
        for name in (f"R{number}", f"V{number}", f"K{number}"):
            scripts["read"] += table.queries(name, ordered=name.startswith("V"))
        if table.can_be_mapped():
            scripts["write"].append(f"CREATE TABLE C{number} {table.columns()}")
            scripts["write"] += [table.upsert(f"C{number}") for _ in range(8)]
            scripts["map"].append(f"CREATE VIEW C{number} {table.columns(OWN_FAMILY)}")
            scripts["read"] += table.queries(f"C{number}", ordered=False)
    for name, statements in scripts.items():
        (directory / f"{name}.test").write_text("".join(statement + "\n\n" for statement in statements))


main()
