// The servers: load, memory, compactions, replication, slow calls. Of `klip serve` also its calls, from /metrics at the
// same port.
import {bytes, call, count, duration, grid, make, time} from './base.js';

const kEveryMs = 5000;  // while "live" is on

/** @param {string} label @param {string} value */
function card(label, value) {
  return make('div', {class: 'card'}, make('b', {}, value), label);
}

/**
 * Prometheus' text format: the value of each name with its labels.
 * @param {string} text
 * @returns {{name: string, labels: Record<string, string>, value: number}[]}
 */
export function readMetrics(text) {
  const metrics = [];
  for (const line of text.split('\n')) {
    const parts = /^([a-zA-Z_:]+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (parts !== null) {
      const labels = Object.fromEntries(
          [...(parts[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map((one) => [one[1], one[2]]));
      metrics.push({name: parts[1], labels, value: Number(parts[3])});
    }
  }
  return metrics;
}

/**
 * Calls by method: how many, and how long one took on average.
 * @param {ReturnType<typeof readMetrics>} metrics
 * @param {Map<string, {calls: number, seconds: number}>} before what they were `passed_s` seconds ago
 * @param {number} passed_s
 */
function callRows(metrics, before, passed_s) {
  /** @type {Map<string, {calls: number, seconds: number}>} */
  const now = new Map();
  for (const {name, labels, value} of metrics) {
    if (name === 'klip_call_seconds_count' || name === 'klip_call_seconds_sum') {
      const one = now.get(labels.method) ?? {calls: 0, seconds: 0};
      one[name.endsWith('count') ? 'calls' : 'seconds'] += value;
      now.set(labels.method, one);
    }
  }
  const rows = [...now].sort((a, b) => b[1].calls - a[1].calls).map(([method, {calls, seconds}]) => {
    const old = before.get(method);
    return [
      method, count(calls), duration(calls > 0 ? seconds / calls * 1e6 : 0),
      old === undefined || passed_s <= 0 ? '–' : count((calls - old.calls) / passed_s)
    ];
  });
  return {rows, now};
}

/** @param {any} told */
function storeCards(told) {
  const store = told.store;
  if (store === undefined) {
    return make(
        'p', {class: 'soft'},
        'Only a store in a directory, and klip serve for its own store, report memory and files.');
  }
  const reads = store.cache_hits + store.cache_misses;
  return make(
      'div', {class: 'cards'}, card('on disk', bytes(store.disk_bytes)), card('sorted files', count(store.files)),
      card('memtables', bytes(store.memtable_bytes)), card('block cache', bytes(store.cache_bytes)),
      card('found in the cache', reads > 0 ? `${Math.round(100 * store.cache_hits / reads)} %` : '–'),
      card('indexes and blooms', bytes(store.index_bytes)), card('log syncs', count(store.wal_syncs)),
      card('compactions running', count(store.compactions)));
}

/** @param {any[]} calls */
function slowGrid(calls) {
  return calls.length === 0 ?
      make('p', {}, 'No slow calls.') :
      grid(
          ['Begin (UTC)', '#Took', '#Waited', 'Call', 'Region', 'User', 'Client', '#Answer'],
          calls.map(
              (one) =>
                  [time(one.start_ms), duration(one.ms * 1000), duration(one.queue_ms * 1000), one.method,
                   make('span', {class: 'code'}, one.region), one.user, one.client, bytes(one.bytes)]),
          'Slow calls');
}

/** @param {any} told */
function serverGrid(told) {
  return grid(
      ['Server', '#Requests/s', '#Reads', '#Writes', '#Regions', '#Compacting', '#Memstores', '#Memory'],
      told.servers.map(
          (/** @type {any} */ one) =>
              [one.name, count(one.requests_per_second), count(one.reads), count(one.writes), count(one.regions),
               count(one.compacting_regions), bytes(one.memstore_bytes), bytes(one.memory_bytes)]),
      'Servers');
}

/** @param {any} told */
function replicationPart(told) {
  const sources = told.servers.flatMap((/** @type {any} */ one) => one.replication);
  if (told.peers.length === 0) {
    return make('p', {}, 'No replication peers.');
  }
  return grid(
      ['Peer', 'Cluster', 'State', '#Lag', '#Log files', '#Shipped'], told.peers.map((/** @type {any} */ peer) => {
        const source = sources.find((/** @type {any} */ one) => one.peer === peer.id);
        return [
          peer.id, make('span', {class: 'code'}, peer.cluster), peer.enabled ? 'on' : 'off',
          source ? duration(source.lag_ms * 1000) : '–', count(source?.queued_logs), count(source?.shipped)
        ];
      }),
      'Replication');
}

/** @param {ReturnType<typeof readMetrics>} metrics @param {string} name */
function gauge(metrics, name) {
  return metrics.find((one) => one.name === name)?.value;
}

/** @type {import('./main.js').Page} */
export async function serverPage(place, {signal}) {
  let before = new Map();
  let asked_ms = 0;
  const live =
      /** @type {HTMLInputElement} */ (make('input', {type: 'checkbox', id: 'live', onchange: () => void again()}));
  const parts = make('div');
  place.append(
      make('h1', {}, 'Server'),
      make(
          'div', {class: 'bar'}, make('button', {type: 'button', onclick: () => void show()}, 'Refresh'), live,
          make(
              'label',
              {for: 'live'
              },
              'every 5 seconds')),
      parts);

  async function metricsPart() {
    const page = await fetch('/metrics', {signal});
    if (!page.ok) {
      return [];
    }
    const metrics = readMetrics(await page.text());
    const now_ms = performance.now();
    const {rows, now} = callRows(metrics, before, asked_ms === 0 ? 0 : (now_ms - asked_ms) / 1000);
    before = now;
    asked_ms = now_ms;
    return [
      make('h2', {}, 'Calls'),
      make(
          'div', {class: 'cards'}, card('connections', count(gauge(metrics, 'klip_connections'))),
          card('calls running', count(gauge(metrics, 'klip_calls_running'))),
          card('calls waiting', count(gauge(metrics, 'klip_calls_queued'))),
          card('open scanners', count(gauge(metrics, 'klip_open_scanners'))),
          card('received', bytes(gauge(metrics, 'klip_received_bytes_total'))),
          card('sent', bytes(gauge(metrics, 'klip_sent_bytes_total'))),
          card('memory', bytes(gauge(metrics, 'process_resident_memory_bytes')))),
      rows.length === 0 ? make('p', {}, 'No calls yet.') :
                          grid(['Method', '#Calls', '#Average', '#Calls/s'], rows, 'Calls by method'),
    ];
  }

  async function show() {
    const told = await call('server', {}, signal);
    parts.replaceChildren(
        make(
            'p', {class: 'soft'},
            `HBase ${told.version}${told.cluster_id === '' ? '' : `, cluster ${told.cluster_id}`}`,
            told.dead_servers > 0 ? `, ${told.dead_servers} dead servers` : '',
            told.regions_in_transition > 0 ? `, ${told.regions_in_transition} regions in transition` : ''),
        serverGrid(told), make('h2', {}, 'Store'), storeCards(told), ...await metricsPart(),
        make('h2', {}, 'Slow calls'), slowGrid(told.slow_calls), make('h2', {}, 'Replication'), replicationPart(told));
  }

  // One at a time: a slow server gets no new request before it has answered.
  async function again() {
    while (live.checked && !signal.aborted) {
      await show();
      await new Promise((resolve) => setTimeout(resolve, kEveryMs));
    }
  }

  await show();
}
