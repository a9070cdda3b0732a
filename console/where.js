// Builds the text of a query from a form with a condition for each key field (docs/keys.md has the language).

/** @typedef {{kind: string, value: string, high: string}} Condition */

export const kinds =
    [['any', 'any value'], ['exact', 'equal to'], ['prefix', 'starts with'], ['set', 'one of'], ['range', 'from … to']];

/**
 * A value in the query language, in quotes if it would otherwise be read as something else.
 * @param {string} value
 */
export function quoted(value) {
  const plain = /^[A-Za-z0-9_+:-][A-Za-z0-9_.:+-]*$/.test(value) && !value.includes('..') && !value.endsWith('.');
  return plain ? value : `'${value.replaceAll('\'', '\'\'')}'`;
}

/**
 * "" if there is no condition.
 * @param {string} field
 * @param {Condition} condition
 */
export function conditionText(field, {kind, value, high}) {
  switch (kind) {
    case 'exact':
      return value === '' ? '' : `${field}=${quoted(value)}`;
    case 'prefix':
      return value === '' ? '' : `${field}=${quoted(value)}*`;
    case 'set': {
      const values = value.split(',').map((one) => one.trim()).filter((one) => one !== '');
      return values.length === 0 ? '' : `${field}=${values.map(quoted).join(',')}${values.length === 1 ? ',' : ''}`;
    }
    case 'range':
      return value === '' && high === '' ?
          '' :
          `${field}=${value === '' ? '' : quoted(value)}..${high === '' ? '' : quoted(high)}`;
    default:
      return '';
  }
}

/**
 * @param {[string, Condition][]} conditions
 */
export function whereText(conditions) {
  return conditions.map(([field, condition]) => conditionText(field, condition))
      .filter((text) => text !== '')
      .join(' ');
}
