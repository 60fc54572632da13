// The linked views below the picture: each draws what of it is in the window of a scrolled area.

// A view says how large it is, draws a part of itself, and what is at a point.
// The table of slots and links.
class SlotTable {
  constructor(schedule, state) {
    this.schedule = schedule;
    this.state = state;
    this.title = 'Table';
    this.top = 24;
    this.rowHeight = 18;
    this.left = 118;
  }
  caption() {
    const all = this.state.node === null;
    return (all ? 'All nodes' : `Node ${this.state.node}`) + ': a row a link, a column a slot, in the cells the packets.' +
      (all ? ' Choose a node to see its rows alone.' : '');
  }
  rows() {
    const n = this.schedule.network, key = this.state.node;
    if (this.made && this.madeFor === key) return this.made;
    this.made = [];
    this.madeFor = key;
    for (let v = key === null ? 0 : key; v < (key === null ? n.nodes : key + 1); v++)
      for (let p = 0; p < n.ports; p++) {
        const next = n.neighbor(v, p);
        if (next >= 0) this.made.push([v, p, next]);
      }
    return this.made;
  }
  cell() {
    const longest = this.schedule.name(this.schedule.network.nodes - 1, this.schedule.network.nodes - 1).length;
    const least = this.schedule.last * (7 * longest + 8) < 30000 ? Math.max(26, 7 * longest + 8) : 10;
    return Math.max(least, Math.min(3 * least, roomFor(this.left + 12) / this.schedule.last)); // as wide as there is room
  }
  size() { return [this.left + this.schedule.last * this.cell() + 10, this.top + this.rows().length * this.rowHeight + 4]; }
  draw(context, x, y, width, height) {
    const { schedule, state, left, top, rowHeight } = this, rows = this.rows(), cell = this.cell();
    const first = Math.max(0, Math.floor(y / rowHeight)), end = Math.min(rows.length, Math.ceil((y + height - top) / rowHeight));
    const from = Math.max(1, Math.floor(x / cell) + 1);
    const to = Math.min(schedule.last, Math.ceil((x + width - left) / cell));
    context.font = '11px ui-monospace, monospace';
    context.textBaseline = 'middle';
    context.textAlign = 'center';
    for (let r = first; r < end; r++) {
      const [v, port] = rows[r], ry = top + r * rowHeight - y;
      context.fillStyle = ink.idle;
      context.fillRect(left, ry + 1, schedule.last * cell - x - 1, rowHeight - 2);
      for (let slot = from; slot <= to; slot++) {
        const move = schedule.sendsThrough(v, port, slot);
        if (!move) continue;
        const cx = left + (slot - 1) * cell - x, chosen = state.packet;
        const other = chosen && (chosen.origin !== move.origin || chosen.dest !== move.dest);
        const colour = schedule.colours[schedule.colourOf(v, move.origin, move.dest)];
        context.globalAlpha = other ? .2 : 1;
        context.fillStyle = colour;
        context.fillRect(cx, ry + 1, cell - 1, rowHeight - 2);
        if (cell < 20) continue;
        context.globalAlpha = other ? .5 : 1;
        context.fillStyle = other ? ink.text : isDeep(colour) ? '#fff' : '#111';
        context.fillText(schedule.name(move.origin, move.dest), cx + cell / 2, ry + rowHeight / 2);
      }
      context.globalAlpha = 1;
    }
    for (const [slot, src, dst] of schedule.marks) {
      context.strokeStyle = ink.bad;
      context.lineWidth = 2;
      rows.forEach((row, r) => {
        if (row[0] !== src || row[2] !== dst) return;
        context.strokeRect(left + (slot - 1) * cell - x + 1, top + r * rowHeight - y + 1, cell - 2, rowHeight - 2);
      });
    }
    if (state.slot) {
      context.strokeStyle = ink.mark;
      context.lineWidth = 1.5;
      context.strokeRect(left + (state.slot - 1) * cell - x - .5, top - 3, cell, height);
    }
    // Names of rows and columns stay in sight.
    context.fillStyle = ink.page;
    context.fillRect(0, 0, left - 2, height);
    context.fillRect(0, 0, width, top - 3);
    context.fillStyle = ink.quiet;
    const step = Math.ceil(26 / cell);
    for (let slot = from; slot <= to; slot++) {
      const cx = left + (slot - .5) * cell - x;
      if (slot % step === 0 && cx > left) context.fillText(slot, cx, top / 2);
    }
    context.textAlign = 'left';
    context.fillText('slot', 8, top / 2);
    for (let r = first; r < end; r++) {
      const ry = top + (r + .5) * rowHeight - y;
      if (ry > top) context.fillText(`${rows[r][0]} port ${rows[r][1]} → ${rows[r][2]}`, 8, ry);
    }
  }
  hit(x, y) {
    const row = this.rows()[Math.floor((y - this.top) / this.rowHeight)];
    const slot = Math.floor((x - this.left) / this.cell()) + 1;
    if (!row || slot < 1 || slot > this.schedule.last) return null;
    const move = this.schedule.sendsThrough(row[0], row[1], slot);
    return move ? { packet: move, slot } : { slot };
  }
}

