// Each method that the npm package hbase documents, printed so that two servers can be compared: node main.js PORT
const hbase = require('hbase');

const client = hbase({host: '127.0.0.1', port: Number(process.argv[2])});
const NAME = 'compat_rest';
const table = client.table(NAME);

// The arguments of its callback: an error's code, or the answer.
const call = (object, method, ...args) => new Promise((resolve) => {
  object[method](...args, (error, data) => resolve(error ? `error ${error.code}` : data));
});
const now = (cells) => Array.isArray(cells)
  ? cells.map((cell) => ({...cell, timestamp: Number(cell.timestamp) > 1e6 ? 'now' : Number(cell.timestamp)})) : cells;
const print = (...values) => console.log(...values.map((value) => JSON.stringify(value)));

const scan = (options) => new Promise((resolve) => {
  const rows = [];
  const scanner = table.scan(options);
  scanner.on('readable', () => {
    let cell;
    while ((cell = scanner.read())) rows.push(cell);
  });
  scanner.on('error', (error) => resolve(`error ${error.code}`));
  scanner.on('end', () => resolve(now(rows)));
});

async function main() {
  if (await call(table, 'exists')) await call(table, 'delete');

  print('client', Object.keys(await call(client, 'version')).includes('REST'), Object.keys(await call(client, 'version_cluster')),
    (await call(client, 'status_cluster')).DeadNodes);
  print(await call(table, 'exists'), await call(table, 'schema'), await call(table, 'regions'));
  print(await call(table, 'create', {ColumnSchema: [{name: 'f', VERSIONS: 3}, {name: 'g', COMPRESSION: 'GZ'}]}));
  print(await call(table, 'exists'), (await call(client, 'tables')).some((one) => one.name === NAME));
  const schema = async () => (await call(table, 'schema')).ColumnSchema.map((family) => [
    family.name, family.VERSIONS, family.TTL, family.BLOOMFILTER, family.COMPRESSION, family.IN_MEMORY, family.BLOCKCACHE,
    family.BLOCKSIZE, family.MIN_VERSIONS, family.REPLICATION_SCOPE, family.KEEP_DELETED_CELLS]);
  print(await schema());
  print(await call(table, 'update', {ColumnSchema: [{name: 'h'}, {name: 'g', TTL: '1000'}]}), await schema());
  const regions = (await call(table, 'regions'));
  print(regions.name, regions.Region.length, regions.Region[0].startKey, regions.Region[0].endKey);

  print('rows');
  const row = (key) => table.row(key);
  print(await call(row('r1'), 'put', 'f:a', 'v1'), await call(row('r1'), 'put', ['f:b', 'g:c'], ['v2', 'v3']));
  print(await call(row('r1'), 'put', ['f:a', 'f:t'], ['old', 'v4'], [100, 200]));
  print(await call(row('r2'), 'put', [{column: 'f:a', timestamp: 5, $: 'x'}, {column: 'f:', $: 'empty'}]));
  print(await call(row(), 'put', [{key: 'r3', column: 'f:a', $: '1'}, {key: 'r4', column: 'f:a', $: '2'}, {key: 'r/5 %', column: 'f:ü', $: 'ö'}]));
  print(now(await call(row('r1'), 'get')), now(await call(row('r1'), 'get', 'f:b')), now(await call(row('r1'), 'get', 'f')));
  print(now(await call(row('r1'), 'get', ['f:a', 'g:c'])), now(await call(row('r1'), 'get', 'f:a', {v: 3})));
  print(now(await call(row('r1'), 'get', 'f:a', {start: 50, end: 150})), now(await call(row('r1'), 'get', 'f:a', {end: 101})));
  print(now(await call(row('r*'), 'get')), now(await call(row('r*'), 'get', 'f:a')), now(await call(row('z*'), 'get')));
  print(await call(row('none'), 'get'), await call(row('r1'), 'get', 'f:none'), await call(row('r1'), 'get', 'nofamily:x'));
  print(await call(row('r1'), 'exists'), await call(row('none'), 'exists'), await call(row('r1'), 'exists', 'f:a'), await call(row('r1'), 'exists', 'f:none'));
  print(await call(client.table('not_there').row('r'), 'get'));
  print(await call(row('r1'), 'delete', 'f:b'), await call(row('r1'), 'delete', ['f:t', 'g']), now(await call(row('r1'), 'get')));
  print(await call(row('r1'), 'delete'), await call(row('r1'), 'get'));

  print('scans');
  const cells = [];
  for (let i = 100; i < 400; ++i) cells.push({key: `s${i}`, column: 'f:n', $: `${i}`}, {key: `s${i}`, column: 'g:m', $: `${i % 7}`});
  print(await call(row(), 'put', cells));
  const keys = async (options) => {
    const found = await scan(options);
    return Array.isArray(found) ? [found.length, found[0] && found[0].key, found.length && found[found.length - 1].key] : found;
  };
  print(await keys({}), await keys({startRow: 's200'}), await keys({startRow: 's200', endRow: 's210'}), await keys({batch: 1, startRow: 's390'}));
  print(await keys({column: 'f:n', startRow: 's'}), await keys({column: ['f', 'g:m'], startRow: 's395'}), await scan({startRow: 's398'}));
  print(await keys({endTime: 6}), await scan({startTime: 1, endTime: 6, maxVersions: 3}));
  const equals = {op: 'EQUAL', type: 'SingleColumnValueFilter', family: Buffer.from('g').toString('base64'), qualifier: Buffer.from('m').toString('base64'),
    latestVersion: true, ifMissing: true, comparator: {value: '3', type: 'BinaryComparator'}};
  const filters = [
    {type: 'PrefixFilter', value: 's25'},
    {op: 'EQUAL', type: 'RowFilter', comparator: {value: 's(1|3)00', type: 'RegexStringComparator'}},
    {op: 'EQUAL', type: 'QualifierFilter', comparator: {value: 'n', type: 'BinaryComparator'}},
    {op: 'EQUAL', type: 'ValueFilter', comparator: {value: '39', type: 'BinaryPrefixComparator'}},
    {type: 'FirstKeyOnlyFilter'}, {type: 'KeyOnlyFilter'}, {type: 'PageFilter', value: '3'}, {type: 'ColumnPrefixFilter', value: 'm'},
    {type: 'InclusiveStopFilter', value: 's101'}, {type: 'ColumnPaginationFilter', limit: '1', offset: '1'}, equals,
    {op: 'MUST_PASS_ALL', type: 'FilterList', filters: [{type: 'PrefixFilter', value: 's3'}, equals]},
    {op: 'MUST_PASS_ONE', type: 'FilterList', filters: [{op: 'EQUAL', type: 'RowFilter', comparator: {value: 's100', type: 'BinaryComparator'}},
      {op: 'GREATER_OR_EQUAL', type: 'RowFilter', comparator: {value: 's399', type: 'BinaryComparator'}}]},
  ];
  for (const filter of filters) print(filter.type, await keys({startRow: 's', filter: JSON.parse(JSON.stringify(filter))}));

  const scanner = table.scan({startRow: 's399', batch: 1});
  print(typeof await call(scanner, 'init'), now(await call(scanner, 'get')), now(await call(scanner, 'get')), await call(scanner, 'get'));
  print(await call(scanner, 'delete'), await call(scanner, 'get'));

  print(await call(table, 'delete'), await call(table, 'exists'), await call(table, 'delete'));
}

main();
