// The heat map of a table: keys from top to bottom, time from left to right. The address holds the selection and
// the zoom, so that the browser's "back" zooms out.
import {address, bytes, call, count, duration, make, time} from './base.js';

const kMetrics = [
  ['accesses', 'reads and writes'], ['reads', 'reads'], ['writes', 'writes'], ['bytes', 'bytes'],
  ['latency', 'latency of gets and writes']
];
const kLabelWidth = 150;
const kTimeHeight = 24;
const kLabelPixels = 14;  // between two labels

/** @typedef {{start: string, stop: string, label: string, to?: string, fields?: string[]}} Range */
/** @typedef {{start_ms: number, length_ms: number, values: number[]}} Slot */
/**
 * @typedef {{ranges: Range[], slots: Slot[], regions: number[], findings: any[], since_ms: number,
 *   by_region: boolean}} Heat
 */

/**
 * Black, purple, red, yellow, white: brighter is more, so that colour-blind people can read it too.
 * @param {number} share from 0 to 1
 */
function color(share) {
  const stops = [[8, 8, 16], [70, 16, 110], [180, 40, 80], [245, 130, 30], [252, 230, 130], [255, 255, 255]];
  const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const low = Math.min(Math.floor(at), stops.length - 2);
  return stops[low].map((part, i) => Math.round(part + (stops[low + 1][i] - part) * (at - low)));
}

/** @param {string} metric @param {number} value */
function valueText(metric, value) {
  if (metric === 'bytes') {
    return bytes(value);
  }
  return metric === 'latency' ? duration(value) : count(value);
}

/** The map's values and colours. */
export class HeatView {
  /** @param {Heat} heat */
  constructor(heat) {
    this.heat = heat;
    this.values = heat.slots.map((slot) => {
      const values = new Float64Array(heat.ranges.length);
      for (let i = 0; i < slot.values.length; i += 2) {
        values[slot.values[i]] = slot.values[i + 1];
      }
      return values;
    });
    this.most = this.values.reduce((most, values) => values.reduce((a, b) => Math.max(a, b), most), 0);
    this.from = heat.slots.length > 0 ? heat.slots[0].start_ms : 0;
    const last = heat.slots.at(-1);
    this.to = last ? last.start_ms + last.length_ms : 1;
  }

  /** @param {number} ms @returns {number} -1: nothing was counted then */
  slotAt(ms) {
    let low = 0;
    let high = this.heat.slots.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.heat.slots[middle].start_ms <= ms) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const slot = this.heat.slots[low - 1];
    return slot !== undefined && ms < slot.start_ms + slot.length_ms ? low - 1 : -1;
  }

  /**
   * The value of a slot per minute, so that slots of any length are comparable.
   * @param {string} metric
   * @param {number} slot
   * @param {number} range
   */
  value(metric, slot, range) {
    const minutes = metric === 'latency' ? 1 : this.heat.slots[slot].length_ms / 60000;
    return this.values[slot][range] / minutes;
  }

  /**
   * The pixels of a map of this size.
   * @param {number} width
   * @param {number} height
   * @param {string} metric
   */
  pixels(width, height, metric) {
    const image = new ImageData(width, height);
    const out = new Uint32Array(image.data.buffer);
    const scale = new Uint32Array(256);
    for (let i = 0; i < 256; ++i) {
      const [red, green, blue] = color(i / 255);
      scale[i] = 0xff000000 | blue << 16 | green << 8 | red;
    }
    const ranges = this.heat.ranges.length;
    const lengths = this.heat.slots.map((slot) => metric === 'latency' ? 1 : slot.length_ms / 60000);
    const most =
        this.values.reduce((all, values, slot) => values.reduce((a, b) => Math.max(a, b / lengths[slot]), all), 0);
    const factor = most > 0 ? 255 / Math.log1p(most) : 0;
    const rows = Array.from({length: height}, (_, y) => Math.floor(y * ranges / height));
    let before = -2;
    for (let x = 0; x < width; ++x) {
      const slot = this.slotAt(this.from + (x + 0.5) * (this.to - this.from) / width);
      if (slot === before && x > 0) {
        for (let y = 0; y < height; ++y) {
          out[y * width + x] = out[y * width + x - 1];
        }
        continue;
      }
      before = slot;
      for (let y = 0; y < height; ++y) {
        const value = slot < 0 ? 0 : this.values[slot][rows[y]] / lengths[slot];
        out[y * width + x] = scale[value > 0 ? Math.max(24, Math.round(Math.log1p(value) * factor)) : 0];
      }
    }
    return image;
  }

  /** The first field in which the ranges differ. */
  labelField() {
    const fields = Math.max(0, ...this.heat.ranges.map((range) => range.fields?.length ?? 0));
    for (let field = 0; field < fields; ++field) {
      if (new Set(this.heat.ranges.map((range) => range.fields?.[field] ?? '')).size > 1) {
        return field;
      }
    }
    return -1;
  }
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {HeatView} view
 * @param {string} metric
 * @param {{slot: number, range: number} | null} cursor
 * @param {{x: number, y: number, x2: number, y2: number} | null} dragged
 */
