#!/usr/bin/env python3
"""Repeatedly flips a bit in each file of a store, an export and a backup, or truncates it, and prints whether klip detects the damage: of a
store by `klip doctor --deep`, when opening, or in a scan; of an export by `klip import`; of a backup by `klip backup verify`. Fails if klip
aborts, or returns wrong rows without an error.

  flips.py KLIP DIRECTORY [CASES_PER_FILE [SEED]]     default 10, 7; DIRECTORY is emptied first; klip-shell is beside KLIP
"""
import collections
import os
import random
import shutil
import subprocess
import sys

# Replication to a cluster that does not exist keeps all logs; NEW_VERSION_BEHAVIOR needs the file SEQUENCE.
SERVED = """
add_peer 'away', CLUSTER_KEY => '127.0.0.1:1:/hbase'
create 'n', {NAME => 'd', NEW_VERSION_BEHAVIOR => true, REPLICATION_SCOPE => 1}
put 'n', 'r', 'd:a', 'v'
"""


def run(klip, *args, given=None):
    done = subprocess.run([klip, *args], input=given, capture_output=True, text=True, errors='replace', timeout=60, check=False)
    return done.returncode, done.stdout


def must(klip, *args, given=None):
    code, said = run(klip, *args, given=given)
    if code != 0:
        sys.exit('klip %s failed: %s' % (' '.join(args), said))
    return said


def serve_for_a_while(klip, store, work):
    script = work + '/served.rb'
    with open(script, 'w', encoding='utf-8') as file:
        file.write(SERVED)
    with subprocess.Popen([klip, 'serve', store, '--rpc-port', '0', '--zk-port', '0', '--http-port', '0'], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as server:
        try:
            ready = dict(word.split('=', 1) for word in server.stdout.readline().split()[1:])
            said = must(klip, 'shell', '-n', 'hbase+zk://' + ready['zookeeper'], script)
            if 'ERROR' in said:
                sys.exit(said)
        finally:
            server.terminate()


def make(klip, work):
    """Makes all three; returns the name of each, its judge and the rows that it must return."""
    store = work + '/store'
    must(klip, 'create', store, 't', '--family', 'd', '--family', 'e')
    must(klip, 'backup', 'create', work + '/backup', '--of', store, '--keep-logs')
    for batch in range(3):
        rows = ''.join('r%d%04d,%s,%d\n' % (batch, i, 'x' * 200, i) for i in range(200))
        must(klip, 'import', store, 't', '--format', 'csv', '--columns', 'row,d:a,e:b', given=rows)
        if batch < 2:
            must(klip, 'compact', store, 't')
    must(klip, 'snapshot', store, 't', 's')
    serve_for_a_while(klip, store, work)
    for i in range(20):
        must(klip, 'put', store, 't', 'z%d' % i, 'd:a=last')
    must(klip, 'backup', 'create', work + '/backup', '--of', store)
    backed_up = must(klip, 'scan', store, 't', '--csv')
    must(klip, 'put', store, 't', 'z', 'd:a=the next backup collects its log from archive')
    must(klip, 'compact', store, 't')
    must(klip, 'put', store, 't', 'z0', 'd:a=newer')
    must(klip, 'export', store, 't', work + '/export')
    now = must(klip, 'scan', store, 't', '--csv')
    return (('store', judge_store, now), ('export', judge_export, now), ('backup', judge_backup, backed_up))


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
    """The label of a file: its directory, if it is in one, and its name without numbers."""
    name = os.path.basename(path)
    kind = next((word for end, word in (('.sst', 'table'), ('.log', 'log'), ('.zst', 'part')) if name.endswith(end)), name.split('-')[0])
    if len(kind) == 64:
        kind = 'file'
    folders = [folder for folder in os.path.dirname(path).split('/') if not folder.isdigit()]
    return ' '.join(folders[:2] + [kind])


def verdict_of(code, rows, want, told):
    if code != 0:
        return 'refused'
    if rows != want:
        return 'wrong, reported' if told else 'SILENT'
    return 'right, reported' if told else 'right, not noticed'


def judge_store(klip, copy, want):
    checked, said = run(klip, 'doctor', copy, '--deep', '--port', '1')
    code, rows = run(klip, 'scan', copy, 't', '--csv')
    return 'ABORT' if min(checked, code) < 0 else verdict_of(code, rows, want, 'FAIL' in said)


def judge_export(klip, copy, want):
    new = copy + '.new'
    shutil.rmtree(new, ignore_errors=True)
    read, _ = run(klip, 'import', new, 't', copy)
    if read != 0:
        return 'ABORT' if read < 0 else 'refused'
    return verdict_of(*run(klip, 'scan', new, 't', '--csv'), want, False)


def judge_backup(klip, copy, want):
    new = copy + '.new'
    shutil.rmtree(new, ignore_errors=True)
    checked, _ = run(klip, 'backup', 'verify', copy)
    restored, _ = run(klip, 'backup', 'restore', copy, '--to', new)
    if min(checked, restored) < 0:
        return 'ABORT'
    if restored != 0:
        return 'refused' if checked != 0 else 'refused, verify passed'
    return verdict_of(*run(klip, 'scan', new, 't', '--csv'), want, checked != 0)


def main():
    klip, work = os.path.abspath(sys.argv[1]), sys.argv[2]
    cases = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    random.seed(int(sys.argv[4]) if len(sys.argv) > 4 else 7)
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    targets = make(klip, work)
    table = collections.defaultdict(collections.Counter)
    for name, judge, want in targets:
        whole, copy = work + '/' + name, work + '/copy'
        files = sorted(os.path.relpath(os.path.join(folder, file), whole) for folder, _, names in os.walk(whole) for file in names)
        for path in files:
            if 'LOCK' in path or path.startswith('LOG') or os.path.getsize(whole + '/' + path) == 0:
                continue
            for case in range(cases):
                shutil.rmtree(copy, ignore_errors=True)
                shutil.copytree(whole, copy)
                at = damage(copy + '/' + path, case % 2 == 0)
                verdict = judge(klip, copy, want)
                table[name + ': ' + kind_of(path)][verdict] += 1
                if verdict != 'refused' and verdict != 'right, reported':
                    print('%s/%s, byte %d, %s: %s' % (name, path, at, 'flip' if case % 2 == 0 else 'cut', verdict), flush=True)
    for kind, verdicts in sorted(table.items()):
        print('| %s | %s |' % (kind, ', '.join('%d %s' % (count, verdict) for verdict, count in verdicts.items())))
    return any(counts['ABORT'] + counts['SILENT'] for counts in table.values())


if __name__ == '__main__':
    sys.exit(main())
