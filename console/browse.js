// Rows of a table: a form with a line for each key field, the query that it writes, its plan, and pages of rows.
import {address, bytes, call, errorBox, grid, make, post, time} from './base.js';
import {mayChange, putForm, sureButton} from './changes.js';
import {explainTree} from './explain.js';
import {kinds, whereText} from './where.js';

const kPageRows = 50;

/**
 * @param {any} field
 * @param {() => void} changed
 */
function fieldForm(field, changed) {
  const kind = /** @type {HTMLSelectElement} */ (make(
      'select', {'aria-label': `condition on ${field.name}`, onchange: update},
      ...kinds.map(([value, label]) => make('option', {value}, label))));
  const value = /** @type {HTMLInputElement} */ (make('input', {
    'aria-label': `value of ${field.name}`,
    autocomplete: 'off',
    spellcheck: 'false',
    oninput: changed,
    hidden: true
  }));
  const high = /** @type {HTMLInputElement} */ (make('input', {
    'aria-label': `highest value of ${field.name}`,
    placeholder: 'to',
    autocomplete: 'off',
    spellcheck: 'false',
    oninput: changed,
    hidden: true
  }));
  function update() {
    value.hidden = kind.value === 'any';
    high.hidden = kind.value !== 'range';
    value.placeholder = {set: 'a, b, c', range: 'from'}[kind.value] ?? '';
    changed();
  }
  return {
    element: make(
        'fieldset', {class: 'field'}, make('legend', {}, field.name, ' ', make('span', {class: 'soft'}, field.type)),
        kind, make('span', {}, value, high)),
    condition: () => ({kind: kind.value, value: value.value, high: high.value}),
  };
}

/** @param {any} cell */
function cellLine(cell) {
  return make(
      'div', {class: 'code'}, make('span', {class: 'key'}, cell.column), ' = ', cell.value,
      cell.bytes > 1024 ? make('span', {class: 'soft'}, ` … ${bytes(cell.bytes)}`) : null,
      make('span', {class: 'soft', title: `${cell.timestamp_ms} ms`}, `  ${time(cell.timestamp_ms)}`));
}

/**
 * @param {any[]} rows
 * @param {string[]} fields
 * @param {((row: any) => Node) | null} changes what is at the end of each row; null: nothing
 */
function rowsGrid(rows, fields, changes) {
  const columns = fields.length > 0 ? fields : ['Row'];
  return grid(
      [...columns, 'Cells', ...(changes === null ? [] : [''])], rows.map((row) => {
        const key = fields.length > 0 && row.fields ? row.fields : [row.key, ...new Array(columns.length - 1).fill('')];
        return [
          ...key.map((/** @type {string} */ part) => make('span', {class: 'code key', title: row.key}, part)),
          make(
              'div', {}, ...row.cells.map(cellLine),
              row.cut ? make('div', {class: 'soft'}, 'more cells are not shown') : null),
          ...(changes === null ? [] : [changes(row)])
        ];
      }),
      'Rows');
}

/** @type {import('./main.js').Page} */
export async function browsePage(place, {table, parameters, signal}) {
  const {fields: all = []} = await call('table', {table}, signal);
  const changes = await mayChange();
  const names = all.map((/** @type {any} */ field) => field.name || '(literal)');
  const forms = all.filter((/** @type {any} */ field) => field.name !== '')
                    .map((/** @type {any} */ field) => [field.name, fieldForm(field, write)]);
  const where = /** @type {HTMLInputElement} */ (make('input', {
    class: 'wide code',
    id: 'where',
    'aria-label': 'Query',
    placeholder: 'all rows',
    autocomplete: 'off',
    spellcheck: 'false',
    value: parameters.get('where') ?? ''
  }));
  const run = make('button', {type: 'button', id: 'run', onclick: () => void explain(true)}, 'Count and measure');
  const plan = make('div');
  const rows = make('div', {'aria-live': 'polite'});
  const next =
      /** @type {HTMLButtonElement} */ (make('button', {type: 'button', id: 'next', hidden: true}, 'Next rows'));
  place.append(
      make(
          'form', {
            onsubmit: (event) => {
              event.preventDefault();
              history.replaceState(null, '', address('browse', table, where.value === '' ? {} : {where: where.value}));
              void show();
            }
          },
          make('div', {class: 'fields'}, ...forms.map((/** @type {any} */[, form]) => form.element)),
          all.length === 0 ? make(
                                 'p', {class: 'soft'},
                                 'The table has no row-key schema: conditions are on columns, such as f:city=berlin.') :
                             null,
          make(
              'div', {class: 'bar'},
              make(
                  'label',
                  { for: 'where'
                  },
                  'where'),
              where, make('button', {class: 'main', id: 'show'}, 'Show rows'), run)),
      changes ? putForm(table, all, () => void page()) : '', make('h2', {}, 'Plan'), plan, make('h2', {}, 'Rows'), rows,
      next);

  function write() {
    where.value = whereText(forms.map((/** @type {any} */[name, form]) => [name, form.condition()]));
  }

  /** @param {boolean} whole */
  async function explain(whole) {
    plan.setAttribute('aria-busy', 'true');
    try {
      const answer = await call('explain', {table, where: where.value, run: whole ? 1 : undefined}, signal);
      plan.replaceChildren(explainTree(
          answer.explain,
          !whole              ? '' :
              answer.complete ? 'Actual: all rows were read once.' :
                                'Actual: the time limit ended the scan before all rows were read.'));
    } catch (error) {
      if (!signal.aborted) plan.replaceChildren(errorBox(error));
    }
    plan.removeAttribute('aria-busy');
  }

  /** @param {string} [after] */
  async function page(after) {
    next.hidden = true;
    try {
      const answer = await call('rows', {table, where: where.value, limit: kPageRows, after}, signal);
      rows.replaceChildren(
          answer.rows.length === 0 ? make('p', {}, after === undefined ? 'No row matches.' : 'No more rows.') :
                                     rowsGrid(answer.rows, names, changes ? deleteButton : null));
      next.hidden = answer.next === null;
      next.onclick = () => void page(answer.next);
    } catch (error) {
      if (!signal.aborted) rows.replaceChildren(errorBox(error));
    }
  }

  /** @param {any} row */
  function deleteButton(row) {
    return sureButton('Delete', async () => {
      try {
        await post('delete', {table, row: row.key}, signal);
        await page();
      } catch (error) {
        rows.prepend(errorBox(error));
      }
    });
  }

  async function show() {
    await Promise.all([explain(false), page()]);
  }
  await show();
}
