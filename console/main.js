// Shows the page that the address names: #/PAGE/TABLE?PARAMETERS.
import {advicePage} from './advice.js';
import {address, errorBox, make} from './base.js';
import {browsePage} from './browse.js';
import {heatPage} from './heat.js';
import {serverPage} from './server.js';
import {sqlPage} from './sql.js';
import {tablePage, tablesPage} from './tables.js';

/**
 * A page fills `place`, and stops what it does when `signal` is aborted.
 * @typedef {{table: string, parameters: URLSearchParams, signal: AbortSignal}} Visit
 * @typedef {(place: HTMLElement, visit: Visit) => Promise<void>} Page
 */

/** @type {Record<string, Page>} */
const pages = {
  tables: tablesPage,
  table: tablePage,
  browse: browsePage,
  heat: heatPage,
  advice: advicePage,
  server: serverPage,
  sql: sqlPage
};
const entries = [['tables', 'Tables'], ['sql', 'SQL'], ['server', 'Server']];
const tableEntries = [['table', 'Overview'], ['browse', 'Rows'], ['heat', 'Heat map'], ['advice', 'Advice']];

let visit = new AbortController();

/**
 * @param {string[][]} list
 * @param {string} current
 * @param {string} [table]
 */
function links(list, current, table) {
  return list.map(
      ([page, label]) =>
          make('a', {href: address(page, table), 'aria-current': page === current ? 'page' : undefined}, label));
}

async function show() {
  visit.abort();
  visit = new AbortController();
  const {signal} = visit;
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?', 2);
  const [name, encoded] = path.split('/', 2);
  const page = name in pages ? name : 'tables';
  let table = '';
  try {
    table = decodeURIComponent(encoded ?? '');
  } catch { /* no table has such a name */
  }
  const ofTable = tableEntries.some(([one]) => one === page);
  document.querySelector('nav')?.replaceChildren(...links(entries, ofTable ? 'tables' : page));
  const main = /** @type {HTMLElement} */ (document.getElementById('main'));
  const place = make('div');
  main.replaceChildren();
  if (ofTable) {
    main.append(
        make('h1', {}, table),
        make('div', {class: 'tabs', role: 'navigation', 'aria-label': 'Table'}, ...links(tableEntries, page, table)));
  }
  main.append(place);
  document.title = `${ofTable ? table + ' – ' : ''}${page} – klip`;
  try {
    await pages[page](place, {table, parameters: new URLSearchParams(query ?? ''), signal});
  } catch (error) {
    if (!signal.aborted) place.append(errorBox(error));
  }
}

addEventListener('hashchange', () => {
  void show();
  document.getElementById('main')?.focus();
});
void show();
