// The list of tables, and the details of one table.
import {address, bytes, call, count, grid, make} from './base.js';
import {createTable, mayChange, tableChanges} from './changes.js';

const kTablesMeasured = 100;  // more would take long on a cluster, where each is a call

/** @type {import('./main.js').Page} */
export async function tablesPage(place, {signal}) {
  const {tables, count: all} = await call('tables', {}, signal);
  place.append(make('h1', {}, 'Tables'));
  if (await mayChange()) place.append(createTable(() => dispatchEvent(new Event('hashchange'))));
  if (tables.length === 0) {
    place.append(make('p', {}, 'The store has no tables yet.'));
    return;
  }
  const measured =
      tables.map(() => ({rows: make('span', {}, '…'), size: make('span', {}, '…'), regions: make('span', {}, '…')}));
  place.append(grid(
      ['Table', '#Rows (est.)', '#Size', '#Regions', 'Families', 'Key'],
      tables.map(
          (/** @type {any} */ table, /** @type {number} */ at) =>
              [make('a', {href: address('table', table.name)}, table.name), measured[at].rows, measured[at].size,
               measured[at].regions, table.families.map((/** @type {any} */ family) => family.name).join(', '),
               make('span', {class: 'code'}, table.key)]),
      'Tables'));
  if (all > tables.length)
    place.append(make('p', {class: 'soft'}, `${count(all - tables.length)} more are not shown.`));
  for (let at = 0; at < tables.length && at < kTablesMeasured && !signal.aborted; ++at) {
    const {rows, size, regions} = measured[at];
    try {
      const table = await call('table', {table: tables[at].name}, signal);
      rows.textContent = table.enabled ? count(table.statistics.rows) : 'disabled';
      size.textContent = table.enabled ? bytes(table.statistics.disk_bytes + table.statistics.memory_bytes) : '';
      regions.textContent = count(table.regions.length);
    } catch (error) {
      rows.textContent = error instanceof Error ? error.message : '–';
    }
  }
}

/** @param {string} label @param {string} value */
function card(label, value) {
  return make('div', {class: 'card'}, make('b', {}, value), label);
}

/** @param {any} field */
function keyWords(field) {
  const words = [field.type];
  if (field.bytes > 0) words.push(`${field.bytes} bytes`);
  if (field.descending) words.push('descending');
  if (field.derived) words.push('computed');
  return words.join(', ');
}

/** @type {import('./main.js').Page} */
export async function tablePage(place, {table: name, signal}) {
  const table = await call('table', {table: name}, signal);
  const statistics = table.statistics;
  if (!table.enabled) place.append(make('p', {class: 'warn'}, 'The table is disabled.'));
  if (await mayChange()) {
    place.append(tableChanges(name, table, () => {
      dispatchEvent(new Event('hashchange'));
    }));
  }
  if (statistics) {
    place.append(
        make('h2', {}, 'Size'),
        make(
            'div', {class: 'cards'}, card('rows (estimated)', count(statistics.rows)),
            card('cells', count(statistics.cells)), card('on disk', bytes(statistics.disk_bytes)),
            card('in memory', bytes(statistics.memory_bytes)), card('delete markers', count(statistics.delete_markers)),
            card('sorted runs', count(statistics.sorted_runs))));
  }
  if (table.fields) {
    const values = make('div');
    place.append(make('h2', {}, 'Row key'), make('p', {class: 'code'}, table.key), keyGrid(table), values);
    // Only a store in a directory has samples of its keys.
    call('values', {table: name}, signal).then((told) => values.replaceChildren(valuesGrid(told.fields)), () => {});
  }
  place.append(
      make('h2', {}, 'Families'),
      grid(
          ['Family', '#Versions', 'TTL', 'Compression', '#Block', 'Replicated'],
          table.families.map(
              (/** @type {any} */ family) =>
                  [family.name, count(family.versions), family.ttl_s === null ? 'forever' : `${count(family.ttl_s)} s`,
                   family.compression, bytes(family.block_bytes), family.replicated ? 'yes' : 'no']),
          'Families'));
  if (table.indexes.length > 0) {
    place.append(
        make('h2', {}, 'Indexes'),
        grid(
            ['Index', 'On', ''],
            table.indexes.map(
                (/** @type {any} */ index) =>
                    [index.name, make('code', {}, index.on),
                     index.building     ? 'is being built' :
                         index.unusable ? 'is not used' :
                                          '']),
            'Indexes'));
  }
  if (table.coprocessors.length > 0) {
    place.append(
        make('h2', {}, 'Coprocessors'),
        make('ul', {}, ...table.coprocessors.map((/** @type {string} */ text) => make('li', {class: 'code'}, text))));
  }
  place.append(make('h2', {}, 'Regions'), regionsGrid(table.regions));
  const attributes = Object.entries(table.attributes);
  if (attributes.length > 0) {
    place.append(
        make('h2', {}, 'Attributes'),
        grid(
            ['Name', 'Value'], attributes.map(([key, value]) => [key, make('span', {class: 'code'}, String(value))]),
            'Attributes'));
  }
}

/** @param {any} table */
function keyGrid(table) {
  const known = new Map((table.statistics?.fields ?? []).map((/** @type {any} */ field) => [field.name, field]));
  return grid(
      ['Field', 'Type', '#Prefixes up to here', '#Values after one prefix'],
      table.fields.map((/** @type {any} */ field) => {
        const numbers = known.get(field.name);
        return [field.name || '(literal)', keyWords(field), count(numbers?.prefixes), count(numbers?.per_prefix)];
      }),
      'Fields of the row key');
}

/** @param {any[]} fields */
function valuesGrid(fields) {
  return make(
      'details', {},
      make('summary', {}, `Values, in a sample of ${count(Math.max(0, ...fields.map((field) => field.sampled)))} rows`),
      grid(
          ['Field', '#Values', 'Most common', 'Each tenth of the rows ends at'],
          fields.map(
              (field) =>
                  [field.name, count(field.values),
                   field.common.map((/** @type {any} */ one) => `${one.value} (${Math.round(one.share * 1000) / 10} %)`)
                       .join(', '),
                   field.tenths.join(' · ')]),
          'Values of the fields'));
}

/** @param {any[]} regions */
function regionsGrid(regions) {
  const most = Math.max(1, ...regions.map((region) => region.bytes));
  return grid(
      ['Start key', '#Size', '', '#Reads', '#Writes', 'Server'],
      regions.map(
          (region) =>
              [make('span', {class: 'code key'}, region.start || '(first row)'), bytes(region.bytes),
               make('meter', {min: 0, max: most, value: region.bytes, 'aria-label': 'share of the largest region'}),
               count(region.reads), count(region.writes), region.server]),
      'Regions');
}