// Nodes downwards, time to the right, a line a transmission.
class SpaceTime {
  constructor(schedule, state) {
    this.schedule = schedule;
    this.state = state;
    this.title = 'Space and time';
    this.moves = true; // with the time within a slot
    this.left = 44;
    this.top = 24;
  }
  caption() {
    return 'A row a node, time from left to right; each line is a packet on its way from one node to another.' +
      (this.many() ? ' Lines are drawn for the current slot and the packet chosen only.' : '');
  }
  many() { return this.schedule.count * (this.schedule.folded ? this.schedule.network.nodes : 1) > 30000; }
  steps() {
    const last = this.schedule.last, nodes = this.schedule.network.nodes;
    return [Math.max(12, Math.min(160, roomFor(this.left + 18) / last)), nodes > 512 ? 6 : Math.max(12, Math.min(26, 500 / nodes))];
  }
  size() {
    const [wide, high] = this.steps();
    return [this.left + this.schedule.last * wide + 16, this.top + this.schedule.network.nodes * high + 8];
  }
  point(slot, node, x, y) {
    const [wide, high] = this.steps();
    return [this.left + slot * wide - x, this.top + (node + .5) * high - y];
  }
  draw(context, x, y, width, height) {
    const { schedule, state } = this, [wide, high] = this.steps(), nodes = schedule.network.nodes;
    context.strokeStyle = ink.idle;
    context.lineWidth = 1;
    context.beginPath();
    for (let v = 0; v < nodes; v++) {
      context.moveTo(...this.point(0, v, x, y));
      context.lineTo(...this.point(schedule.last, v, x, y));
    }
    context.stroke();
    const from = this.many() ? state.slot : Math.max(1, Math.floor(x / wide)), latency = schedule.network.latencyMost();
    const to = this.many() ? state.slot : Math.min(schedule.last, Math.ceil((x + width) / wide) + 1);
    context.lineWidth = high > 10 ? 2 : 1;
    for (let slot = Math.max(1, from - latency + 1); slot <= to; slot++) {
      const sent = schedule.sentIn(slot);
      for (let i = 0; i < sent.count; i++) {
        const other = state.packet && (state.packet.origin !== sent.origin[i] || state.packet.dest !== sent.dest[i]);
        this.line(context, slot, sent.src[i], sent.dst[i], x, y - 3 * sent.lane[i],
          schedule.colours[schedule.colourOf(sent.src[i], sent.origin[i], sent.dest[i])], other ? .15 : 1);
      }
    }
    context.lineWidth = 3;
    for (const hop of state.path || []) this.line(context, hop.slot, hop.src, hop.dst, x, y - 3 * hop.lane, ink.mark, 1);
    for (const [slot, src, dst] of schedule.marks) if (src < nodes && dst < nodes) this.line(context, slot, src, dst, x, y, ink.bad, 1);
    context.globalAlpha = 1;
    const now = this.point(state.slot ? state.slot - 1 + state.phase : 0, 0, x, y)[0];
    context.fillStyle = ink.mark;
    context.fillRect(now - .75, 0, 1.5, height);
    context.fillStyle = ink.page;
    context.fillRect(0, 0, this.left - 6, height);
    context.fillRect(0, 0, width, this.top - 6);
    context.font = '11px system-ui, sans-serif';
    context.fillStyle = ink.quiet;
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    const every = Math.ceil(12 / high);
    for (let v = 0; v < nodes; v += every) {
      const ny = this.point(0, v, x, y)[1];
      if (ny > this.top) context.fillText(v, this.left - 10, ny);
    }
    context.textAlign = 'center';
    const step = Math.ceil(28 / wide);
    for (let slot = 0; slot <= schedule.last; slot += step) {
      const nx = this.point(slot, 0, x, y)[0];
      if (nx > this.left - 6) context.fillText(slot, nx, this.top / 2);
    }
  }
  line(context, slot, src, dst, x, y, colour, alpha) {
    context.globalAlpha = alpha;
    context.strokeStyle = colour;
    context.beginPath();
    context.moveTo(...this.point(slot - 1, src, x, y));
    context.lineTo(...this.point(slot - 1 + this.schedule.network.latency(src, dst), dst, x, y));
    context.stroke();
  }
  hit(x, y) {
    const [wide, high] = this.steps(), slot = Math.floor((x - this.left) / wide) + 1;
    if (slot < 1 || slot > this.schedule.last) return null;
    const sent = this.schedule.sentIn(slot);
    let best = null, least = 8;
    for (let i = 0; i < sent.count; i++) {
      const shift = -3 * sent.lane[i];
      const [ax, ay] = this.point(slot - 1, sent.src[i], 0, shift), [bx, by] = this.point(slot, sent.dst[i], 0, shift);
      const along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2);
      const away = along < 0 || along > 1 ? Infinity : Math.hypot(ax + along * (bx - ax) - x, ay + along * (by - ay) - y);
      if (away < least) least = away, best = { origin: sent.origin[i], dest: sent.dest[i] };
    }
    const node = Math.floor((y - this.top) / high);
    return best ? { packet: best, slot } : node >= 0 && node < this.schedule.network.nodes ? { node, slot } : { slot };
  }
}

