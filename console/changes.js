// Changes of rows, tables and indexes: forms that exist only where the console allows changes.
import {call, errorBox, make, post} from './base.js';

/** @type {Promise<boolean> | undefined} */
let access;

/** Whether the console may change anything: the server decides, and checks each change. */
export function mayChange() {
  access ??= call('access').then((told) => told.changes === true, () => false);
  return access;
}

/**
 * @typedef {{name: string, label: string, placeholder?: string, value?: string}} Field
 */

/**
 * A form that sends a change, and says what came of it.
 * @param {string} label of its button
 * @param {Field[]} fields
 * @param {(values: Record<string, string>) => Promise<any>} send
 * @param {() => void} [done] called after a change
 */
export function changeForm(label, fields, send, done) {
  const inputs = fields.map((field) => /** @type {HTMLInputElement} */ (make('input', {
                              name: field.name,
                              'aria-label': field.label,
                              placeholder: field.placeholder ?? field.label,
                              value: field.value,
                              autocomplete: 'off',
                              spellcheck: 'false'
                            })));
  const said = make('span', {'aria-live': 'polite'});
  return make(
      'form', {
        class: 'bar change',
        onsubmit: async (event) => {
          event.preventDefault();
          said.replaceChildren('…');
          try {
            const told = await send(Object.fromEntries(inputs.map((input) => [input.name, input.value])));
            said.replaceChildren(make('span', {class: 'good'}, told.done));
            done?.();
          } catch (error) {
            said.replaceChildren(errorBox(error));
          }
        }
      },
      ...inputs, make('button', {}, label), said);
}

/**
 * A button that does its work at the second press.
 * @param {string} label
 * @param {() => Promise<void>} work
 */
export function sureButton(label, work) {
  const button = /** @type {HTMLButtonElement} */ (make(
      'button', {
        type: 'button',
        onclick: async () => {
          if (button.dataset.sure === undefined) {
            button.dataset.sure = '';
            button.textContent = `${label}: sure?`;
            return;
          }
          button.disabled = true;
          await work();
          button.disabled = false;
        },
        onblur: () => {
          delete button.dataset.sure;
          button.textContent = label;
        }
      },
      label));
  return button;
}

/**
 * What can be done to a table.
 * @param {string} table
 * @param {any} told the description that the server sent
 * @param {() => void} done shows the page again
 */
export function tableChanges(table, told, done) {
  const act = (/** @type {string} */ action, /** @type {Field[]} */ fields = []) => changeForm(
      action[0].toUpperCase() + action.slice(1), fields, (values) => post('change', {table, action, ...values}), done);
  const confirm = [{name: 'confirm', label: 'Name of the table, to confirm'}];
  return make(
      'details', {class: 'changes'}, make('summary', {}, 'Change the table'),
      ...(told.enabled ?
              [
                act('flush'), act('compact'),
                act('split', [{name: 'key', label: 'Key to split at', placeholder: 'key (empty: the middle)'}]),
                act('disable')
              ] :
              [act('enable')]),
      changeForm(
          'Create index',
          [
            {name: 'index', label: 'Name of the index'},
            {name: 'on', label: 'Declaration', placeholder: 'f:city text, f:age i32'}
          ],
          (values) => post('index', {table, ...values}), done),
      changeForm(
          'Drop index', [{name: 'index', label: 'Name of the index'}], (values) => post('index', {table, ...values}),
          done),
      act('truncate', confirm), act('drop', confirm));
}

/** @param {() => void} done */
export function createTable(done) {
  return make(
      'details', {class: 'changes'}, make('summary', {}, 'Create a table'),
      changeForm(
          'Create',
          [
            {name: 'table', label: 'Name'}, {name: 'families', label: 'Families', placeholder: 'families: f g'},
            {name: 'key', label: 'Row-key schema', placeholder: 'row-key schema (optional)'}
          ],
          (values) => post('create', values), done));
}

/**
 * Puts a cell. The row is given by its key fields, if the table has a schema.
 * @param {string} table
 * @param {any[]} fields
 * @param {() => void} done
 */
export function putForm(table, fields, done) {
  const given = fields.filter((field) => field.name !== '' && !field.derived);
  const key = given.length === 0 ? [{name: 'row', label: 'Row key'}] :
                                   given.map((field) => ({name: `field ${field.name}`, label: field.name}));
  return make(
      'details', {class: 'changes'}, make('summary', {}, 'Put a cell'),
      changeForm(
          'Put',
          [...key, {name: 'column', label: 'Column', placeholder: 'family:qualifier'}, {name: 'value', label: 'Value'}],
          (values) => post('put', {table, ...values}), done));
}
