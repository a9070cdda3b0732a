// Advice on a table's row keys: findings by principle, and other keys with what they would cost, with commands to copy.
import {bytes, count, duration, errorBox, grid, make, post} from './base.js';

/** @type {import('./main.js').Page} */
export async function advicePage(place, {table, parameters, signal}) {
  const queries = /** @type {HTMLTextAreaElement} */ (make('textarea', {
    id: 'queries',
    'aria-label': 'Queries',
    spellcheck: 'false',
    placeholder:
        'one query a line, as: 3 user=alice day=2014-06-28\nthe number is how often it is asked, and may be left out'
  }));
  queries.value = parameters.get('queries') ?? '';
  const answer = make('div', {'aria-live': 'polite'});
  place.append(
      make(
          'label',
          {for: 'queries'
          },
          'Queries that the keys should serve'),
      queries,
      make(
          'div', {class: 'bar'},
          make('button', {type: 'button', class: 'main', id: 'advise', onclick: () => void advise()}, 'Advise'),
          make(
              'span', {class: 'soft'},
              'From a sample of up to 100,000 rows. Nothing is changed. klip advise can do more, such as --verify.')),
      answer);

  async function advise() {
    answer.setAttribute('aria-busy', 'true');
    answer.replaceChildren(make('p', {}, 'Reading a sample …'));
    try {
      answer.replaceChildren(...advice(await post('advice', {table, queries: queries.value}, signal)));
    } catch (error) {
      if (!signal.aborted) {
        answer.replaceChildren(errorBox(error));
      }
    }
    answer.removeAttribute('aria-busy');
  }

  await advise();
}

/** @param {any} told as Advice::ToJson writes it */
function advice(told) {
  const problems = told.findings.filter((/** @type {any} */ one) => one.problem);
  return [
    make(
        'p', {class: 'soft'}, `${count(told.sampled_rows)} of ${count(told.rows)} rows were read.`,
        told.unfit_rows > 0 ? ` ${count(told.unfit_rows)} of them do not fit the schema.` : ''),
    ...told.left_out.map((/** @type {string} */ text) => make('p', {class: 'warn'}, text)),
    make(
        'h2', {},
        problems.length === 0 ? 'No problems' : `${problems.length} problem${problems.length === 1 ? '' : 's'}`),
    ...told.findings.map(findingBox),
    make('h2', {}, 'Keys compared'),
    designsGrid(told.designs),
    ...told.designs.filter((/** @type {any} */ one) => one.pareto || one.present)
        .map((/** @type {any} */ design) => designPart(design, told.queries)),
  ];
}

/** @param {any} finding */
function findingBox(finding) {
  return make(
      'div', {class: finding.problem ? 'finding' : 'finding fine'}, make('strong', {}, `${finding.principle}: `),
      finding.measure, finding.reason === '' ? null : make('div', {}, finding.reason),
      finding.remedy === '' ? null : make('div', {class: 'code'}, finding.remedy),
      finding.formula === '' ?
          null :
          make('details', {}, make('summary', {}, 'Computation'), make('div', {class: 'code'}, finding.formula)));
}

/** @param {any[]} designs */
function designsGrid(designs) {
  return grid(
      ['Keys', 'Schema', '#A query', '#A write', '#Fullest 1/16 of new rows', '#Key', ''],
      designs.map(
          (one) =>
              [one.what, make('span', {class: 'code'}, one.schema), duration(one.time_us), duration(one.write_us),
               one.hot_share === undefined || one.hot_share === null ? '–' : `${Math.round(one.hot_share * 100)} %`,
               bytes(one.key_bytes),
               one.present    ? 'as it is' :
                   one.pareto ? 'none is better in all' :
                                '']),
      'Designs of the key');
}

/** @param {any} design @param {any[]} queries */
function designPart(design, queries) {
  const commands = (design.commands ?? []).join('\n');
  const copy = make(
      'button', {
        type: 'button',
        class: 'copy',
        onclick: () => void navigator.clipboard.writeText(commands).then(
            () => copy.textContent = 'Copied', () => copy.textContent = 'Not copied: select the text')
      },
      'Copy');
  return make(
      'details', {}, make('summary', {}, `${design.what}: `, make('code', {}, design.schema)),
      design.queries.length === 0 ? null :
                                    grid(
                                        ['Query', 'Plan', '#Jumps', '#Rows read', '#Rows returned', '#Time'],
                                        design.queries.map(
                                            (/** @type {any} */ one) =>
                                                [make('span', {class: 'code'}, queries[one.query].where), one.kind,
                                                 count(one.predicted.seeks), count(one.predicted.rows_read),
                                                 count(one.predicted.rows_returned), duration(one.predicted.time_us)]),
                                        `Queries on ${design.what}`),
      commands === '' ? null : make('div', {class: 'bar'}, make('pre', {class: 'wide'}, commands), copy));
}
