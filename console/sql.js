// SQL: a statement, its rows, its plan.
import {call, count, errorBox, grid, make, post} from './base.js';
import {mayChange} from './changes.js';

/** @type {import('./main.js').Page} */
export async function sqlPage(place, {parameters, signal}) {
  const limits = make('span', {class: 'soft'}, 'Ctrl+Enter runs it. At most 200 rows and 10 seconds.');
  void mayChange().then((may) => {
    if (!may) limits.append(' Only SELECT and EXPLAIN.');
  });
  const text = /** @type {HTMLTextAreaElement} */ (make('textarea', {
    id: 'statement',
    'aria-label': 'Statement',
    spellcheck: 'false',
    placeholder: 'SELECT … FROM "TABLE"',
    onkeydown: (event) => {
      const key = /** @type {KeyboardEvent} */ (event);
      if (key.key === 'Enter' && (key.ctrlKey || key.metaKey)) {
        key.preventDefault();
        void run('');
      }
    }
  }));
  text.value = parameters.get('statement') ?? '';
  const answer = make('div', {'aria-live': 'polite'});
  const tables = make('div', {class: 'bar'});
  place.append(
      make('h1', {}, 'SQL'), tables, text,
      make(
          'div', {class: 'bar'},
          make('button', {type: 'button', class: 'main', id: 'sql_run', onclick: () => void run('')}, 'Run'),
          make('button', {type: 'button', id: 'sql_explain', onclick: () => void run('EXPLAIN ')}, 'Explain'), limits),
      answer);

  /** @param {string} before */
  async function run(before) {
    answer.setAttribute('aria-busy', 'true');
    const statement = text.value.trim().replace(/;$/, '');
    history.replaceState(null, '', `#/sql?${new URLSearchParams({statement})}`);
    try {
      const told = await post('sql', {statement: before + statement}, signal);
      answer.replaceChildren(
          make(
              'p', {class: 'soft'},
              told.updated !== undefined ? `${count(told.updated)} rows changed, ${told.ms.toFixed(1)} ms` :
                                           `${count(told.rows.length)} rows${
                                               told.more ? ', and there may be more' : ''}, ${told.ms.toFixed(1)} ms`),
          told.rows.length === 0 ?
              '' :
              grid(
                  told.columns.map(
                      (/** @type {any} */ column) =>
                          (/INT|LONG|DECIMAL|DOUBLE|FLOAT/.test(column.type) ? '#' : '') + column.label),
                  told.rows.map(
                      (/** @type {any[]} */ row) => row.map(
                          (value) => value === null ? make('span', {class: 'soft'}, 'null') :
                                                      make('span', {class: 'code'}, value))),
                  'Rows'));
    } catch (error) {
      if (!signal.aborted) {
        answer.replaceChildren(errorBox(error));
      }
    }
    answer.removeAttribute('aria-busy');
  }

  if (text.value !== '') {
    await run('');
  }
  const known = await call('sql_tables', {}, signal);
  for (const {schema, name} of known.tables.slice(0, 30)) {
    const full =
        [schema, name].filter((part) => part !== '').map((part) => `"${part.replaceAll('"', '""')}"`).join('.');
    const fill = () => {
      text.value = `SELECT * FROM ${full} LIMIT 50`;
      text.focus();
    };
    tables.append(make('button', {type: 'button', onclick: fill}, full));
  }
  if (known.tables.length === 0) {
    tables.append(
        make('p', {class: 'soft'}, 'SQL has no tables yet: create some with CREATE TABLE or CREATE VIEW (klip sql).'));
  }
}
