// Shared by all pages: calls of the server, and elements made from text. No page builds elements from
// markup, so the contents of a cell remain text.

/**
 * An element with children. A text child is a text node.
 * @param {string} tag
 * @param {Record<string, string | number | boolean | EventListener | undefined>} [attributes] names that begin with
 *     "on" are listeners; undefined and
 *   false leave it out
 * @param {...(Node | string | number | null | undefined)} children
 * @returns {HTMLElement}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2), value);
    } else if (value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  for (const child of children) {
    if (child !== null && child !== undefined) {
      element.append(child instanceof Node ? child : String(child));
    }
  }
  return element;
}

/** A failed call, with the server's message. */
export class CallError extends Error {}

/**
 * @param {string} name
 * @param {Record<string, string | number | undefined>} [parameters]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>} the JSON value
 */
export async function call(name, parameters = {}, signal) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== '') query.set(key, String(value));
  }
  return answer(await fetch(`/console/api/${name}?${query}`, {signal}));
}

/**
 * @param {string} name
 * @param {object} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function post(name, body, signal) {
  const request = {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body), signal};
  return answer(await fetch(`/console/api/${name}`, request));
}

/** @param {Response} response */
async function answer(response) {
  let json;
  try {
    json = await response.json();
  } catch {
    throw new CallError(`the server answered with status ${response.status}`);
  }
  if (!response.ok) throw new CallError(json.error ?? `the server answered with status ${response.status}`);
  return json;
}

/** @param {unknown} error */
export function errorBox(error) {
  return make('p', {class: 'error', role: 'alert'}, error instanceof Error ? error.message : String(error));
}

const numbers = new Intl.NumberFormat('en');

/** @param {number | null | undefined} value */
export function count(value) {
  if (value === null || value === undefined) return '–';
  return numbers.format(Math.abs(value) < 10 ? Math.round(value * 10) / 10 : Math.round(value));
}

/** @param {number | null | undefined} value */
export function bytes(value) {
  if (value === null || value === undefined) return '–';
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    ++unit;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** @param {number} us */
export function duration(us) {
  if (us < 1000) return `${Math.round(us)} µs`;
  return us < 1e6 ? `${(us / 1e3).toFixed(1)} ms` : `${(us / 1e6).toFixed(1)} s`;
}

/** @param {number} ms */
export function time(ms) {
  return ms > 0 && ms < 8.64e15 ? new Date(ms).toISOString().replace('T', ' ').slice(0, 19) : '–';
}

/**
 * A table. Columns whose name begins with "#" hold numbers.
 * @param {string[]} columns
 * @param {(Node | string | number)[][]} rows
 * @param {string} caption for those who do not see it
 */
export function grid(columns, rows, caption) {
  const cell = (/** @type {string} */ tag, /** @type {number} */ at, /** @type {Node | string | number} */ content) =>
      make(
          tag, {class: columns[at].startsWith('#') ? 'number' : undefined, scope: tag === 'th' ? 'col' : undefined},
          content);
  return make(
      'div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption},
      make(
          'table', {},
          make('thead', {}, make('tr', {}, ...columns.map((name, at) => cell('th', at, name.replace(/^#/, ''))))),
          make(
              'tbody', {},
              ...rows.map((row) => make('tr', {}, ...row.map((content, at) => cell('td', at, content)))))));
}

/**
 * The address of a page.
 * @param {string} page
 * @param {string} [table]
 * @param {Record<string, string>} [parameters]
 */
export function address(page, table, parameters = {}) {
  const query = new URLSearchParams(parameters).toString();
  return `#/${page}${table === undefined ? '' : '/' + encodeURIComponent(table)}${query === '' ? '' : '?' + query}`;
}
