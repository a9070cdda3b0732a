"""Runs sqllogictest's files with klip's SQL, and compares the results with SQLite's, which the files contain.

A file has records: `statement ok|error` with a statement, or `query TYPES [SORT] [LABEL]` with a query, `----` and one value a line, or
"N values hashing to MD5". TYPES has a letter for each column: I whole numbers, R numbers with three digits, T texts. SORT: rowsort sorts
rows, valuesort values. Records of `onlyif` another engine are left out.

Usage: run.py KLIP_SQL_SCRIPT WORK_DIRECTORY FILE...
"""

import hashlib
import subprocess
import sys
from decimal import Decimal
from pathlib import Path


class Record:
    def __init__(self, head, line):
        self.words = head.split()
        self.line = line
        self.sql = []
        self.expected = None

    def text(self):
        return " ".join(self.sql)


def read(path):
    records, record, skip = [], None, False
    for number, line in enumerate(path.read_text().splitlines() + [""], 1):
        if record is not None and line:
            if line == "----":
                record.expected = []
            elif record.expected is not None:
                record.expected.append(line)
            else:
                record.sql.append(line.strip())
        elif not line:
            if record is not None and not skip:
                records.append(record)
            if record is not None:
                record, skip = None, False
        elif line.startswith("onlyif"):
            skip = True
        elif line.startswith(("statement", "query")):
            record = Record(line, number)
    return records


def value_of(text, kind):
    if text == "null":
        return "NULL"
    if kind == "R":
        return f"{float(text):.3f}"
    return str(int(Decimal(text))) if kind == "I" else text or "(empty)"


def result_of(record, lines):
    kinds = record.words[1]
    rows = [[value_of(*one) for one in zip(line.split(" | "), kinds)] for line in lines[1:]]  # the first one: columns
    sort = record.words[2] if len(record.words) > 2 else "nosort"
    if sort == "rowsort":
        rows.sort()
    values = [value for row in rows for value in row]
    if sort == "valuesort":
        values.sort()
    if record.expected and len(record.expected) == 1 and " values hashing to " in record.expected[0]:
        digest = hashlib.md5("".join(value + "\n" for value in values).encode()).hexdigest()
        return [f"{len(values)} values hashing to {digest}"]
    return values


def failures(records, output):
    answers = [block.splitlines()[2:] for block in output.split("\n\n") if block]
    assert len(answers) == len(records), f"{len(answers)} answers, {len(records)} records"
    for record, lines in zip(records, answers):
        failed = bool(lines) and lines[0].startswith("error ")
        if record.words[0] == "statement":
            wrong = failed == (record.words[1] == "ok")
        else:
            wrong = failed or result_of(record, lines) != (record.expected or [])
        if wrong:
            yield record, lines


def main():
    script, work = sys.argv[1], Path(sys.argv[2])
    failing = 0
    for path in map(Path, sys.argv[3:]):
        records = read(path)
        statements = work / f"{path.stem}.test"
        statements.write_text("".join(record.text() + "\n\n" for record in records))
        run = subprocess.run([script, f"klip:{work / path.stem}", str(statements)], capture_output=True, text=True, check=False)
        failed = list(failures(records, run.stdout))
        failing += len(failed)
        print(f"sqllogic: {path.name}: {len(records)} records, {len(failed)} failed")
        for record, lines in failed[:5]:
            print(f"{path.name}:{record.line}: {record.text()}\n  {lines[:3]} instead of {(record.expected or [])[:3]}")
    sys.exit(failing > 0)


main()
