#!/usr/bin/env python3
"""Soak: klip serve for hours under clients of the Python package, with changes of tables, snapshots, splits, backups, greedy readers, a disk
that fills up, restarts and kill -9. Nothing that was acknowledged may be lost, and in the server's last life, which is half of the time, memory,
files, threads and latency must not grow. Every five seconds they go into WORK/soak.csv.

  soak.py KLIP WORK HOURS [SEED]      WORK is made, and removed first; as root it is a file system of its own, which can be full
"""
import csv
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time

import klip

MB = 1 << 20
DISK_MB = 3000
MEMORY_LIMIT_MB = 256
WRITERS = 3
ROWS = 2000          # of a writer
SAMPLE_S = 5
LIFE_S = 60          # between two ends of the server, in the first half
FULL_EVERY_S = 120
PAUSE_S = 0.005       # of clients of small rows: the server is busy, and has time for all


class Server:
    """klip serve on one port, which may be killed and started again."""

    def __init__(self, program, work):
        self.program, self.store, self.log = program, work + '/store', open(work + '/serve.log', 'ab')
        self.process, self.port, self.lives = None, 0, 0

    def start(self):
        command = [self.program, 'serve', self.store, '--rpc-port', str(self.port), '--zk-port', '0',
                   '--memory-limit', '%dMB' % MEMORY_LIMIT_MB]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        if not line.startswith('ready '):
            raise RuntimeError('klip serve did not start: %r' % line)
        self.port = int(line.split('rpc=')[1].split()[0].rsplit(':', 1)[1])
        self.lives += 1

    def end(self, how):
        self.process.send_signal(how)
        code = self.process.wait(timeout=120)
        if how == signal.SIGTERM and code != 0:
            raise RuntimeError('klip serve ended with %d' % code)

    def sizes(self):
        """Resident MB, file descriptors, threads."""
        pid = self.process.pid
        with open('/proc/%d/status' % pid, encoding='ascii') as status:
            fields = dict(line.split(':', 1) for line in status)
        return int(fields['VmRSS'].split()[0]) / 1024, len(os.listdir('/proc/%d/fd' % pid)), int(fields['Threads'])


