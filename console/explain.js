// A plan as a tree, with estimated and actual figures side by side.
import {count, duration, make} from './base.js';

/**
 * @param {number} estimated
 * @param {number | undefined} actual
 */
function off(estimated, actual) {
  if (actual === undefined) return '';
  const factor = (Math.max(estimated, actual) + 1) / (Math.min(estimated, actual) + 1);
  return make(
      'span',
      {class: factor > 10 ? 'bad' :
           factor > 2     ? 'warn' :
                            'good'},
      factor < 1.1 ? 'as estimated' : `× ${count(factor)}`);
}

/**
 * @param {any} plan as Explain::ToJson writes it
 * @param {string} note
 */
export function explainTree(plan, note) {
  const actual = plan.actual;
  const rows = [
    ['jumps', plan.estimated.seeks, actual?.seeks], ['rows read', plan.estimated.rows_read, actual?.rows_read],
    ['rows returned', plan.estimated.rows_returned, actual?.rows_returned]
  ];
  const figures = make(
      'table', {class: 'figures'},
      make(
          'thead', {},
          make(
              'tr', {}, make('th', {scope: 'col'}, ''), make('th', {scope: 'col', class: 'number'}, 'estimated'),
              make('th', {scope: 'col', class: 'number'}, 'actual'), make('th', {scope: 'col'}, ''))),
      make(
          'tbody', {},
          ...rows.map(
              ([label, estimated, came]) => make(
                  'tr', {}, make('th', {scope: 'row'}, label), make('td', {class: 'number'}, count(estimated)),
                  make('td', {class: 'number'}, count(came)), make('td', {}, off(estimated, came)))),
          make(
              'tr', {}, make('th', {scope: 'row'}, 'time'),
              make('td', {class: 'number'}, duration(plan.estimated.time_us)),
              make('td', {class: 'number'}, actual ? duration(actual.elapsed_us) : '–'), make('td'))));
  const through =
      plan.index ? ` by index ${plan.index}${plan.index_only ? ', which holds all that is returned' : ''}` : '';
  const losers = plan.candidates.filter((/** @type {any} */ one) => one.why_not !== '');
  return make(
      'section', {'aria-label': 'Plan'},
      make(
          'ul', {class: 'tree'},
          make(
              'li', {}, make('strong', {}, plan.kind), through, plan.threads > 1 ? `, ${plan.threads} threads` : '',
              make(
                  'ul', {},
                  make(
                      'li', {}, 'rows from ', make('code', {class: 'key'}, plan.start_row || '(first)'), ' up to ',
                      make('code', {class: 'key'}, plan.stop_row || '(end)')),
                  ...plan.fields.map(
                      (/** @type {any} */ field) => make(
                          'li', {}, make('strong', {}, field.name), ` ${field.condition}`,
                          make(
                              'span', {class: 'soft'},
                              [use(field.use), field.distinct > 0 ? `about ${count(field.distinct)} values` : '']
                                  .map((text) => (text === '' ? '' : ', ' + text))
                                  .join('')))),
                  plan.filter === '' ? null : make('li', {}, 'each row is checked by ', make('code', {}, plan.filter)),
                  losers.length === 0 ?
                      null :
                      make(
                          'li', {}, 'not chosen',
                          make(
                              'ul', {},
                              ...losers.map(
                                  (/** @type {any} */ one) => make(
                                      'li', {},
                                      `${one.kind}${one.path ? ' of ' + one.path : ''}: ${one.why_not}`))))))),
      make('div', {class: 'scroll'}, figures),
      plan.has_statistics ?
          null :
          make('p', {class: 'soft'}, 'The table has no statistics yet: flush or compact it for estimates.'),
      note === '' ? null : make('p', {class: 'soft'}, note));
}

/** @param {string} word */
function use(word) {
  return {jump: 'found by jumping', bound: 'bounds the range', check: 'checked on each row'}[word] ?? '';
}
