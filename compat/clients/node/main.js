// Calls of an application through npm hbase-rpc-client, printed line by line. The output must be equal on klip and on
// HBase.
//
//   main.js HOST:PORT TABLE    of the ZooKeeper; a table with families f (3 versions) and g, split at h and p
'use strict';

const { promisify } = require('util');
const hbase = require('hbase-rpc-client');

const [quorum, table] = process.argv.slice(2);
const client = hbase({ zookeeperHosts: [quorum], zookeeperRoot: '/hbase', callTimeout: 30000 });
client.on('error', (error) => console.log('client error', String(error)));

const call = (name, ...args) => promisify(client[name].bind(client))(table, ...args);
const text = (bytes) => JSON.stringify(Buffer.from(bytes).toString('latin1'));

function show(row) {
  if (!row || !row.row) {
    console.log('  (none)');
    return;
  }
  for (const cell of row.columns) {
    const at = Number(cell.timestamp);
    console.log(`  ${text(row.row)} ${text(cell.family)}:${text(cell.qualifier)}${at < 1000000 ? `@${at}` : ''}=${text(cell.value)}`);
  }
}

async function attempt(what, work) {
  try {
    const result = await work();
    console.log(what, result === undefined ? 'ok' : JSON.stringify(result));
  } catch (error) {
    console.log(what, (error && error.exceptionClassName) || `failed: ${error}`);
  }
}

async function get(row, prepare = () => {}) {
  const wanted = new hbase.Get(row);
  prepare(wanted);
  console.log('get', row);
  await attempt('  done', async () => show(await call('get', wanted)));
}

async function scan(what, from, to, prepare = () => {}) {
  const scanner = client.getScanner(table, from, to);
  console.log('scan', what);
  await attempt('  done', async () => {
    prepare(scanner);
    for (const row of await promisify(scanner.toArray.bind(scanner))()) show(row);
  });
}

async function write() {
  for (const [i, row] of ['alice', 'bob', 'harry', 'mary', 'peter', 'zoe'].entries()) {
    const put = new hbase.Put(row);
    put.add('f', 'q', `v${row}`, 10 + i);
    put.add('g', 'x', Buffer.from([0xff, 0, i]), 10 + i);
    await attempt(`put ${row}`, async () => (await call('put', put)).processed);
  }
  for (let at = 20; at < 25; ++at) {
    const put = new hbase.Put('bob');
    put.add('f', 'q', `bob${at}`, at);
    await call('put', put);
  }
  const puts = [];
  for (let i = 0; i < 300; ++i) {
    const put = new hbase.Put(`row${String(i).padStart(4, '0')}`);
    put.add('f', 'q', 'x'.repeat(i % 50), 5);
    puts.push(put);
  }
  await attempt('mput', async () => (await call('mput', puts)).length);
}

async function read() {
  await get('alice');
  await get('nobody');
  await get('bob', (g) => g.setMaxVersions(10));
  await get('bob', (g) => { g.setMaxVersions(10); g.setTimeRange(21, 23); });
  await get('bob', (g) => g.addColumn('g', 'x'));
  console.log('mget');
  await attempt('  done', async () => (await call('mget', ['alice', 'nobody', 'zoe'])).forEach(show));
  await scan('range over regions', 'bob', 'peter');
  // This client sometimes closes longer ones itself: it reads a missing ttl as 0.
  const scanner = client.getScanner(table, 'row', 'row0150');
  let rows = 0;
  let bytes = 0;
  await attempt('each', () => promisify(scanner.each.bind(scanner))((error, row, done) => {
    rows += 1;
    bytes += row.columns[0].value.length;
    done();
  }));
  console.log('rows', rows, 'bytes', bytes);
}

async function filters() {
  const binary = (value) => ({ binaryComparator: { comparable: { value: Buffer.from(value) } } });
  const single = (value) => ({
    singleColumnValueFilter: {
      columnFamily: 'f',
      columnQualifier: 'q',
      compareOp: 'EQUAL',
      comparator: { substringComparator: { substr: value } },
      filterIfMissing: true,
      latestVersionOnly: true,
    },
  });
  await scan('prefix', 'a', 'row0', (s) => s.setFilter({ prefixFilter: { prefix: Buffer.from('ma') } }));
  await scan('column prefix', 'a', 'row0', (s) => s.setFilter({ columnPrefixFilter: { prefix: Buffer.from('x') } }));
  await scan('single column', 'a', 'row0', (s) => s.setFilter(single('ar')));
  await scan('row filter', 'a', 'row0', (s) => s.setFilter({ rowFilter: { compareFilter: { compareOp: 'LESS', comparator: binary('c') } } }));
  await scan('value filter', 'a', 'row0', (s) => s.setFilter({ valueFilter: { compareFilter: { compareOp: 'NOT_EQUAL', comparator: binary('vmary') } } }));
  await scan('page', 'a', 'row0', (s) => s.setFilter({ pageFilter: { pageSize: 1 } }));
  await scan('first key', 'a', 'row0', (s) => s.setFilter({ firstKeyOnlyFilter: {} }));
  await scan('key only', 'a', 'row0', (s) => s.setFilter({ keyOnlyFilter: { lenAsVal: true } }));
  await scan('either', 'a', 'row0', (s) => {
    const list = new hbase.FilterList('MUST_PASS_ONE');
    const inner = new hbase.FilterList();
    inner.addFilter(single('ali'));
    list.addFilter(inner);
    list.addFilter(single('mary'));
    s.setFilter(list);
  });
}

async function change() {
  const put = (value, at) => {
    const one = new hbase.Put('mary');
    one.add('f', 'q', value, at);
    return one;
  };
  const processed = async (work) => (await work).processed;
  await attempt('check wrong', () => processed(call('checkAndPut', 'mary', 'f', 'q', 'other', put('no', 90))));
  await attempt('check right', () => processed(call('checkAndPut', 'mary', 'f', 'q', 'vmary', put('yes', 91))));
  await get('mary');
  const del = new hbase.Delete('mary');
  del.deleteColumns('f', 'q');
  await attempt('check and delete', () => processed(call('checkAndDelete', 'mary', 'f', 'q', 'yes', del)));
  await get('mary');
  await call('incrementColumnValue', 'counter', 'f', 'n', 5);
  await call('incrementColumnValue', 'counter', 'f', 'n', 7);
  await get('counter');

  const one = new hbase.Delete('bob');
  one.deleteColumn('f', 'q', 23);
  await call('delete', one);
  await get('bob', (g) => g.setMaxVersions(10));
  const family = new hbase.Delete('harry');
  family.deleteFamily('f');
  await call('delete', family);
  await get('harry');
  await call('delete', new hbase.Delete('peter'));
  await get('peter');
  await attempt('mdelete', async () => (await call('mdelete', ['alice', 'zoe'])).length);
  await get('zoe');
  const unknown = new hbase.Put('x');
  unknown.add('nope', 'q', 'v');
  await attempt('no such family', () => call('put', unknown));
}

(async () => {
  for (const part of [write, read, filters, change]) {
    console.log('==', part.name);
    await part();
  }
  process.exit(0);
})();