// How often each link has been used: a column a node, a row a port.
class LoadMap {
  constructor(schedule, state) {
    this.schedule = schedule;
    this.state = state;
    this.title = 'Load';
    this.left = 60;
    this.top = 24;
  }
  caption() { return `Transmissions over each link up to slot ${this.state.slot}: a column a node, a row a port; deep is busy.`; }
  steps() {
    const { nodes } = this.schedule.network;
    return [nodes > 512 ? 6 : Math.max(20, Math.min(60, roomFor(this.left + 10) / nodes)), 22];
  }
  size() {
    const [wide, high] = this.steps(), n = this.schedule.network;
    return [this.left + n.nodes * wide + 8, this.top + n.ports * high + 30];
  }
  draw(context, x, y, width) {
    const n = this.schedule.network, [wide, high] = this.steps(), load = this.schedule.load(this.state.slot);
    const most = this.schedule.load(this.schedule.last).reduce((a, b) => Math.max(a, b), 1);
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.textAlign = 'center';
    const step = Math.ceil(30 / wide);
    for (let v = Math.max(0, Math.floor(x / wide)); v < Math.min(n.nodes, (x + width) / wide); v++) {
      const cx = this.left + v * wide - x;
      for (let p = 0; p < n.ports; p++) {
        if (n.neighbor(v, p) < 0) continue;
        const count = load[v * n.ports + p], cy = this.top + p * high - y;
        context.fillStyle = `color-mix(in srgb, ${ink.bad} ${Math.round(100 * count / most)}%, ${ink.idle})`;
        context.fillRect(cx, cy, wide - 1, high - 1);
        context.fillStyle = ink.text;
        if (wide >= 20) context.fillText(count, cx + wide / 2, cy + high / 2);
      }
      context.fillStyle = v === this.state.node ? ink.mark : ink.quiet;
      if (v % step === 0) context.fillText(v, cx + wide / 2, this.top / 2 - y);
    }
    context.fillStyle = ink.page;
    context.fillRect(0, 0, this.left - 2, this.top + n.ports * high + 30);
    context.fillStyle = ink.quiet;
    context.textAlign = 'left';
    for (let p = 0; p < n.ports; p++) context.fillText(`port ${p}`, 8, this.top + (p + .5) * high - y);
    context.fillText('node', 8, this.top / 2 - y);
    context.fillText(`most over one link in all: ${most}`, this.left, this.top + n.ports * high + 16 - y);
  }
  hit(x, y) {
    const node = Math.floor((x - this.left) / this.steps()[0]);
    return y > 0 && node >= 0 && node < this.schedule.network.nodes ? { node } : null;
  }
}

// Packets of others that wait at a node, over time.
class Held {
  constructor(schedule, state) {
    this.schedule = schedule;
    this.state = state;
    this.title = 'Packets held';
    this.left = 50;
  }
  caption() { return 'After each slot, the packets of other nodes that a node must still forward: the most at one node (bars) and the mean (line).'; }
  size() { return [0, 0]; } // as large as the window
  step(width) { return (width - this.left - 10) / Math.max(1, this.schedule.last); }
  draw(context, x, y, width, height) {
    const { most, mean } = this.schedule.waiting(), step = this.step(width), base = height - 26, high = base - 16;
    const top = Math.max(1, most.reduce((a, b) => Math.max(a, b), 0));
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    for (let slot = 1; slot <= this.schedule.last; slot++) {
      context.fillStyle = slot === this.state.slot ? ink.mark : ink.bar;
      const tall = high * most[slot] / top;
      context.fillRect(this.left + (slot - 1) * step, base - tall, Math.max(1, step - 1), tall);
    }
    context.strokeStyle = ink.text;
    context.lineWidth = 1.5;
    context.beginPath();
    for (let slot = 1; slot <= this.schedule.last; slot++) context.lineTo(this.left + (slot - .5) * step, base - high * mean[slot] / top);
    context.stroke();
    context.fillStyle = ink.quiet;
    context.textAlign = 'right';
    for (const value of top > 1 ? [0, Math.round(top / 2), top] : [0, 1]) context.fillText(value, this.left - 8, base - high * value / top);
    context.textAlign = 'center';
    const every = Math.ceil(30 / step);
    for (let slot = every; slot <= this.schedule.last; slot += every) context.fillText(slot, this.left + (slot - .5) * step, base + 14);
    context.textAlign = 'left';
    context.fillText('slot', 8, base + 14);
  }
  hit(x, y, width) {
    const slot = Math.floor((x - this.left) / this.step(width)) + 1;
    return slot >= 1 && slot <= this.schedule.last ? { slot } : null;
  }
}

// The width of the area, in pixels, without a margin.
let abreast = 1; // views that share the width
function roomFor(margin) { return Math.floor(byId('view').clientWidth / abreast) - margin; }

function isDeep(colour) {
  const part = i => parseInt(colour.slice(i, i + 2), 16);
  return 299 * part(1) + 587 * part(3) + 114 * part(5) < 128000;
}