class Soak:
    def __init__(self, program, work, seconds, seed):
        self.program, self.work, self.seconds, self.seed = program, work, seconds, seed
        self.server = Server(program, work)
        self.stopping = threading.Event()
        self.counts, self.latencies_ms, self.wrong = {}, [], []
        self.mutex = threading.Lock()
        self.known = [{} for _ in range(WRITERS)]      # row to the value that was acknowledged; None: deleted
        self.unknown = [{} for _ in range(WRITERS)]    # row to the values of writes that failed since
        self.rows = []                                 # of the CSV

    # --- What clients share ---

    def connect(self):
        return klip.connect('hbase+rpc://127.0.0.1:%d' % self.server.port, rpc_timeout_ms=10000, operation_timeout_ms=20000)

    def count(self, what, since=None):
        with self.mutex:
            self.counts[what] = self.counts.get(what, 0) + 1
            if since is not None:
                self.latencies_ms.append((time.monotonic() - since) * 1000)

    def run_client(self, name, step, number):
        """Calls `step` until the end, each time on a connection that works. The server may be down, the disk full."""
        random_ = random.Random('%s %s %d' % (self.seed, name, number))
        while not self.stopping.is_set():
            try:
                with self.connect() as connection:
                    while not self.stopping.is_set():
                        try:
                            step(connection, random_, number)
                        except klip.Error:
                            self.count('refused ' + name)
                            time.sleep(0.2)
            except klip.Error:
                time.sleep(0.5)
            except Exception as error:  # pylint: disable=broad-except
                self.wrong.append('%s: %r' % (name, error))
                return

    # --- The clients ---

    def write(self, connection, random_, number):
        table, known, unknown = connection.table('t'), self.known[number], self.unknown[number]
        row = 'w%d-%05d' % (number, random_.randrange(ROWS))
        value = None if random_.random() < 0.05 else b'%d' % random_.randrange(1 << 30) * random_.randrange(1, 40)
        unknown.setdefault(row, []).append(value)
        since = time.monotonic()
        if value is None:
            table.delete(row)
        else:
            table.put(row, {'f:a': value, 'g:b': value})
        known[row] = value
        del unknown[row]
        self.count('writes', since)
        time.sleep(PAUSE_S)

    def read(self, connection, random_, _number):
        table = connection.table('t')
        since = time.monotonic()
        if random_.random() < 0.9:
            row = table.row('w%d-%05d' % (random_.randrange(WRITERS), random_.randrange(ROWS)))
            self.check_whole(row)
        else:
            for _, row in table.scan(row_prefix='w%d-0' % random_.randrange(WRITERS), limit=200):
                self.check_whole(row)
        self.count('reads', since)
        time.sleep(PAUSE_S)

    def check_whole(self, row):
        if row.get(b'f:a') != row.get(b'g:b'):
            self.wrong.append('a torn row: %r' % row)

    def change_tables(self, connection, random_, _number):
        name = 'ddl%d' % random_.randrange(4)
        if name in connection.tables():
            connection.delete_table(name, disable=True)
        else:
            connection.create_table(name, ['f'], splits=['h', 'p'])
            connection.table(name).put('r', {'f:q': '1'})
            connection.flush(name)
        families = connection.families('t')
        if 'x' in families:
            connection.delete_family('t', 'x')
        else:
            connection.add_family('t', 'x')
        self.count('changes of tables')
        time.sleep(2)

    def administer(self, connection, random_, _number):
        for snapshot in connection.snapshots():
            connection.delete_snapshot(snapshot['name'])
        if 'copy' in connection.tables():
            connection.delete_table('copy', disable=True)
        connection.snapshot('s', 't')
        connection.clone_snapshot('s', 'copy')
        if len(connection.regions('t')) < 12:
            connection.split_table('t', 'w%d-%05d' % (random_.randrange(WRITERS), random_.randrange(ROWS)))
        else:
            first, second = [region['encoded_name'] for region in connection.regions('t')[:2]]
            connection.merge_regions(first, second)
        connection.compact_table('t', major=random_.random() < 0.3)
        self.count('snapshots, clones, splits')
        time.sleep(3)

    def be_greedy(self, connection, random_, number):
        table = connection.table('large')
        if random_.random() < 0.1:
            table.put('r%d' % random_.randrange(20), {'f:q%d' % number: os.urandom(3 * MB)})
        else:
            for _ in table.scan():
                pass
        self.count('large reads and writes')
        time.sleep(0.5)

    def back_up(self):
        backups = self.work + '/backups'
        while not self.stopping.wait(20):
            made = self.command('backup', 'create', backups, '--of', self.server.store)
            self.count('backups' if made.returncode == 0 else 'refused backups')
            if self.counts.get('backups', 0) % 4 == 3 and made.returncode == 0:
                checked = self.command('backup', 'verify', backups)
                if checked.returncode != 0:
                    self.wrong.append('a backup: ' + checked.stderr)
                shutil.rmtree(backups)

    def command(self, *arguments):
        return subprocess.run([self.program, *arguments], capture_output=True, text=True, check=False)

    # --- What happens to the server ---

    def fill_disk(self):
        ballast = self.work + '/ballast'
        try:
            with open(ballast, 'wb', buffering=0) as file:
                while True:
                    file.write(bytes(MB))
        except OSError:
            pass
        time.sleep(3)
        os.remove(ballast)
        self.count('full disks')

    def sample(self, start):
        while not self.stopping.wait(SAMPLE_S):
            with self.mutex:
                latencies, self.latencies_ms = sorted(self.latencies_ms), []
            try:
                memory, files, threads = self.server.sizes()
            except (OSError, KeyError, ValueError):
                continue  # between two lives
            p99 = latencies[len(latencies) * 99 // 100] if latencies else 0
            self.rows.append({'s': round(time.monotonic() - start), 'life': self.server.lives, 'rss_mb': round(memory),
                              'files': files, 'threads': threads, 'operations': len(latencies), 'p99_ms': round(p99, 1)})

    def check(self):
        """That every row is what was acknowledged, or what a write that failed since may have made of it."""
        checked = 0
        with self.connect() as connection:
            table = connection.table('t')
            for number in range(WRITERS):
                found = {key.decode(): row.get(b'f:a') for key, row in table.scan(row_prefix='w%d-' % number)}
                known, unknown = dict(self.known[number]), dict(self.unknown[number])
                for row in set(found) | set(known):
                    allowed = [known.get(row)] + unknown.get(row, [])
                    if found.get(row) not in allowed:
                        self.wrong.append('row %s: %r, not %r' % (row, found.get(row), allowed))
                    checked += 1
        self.counts['rows checked'] = self.counts.get('rows checked', 0) + checked

    def live(self, seconds, can_fill):
        """One life under load, until which all clients have ended."""
        self.stopping.clear()
        clients = [(self.write, n) for n in range(WRITERS)] + [(self.read, n) for n in range(2)]
        clients += [(self.change_tables, 0), (self.administer, 0)] + [(self.be_greedy, n) for n in range(3)]
        threads = [threading.Thread(target=self.run_client, args=(step.__name__, step, n)) for step, n in clients]
        threads.append(threading.Thread(target=self.back_up))
        threads.append(threading.Thread(target=self.sample, args=(self.start,)))
        for thread in threads:
            thread.start()
        end = time.monotonic() + seconds
        next_full = time.monotonic() + min(FULL_EVERY_S, seconds / 3)
        while time.monotonic() < end and not self.wrong:
            time.sleep(0.5)
            if can_fill and time.monotonic() > next_full:
                self.fill_disk()
                next_full = time.monotonic() + FULL_EVERY_S
        return threads

    def join(self, threads):
        self.stopping.set()
        for thread in threads:
            thread.join()

    def run(self, can_fill):
        self.start = time.monotonic()
        self.server.start()
        with self.connect() as connection:
            connection.create_table('t', ['f', 'g'])
            connection.create_table('large', ['f'])
        random_ = random.Random(self.seed)
        while time.monotonic() - self.start < self.seconds / 2 and not self.wrong:
            threads = self.live(min(LIFE_S, self.seconds / 4), can_fill)
            how = random_.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM])
            self.server.end(how)  # under load
            self.count('kills' if how == signal.SIGKILL else 'restarts')
            self.stopping.set()
            self.server.start()
            self.join(threads)
            self.check()
        if not self.wrong:
            self.join(self.live(self.seconds - (time.monotonic() - self.start), can_fill))
            self.check()
        self.server.end(signal.SIGTERM)
        said = self.command('doctor', self.server.store, '--deep', '--port', '1').stdout
        self.wrong += [line for line in said.splitlines() if line.startswith('FAIL')]

    # --- The report ---

    def drift(self):
        """Of the last life, medians of its second and its last fifth, and whether they differ too much."""
        life = [row for row in self.rows if row['life'] == self.server.lives]
        fifth = len(life) // 5
        lines = []
        for column, factor, more in (('rss_mb', 1.15, 10), ('files', 1.2, 20), ('threads', 1.1, 3), ('p99_ms', 2, 50)):
            if fifth < 3:
                return ['too short to judge drift']
            early = statistics.median(row[column] for row in life[fifth:2 * fifth])
            late = statistics.median(row[column] for row in life[-fifth:])
            grows = late > early * factor and late > early + more
            lines.append('| %s | %g | %g | %s |' % (column, early, late, 'GROWS' if grows else 'steady'))
            if grows:
                self.wrong.append('%s grows from %g to %g' % (column, early, late))
        return ['| in the last life | early | late | |', '|---|---|---|---|'] + lines

    def report(self):
        with open(self.work + '/soak.csv', 'w', newline='', encoding='ascii') as file:
            writer = csv.DictWriter(file, self.rows[0].keys() if self.rows else ['s'])
            writer.writeheader()
            writer.writerows(self.rows)
        lines = self.drift()
        print('%d s, seed %s, %d lives: %s' % (self.seconds, self.seed, self.server.lives,
                                               ', '.join('%d %s' % (n, what) for what, n in sorted(self.counts.items()))))
        print('\n'.join(lines))
        print('most memory: %d MB of %d' % (max((row['rss_mb'] for row in self.rows), default=0), MEMORY_LIMIT_MB))
        for what in self.wrong[:20]:
            print('WRONG: ' + what)


def main():
    program, work, hours = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), float(sys.argv[3])
    seed = sys.argv[4] if len(sys.argv) > 4 else str(time.time_ns())
    subprocess.run(['umount', work], stderr=subprocess.DEVNULL, check=False)
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    can_fill = subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=%dm' % DISK_MB, 'tmpfs', work],
                              stderr=subprocess.DEVNULL, check=False).returncode == 0
    if not can_fill:
        print('no file system of its own: the disk is never full')
    soak = Soak(program, work, hours * 3600, seed)
    try:
        soak.run(can_fill)
        soak.report()
    finally:
        if soak.server.process.poll() is None:
            soak.server.process.kill()
        if can_fill:
            shutil.copy(work + '/soak.csv', work + '.csv')
            soak.server.log.close()
            subprocess.run(['umount', '-l', work], check=False)
    return bool(soak.wrong)


if __name__ == '__main__':
    sys.exit(main())