function draw(canvas, view, metric, cursor, dragged) {
  const ratio = devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const place = placeOf(canvas);
  context.putImageData(
      view.pixels(Math.round(place.width * ratio), Math.round(place.height * ratio), metric),
      Math.round(place.left * ratio), 0);
  context.scale(ratio, ratio);
  const style = getComputedStyle(canvas);
  context.fillStyle = style.color;
  context.font = `12px ${style.fontFamily}`;
  context.textBaseline = 'middle';
  drawLabels(context, view, place);
  drawTimes(context, view, place);
  const rangeHeight = place.height / view.heat.ranges.length;
  context.fillStyle = '#3fb6ff';
  for (const region of view.heat.regions.slice(1)) {
    context.fillRect(place.left, Math.round(region * rangeHeight), place.width, 1);
  }
  if (cursor !== null) {
    const slot = view.heat.slots[cursor.slot];
    const scale = place.width / (view.to - view.from);
    context.strokeStyle = '#3fff6a';
    context.lineWidth = 2;
    context.strokeRect(
        place.left + (slot.start_ms - view.from) * scale - 1, cursor.range * rangeHeight - 1,
        Math.max(4, slot.length_ms * scale) + 2, Math.max(4, rangeHeight) + 2);
  }
  if (dragged !== null) {
    context.strokeStyle = '#fff';
    context.lineWidth = 1;
    context.strokeRect(dragged.x + 0.5, dragged.y + 0.5, dragged.x2 - dragged.x, dragged.y2 - dragged.y);
  }
}

