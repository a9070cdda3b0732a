#!/usr/bin/env python3
"""Repeatedly flips a bit in each file of a store, or truncates it, and prints whether klip detects the damage: by `klip doctor --deep`, when
opening, or in a scan. Fails if klip aborts, or if a scan returns wrong rows without an error.

  flips.py KLIP DIRECTORY [CASES_PER_FILE [SEED]]     default 10, 7; DIRECTORY is emptied first
"""
import collections
import os
import random
import shutil
import subprocess
import sys


def run(klip, *args, given=None):
    done = subprocess.run([klip, *args], input=given, capture_output=True, text=True, errors='replace', timeout=60, check=False)
    return done.returncode, done.stdout


def make(klip, store):
    run(klip, 'create', store, 't', '--family', 'd', '--family', 'e')
    for batch in range(3):
        rows = ''.join('r%d%04d,%s,%d\n' % (batch, i, 'x' * 200, i) for i in range(200))
        run(klip, 'import', store, 't', '--format', 'csv', '--columns', 'row,d:a,e:b', given=rows)
        if batch < 2:
            run(klip, 'compact', store, 't')
    run(klip, 'snapshot', store, 't', 's')
    for i in range(20):
        run(klip, 'put', store, 't', 'z%d' % i, 'd:a=last')


def damage(path, flip):
    at = random.randrange(os.path.getsize(path))
    with open(path, 'r+b') as file:
        if flip:
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ 1 << random.randrange(8)]))
        else:
            file.truncate(at)
    return at


def kind_of(path):
    name = os.path.basename(path)
    kind = 'table' if name.endswith('.sst') else 'log' if name.endswith('.log') else name.split('-')[0]
    return 'snapshot ' + kind if path.startswith('snapshots') else kind


def judge(klip, store, want):
    checked, said = run(klip, 'doctor', store, '--deep', '--port', '1')
    code, got = run(klip, 'scan', store, 't', '--csv')
    if code < 0 or checked < 0:
        return 'ABORT'
    if code != 0:
        return 'refused'
    told = 'FAIL' in said
    if got != want:
        return 'wrong, told by doctor' if told else 'SILENT'
    return 'right, told by doctor' if told else 'right'


def main():
    klip, work = os.path.abspath(sys.argv[1]), sys.argv[2]
    cases = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    random.seed(int(sys.argv[4]) if len(sys.argv) > 4 else 7)
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    store, copy = work + '/store', work + '/copy'
    make(klip, store)
    want = run(klip, 'scan', store, 't', '--csv')[1]
    files = sorted(os.path.relpath(os.path.join(folder, name), store) for folder, _, names in os.walk(store) for name in names)
    table = collections.defaultdict(collections.Counter)
    for path in files:
        if 'LOCK' in path or path.startswith('LOG') or os.path.getsize(store + '/' + path) == 0:
            continue
        for case in range(cases):
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(store, copy)
            at = damage(copy + '/' + path, case % 2 == 0)
            verdict = judge(klip, copy, want)
            table[kind_of(path)][verdict] += 1
            if verdict[0] != 'r':
                print('%s, byte %d: %s' % (path, at, verdict), flush=True)
    for kind, verdicts in sorted(table.items()):
        print('| %s | %s |' % (kind, ', '.join('%d %s' % (count, verdict) for verdict, count in verdicts.items())))
    return any(counts['ABORT'] + counts['SILENT'] for counts in table.values())


if __name__ == '__main__':
    sys.exit(main())
