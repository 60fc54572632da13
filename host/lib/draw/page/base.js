// Small things that everything else uses.

const byId = id => document.getElementById(id);

// An element with children; strings become text.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

function tableOf(head, rows) {
  return make('table', {},
    make('thead', {}, make('tr', {}, ...head.map(text => make('th', { scope: 'col' }, text)))),
    make('tbody', {}, ...rows));
}

const many = (count, what) => `${count} ${what}${count === 1 ? '' : 's'}`;

// The colours of the style sheet, which change with the reader's wish for dark pages.
let ink = {};
function readInk() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ['page', 'text', 'quiet', 'idle', 'line', 'bar', 'mark', 'bad'])
    ink[name] = style.getPropertyValue('--' + name).trim();
}

// A canvas with as many dots as the screen shows; lengths are CSS pixels.
class Paper {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
    this.width = this.height = 0;
  }
  // Takes a size; true where it is another one than before.
  fit(width, height) {
    const dots = window.devicePixelRatio || 1;
    const wide = Math.max(1, Math.round(width * dots)), high = Math.max(1, Math.round(height * dots));
    const changed = this.canvas.width !== wide || this.canvas.height !== high;
    if (changed) {
      this.canvas.width = wide;
      this.canvas.height = high;
    }
    this.width = width;
    this.height = height;
    this.context.setTransform(dots, 0, 0, dots, 0, 0);
    return changed;
  }
  clear() {
    this.context.globalAlpha = 1;
    this.context.fillStyle = ink.page;
    this.context.fillRect(0, 0, this.width, this.height);
  }
}

// The first index from `low` on at which `after` is true; it stays true from there on.
function firstWhere(low, high, after) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (after(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