/** @param {HTMLCanvasElement} canvas */
function placeOf(canvas) {
  const left = Math.min(kLabelWidth, canvas.clientWidth / 4);
  return {left, width: canvas.clientWidth - left, height: canvas.clientHeight - kTimeHeight};
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {HeatView} view
 * @param {{left: number, width: number, height: number}} place
 */
function drawLabels(context, view, place) {
  const field = view.labelField();
  const rangeHeight = place.height / view.heat.ranges.length;
  /** @type {string | null} */
  let value = null;
  let free = 0;
  view.heat.ranges.forEach((range, i) => {
    const own = field < 0 ? range.start : range.fields?.[field] ?? '';
    const y = i * rangeHeight;
    if (own === value || y < free) {
      return;
    }
    value = own;
    free = y + kLabelPixels;
    context.fillRect(place.left - 5, y, 5, 1);
    const text = own.length > 22 ? own.slice(0, 21) + '…' : own;
    context.fillText(text, 4, Math.min(y + kLabelPixels / 2, place.height - kLabelPixels / 2), place.left - 12);
  });
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {HeatView} view
 * @param {{left: number, width: number, height: number}} place
 */
function drawTimes(context, view, place) {
  const labels = Math.max(1, Math.floor(place.width / 170));
  const short = (view.to - view.from) / labels < 60000;
  for (let i = 0; i < labels; ++i) {
    const ms = view.from + (view.to - view.from) * i / labels;
    context.fillRect(place.left + place.width * i / labels, place.height, 1, 5);
    context.fillText(
        short ? time(ms).slice(11) : time(ms).slice(0, 16), place.left + place.width * i / labels + 4,
        place.height + kTimeHeight / 2);
  }
}

/** @type {import('./main.js').Page} */
export async function heatPage(place, {table, parameters, signal}) {
  const metric = parameters.get('metric') ?? 'accesses';
  const asked = Object.fromEntries(parameters);
  const heat = /** @type {Heat} */ (await call('heat', {...asked, metric, table}, signal));
  const go = (/** @type {Record<string, string>} */ changes) => {
    const kept = Object.entries({...asked, ...changes}).filter(([, value]) => value !== '');
    location.hash = address('heat', table, Object.fromEntries(kept));
  };
  place.append(make(
      'div', {class: 'bar'},
      make(
          'label',
          {for: 'metric'
          },
          'show'),
      make(
          'select',
          {id: 'metric', onchange: (event) => go({metric: /** @type {HTMLSelectElement} */ (event.target).value})},
          ...kMetrics.map(([name, label]) => make('option', {value: name, selected: name === metric}, label))),
      make(
          'button', {
            type: 'button',
            id: 'whole',
            disabled: !['start', 'stop', 'from', 'to'].some((name) => name in asked),
            onclick: () => go({start: '', stop: '', from: '', to: ''})
          },
          'Whole map'),
      make(
          'button', {type: 'button', id: 'again', onclick: () => dispatchEvent(new HashChangeEvent('hashchange'))},
          'Refresh')));
  place.append(findingsList(heat.findings, go));
  if (heat.slots.length === 0) {
    place.append(make(
        'p', {},
        heat.by_region          ? 'The servers counted no request here yet. The console asks them every ten seconds.' :
            heat.since_ms === 0 ? 'The table was not read or written since its store was opened.' :
                                  'Nothing was read or written here.'));
    return;
  }
  place.append(
      mapFigure(heat, metric, go, signal),
      make(
          'p', {class: 'soft'},
          'Brighter is more, per minute, on a logarithmic scale; blue lines are region boundaries. Drag over a part to zoom in; with the ',
          'keyboard the arrows move, Enter zooms in, Escape shows the whole map. Counted since ', time(heat.since_ms),
          heat.by_region ? ' UTC, by region: the servers of a cluster count requests, and neither bytes nor latency.' :
                           ' UTC, sampled.'));
}

/**
 * @param {any[]} findings
 * @param {(changes: Record<string, string>) => void} go
 */
function findingsList(findings, go) {
  return make(
      'section', {'aria-label': 'Findings'},
      ...findings.map(
          (finding) => make(
              'div', {class: 'finding'}, finding.text,
              finding.remedy === '' ? null : make('div', {class: 'soft'}, finding.remedy), ' ',
              make(
                  'button', {
                    type: 'button',
                    onclick: () => go({metric: finding.metric, start: finding.start, stop: finding.stop})
                  },
                  'Show it'))));
}

/**
 * @param {Heat} heat
 * @param {string} metric
 * @param {(changes: Record<string, string>) => void} go
 * @param {AbortSignal} signal
 */
function mapFigure(heat, metric, go, signal) {
  const view = new HeatView(heat);
  const canvas = /** @type {HTMLCanvasElement} */ (
      make('canvas', {tabindex: 0, role: 'application', 'aria-label': 'Heat map', 'aria-describedby': 'cell'}));
  const tip = make('div', {class: 'tip', id: 'cell', 'aria-live': 'polite', hidden: true});
  /** @type {{slot: number, range: number} | null} */
  let cursor = null;
  /** @type {{x: number, y: number, x2: number, y2: number} | null} */
  let dragged = null;
  const redraw = () => draw(canvas, view, metric, cursor, dragged);

  /** @param {number} x @param {number} y */
  function cellAt(x, y) {
    const place = placeOf(canvas);
    const range = Math.floor(y / place.height * heat.ranges.length);
    const ms = view.from + (x - place.left) / place.width * (view.to - view.from);
    return {range: Math.min(Math.max(range, 0), heat.ranges.length - 1), slot: view.slotAt(ms), ms};
  }

  /** @param {{slot: number, range: number}} cell */
  function describe(cell) {
    const range = heat.ranges[cell.range];
    const slot = heat.slots[cell.slot];
    const value = slot === undefined ? 0 : view.value(metric, cell.slot, cell.range);
    tip.replaceChildren(
        make('div', {class: 'key'}, range.label, range.to === undefined ? '' : ` … ${range.to}`),
        make(
            'div', {},
            slot === undefined ? 'nothing' :
                                 `${valueText(metric, value)}${metric === 'latency' ? ' on average' : ' a minute'}`),
        make(
            'div', {class: 'soft'},
            slot === undefined ? '' : `${time(slot.start_ms)} UTC, ${count(slot.length_ms / 60000)} min`));
    tip.hidden = false;
  }

  /** @param {{slot: number, range: number}} a @param {{slot: number, range: number}} b */
  function zoom(a, b) {
    const [top, bottom] = [Math.min(a.range, b.range), Math.max(a.range, b.range)];
    const slots = [a.slot, b.slot].filter((slot) => slot >= 0);
    const [from, to] = slots.length < 2 ? [0, heat.slots.length - 1] : [Math.min(...slots), Math.max(...slots)];
    go({
      start: heat.ranges[top].start,
      stop: heat.ranges[bottom].stop,
      from: String(heat.slots[from].start_ms),
      to: String(heat.slots[to].start_ms + heat.slots[to].length_ms),
    });
  }

  canvas.addEventListener('pointermove', (event) => {
    const [x, y] = [event.offsetX, event.offsetY];
    if (dragged !== null) {
      dragged = {...dragged, x2: x, y2: y};
      redraw();
    }
    describe(cellAt(x, y));
    const right = x > canvas.clientWidth / 2;
    Object.assign(tip.style, {
      left: right ? '' : `${x + 14}px`,
      right: right ? `${canvas.clientWidth - x + 14}px` : '',
      top: `${Math.min(y + 10, canvas.clientHeight - 80)}px`
    });
  });
  canvas.addEventListener('pointerleave', () => tip.hidden = true);
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    dragged = {x: event.offsetX, y: event.offsetY, x2: event.offsetX, y2: event.offsetY};
  });
  canvas.addEventListener('pointerup', () => {
    const drag = dragged;
    dragged = null;
    if (drag !== null && Math.abs(drag.x2 - drag.x) + Math.abs(drag.y2 - drag.y) > 8) {
      zoom(cellAt(drag.x, drag.y), cellAt(drag.x2, drag.y2));
    }
  });
  canvas.addEventListener('keydown', (event) => {
    const moves = /** @type {Record<string, number[]>} */ (
        {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]});
    if (event.key in moves) {
      const step = event.shiftKey ? 10 : 1;
      const [dx, dy] = moves[event.key];
      const at = cursor ?? {slot: heat.slots.length - 1, range: 0};
      cursor = cursor === null ? at : {
        slot: Math.min(Math.max(at.slot + dx * step, 0), heat.slots.length - 1),
        range: Math.min(Math.max(at.range + dy * step, 0), heat.ranges.length - 1),
      };
      describe(cursor);
      Object.assign(tip.style, {left: '', right: '0', top: '0'});
      redraw();
    } else if (event.key === 'Enter' && cursor !== null) {
      const [width, height] = [heat.slots.length / 4, heat.ranges.length / 4].map(Math.floor);
      zoom({slot: Math.max(0, cursor.slot - width), range: Math.max(0, cursor.range - height)}, {
        slot: Math.min(heat.slots.length - 1, cursor.slot + width),
        range: Math.min(heat.ranges.length - 1, cursor.range + height)
      });
    } else if (event.key === 'Escape') {
      go({start: '', stop: '', from: '', to: ''});
    } else {
      return;
    }
    event.preventDefault();
  });
  const watcher = new ResizeObserver(redraw);
  watcher.observe(canvas);
  signal.addEventListener('abort', () => watcher.disconnect());
  return make('figure', {class: 'heat'}, canvas, tip);
}
