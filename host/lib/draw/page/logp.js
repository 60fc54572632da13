// LogP machines: processors and time. A processor is busy o with a send, the message flies L, and its receiver is busy o.

class LogpStory {
  constructor(data, state) {
    this.state = state;
    this.machine = data.machine;
    this.combines = data.combines;
    this.summary = data.summary;
    this.steps = data.last;
    this.marks = data.marks;
    this.unit = 'time unit';
    this.messages = data.sends.map(([time, src, dst, item, received], number) => ({ number, time, src, dst, item,
      received: received ?? time + data.machine.o + data.machine.L }));
    this.items = 1 + this.messages.reduce((most, m) => Math.max(most, m.item), 0);
  }
  rest() { return 0; }
  now() { return Math.min(this.steps, this.state.slot + this.state.phase); }
  end(m) { return m.received + this.machine.o; }
  underWay(time) { return this.messages.filter(m => m.time <= time && time < Math.max(this.end(m), m.time + 1)); }
  colour(m) { return this.items === 1 ? ink.mark : `hsl(${Math.round(m.item * 137.508) % 360} 62% 48%)`; }
  pictures(canvas) { return new LogpPicture(canvas, this); }
  views() { return [new LogpTree(this), new LogpFlying(this)]; }
  legend() {
    const { L, o, g } = this.machine;
    return [`Full bar: busy for o = ${o} with a send; framed bar: with a reception; dotted: until the next send may begin (g = ${g}); ` +
      `line: a message on its way for L = ${L}.` + (this.items > 1 ? ' A colour an item.' : '')];
  }
  clock() { return `time ${this.state.slot} of ${this.steps}, bound ${this.summary.bound_slots ?? 'unknown'}`; }
  said() { return `Time ${this.state.slot} of ${this.steps}: ${many(this.underWay(this.state.slot).length, 'message')} under way.`; }
  moves(choose) {
    const list = this.underWay(this.state.slot);
    return { title: `Under way at time ${this.state.slot}: ${many(list.length, 'message')}`,
      content: [tableOf(['sent', 'from', 'to', 'item', 'there'], list.slice(0, 300).map(m => make('tr', {}, make('td', {}, String(m.time)),
        make('td', {}, String(m.src)), make('td', {}, String(m.dst)),
        make('td', {}, make('button', { type: 'button', onclick: () => choose({ packet: m }) }, String(m.item))), make('td', {}, String(this.end(m)))))),
      list.length > 300 ? make('p', {}, `… and ${list.length - 300} more`) : null].filter(Boolean) };
  }
  parse(text) { return this.messages.find(m => String(m.item) === text.trim()) || null; }
  // All messages of an item; where they carry sums, what leads to and from the processors that pass this one on.
  path(message) {
    return this.messages.filter(m => m.item === message.item).map(m => ({ ...m, slot: m.time }));
  }
  packetDetails(message, go) {
    return [make('h2', {}, `Item ${message.item}: ${many(this.state.path.length, 'message')}`),
      tableOf(['sent', 'from', 'to', 'there'], this.state.path.slice(0, 300).map(m => make('tr', { class: m.number === message.number ? 'now' : '' },
        make('td', {}, make('button', { type: 'button', onclick: () => go(m.time) }, String(m.time))), make('td', {}, String(m.src)),
        make('td', {}, String(m.dst)), make('td', {}, String(this.end(m))))))];
  }
  nodeDetails(node, choose) {
    const list = this.messages.filter(m => m.src === node || m.dst === node);
    return [make('h2', {}, `Processor ${node}`), tableOf(['from', 'until', 'does', 'item'], list.slice(0, 300).map(m => {
      const sends = m.src === node, begin = sends ? m.time : m.received;
      return make('tr', { class: begin <= this.state.slot && this.state.slot < begin + this.machine.o ? 'now' : '' }, make('td', {}, String(begin)),
        make('td', {}, String(begin + this.machine.o)), make('td', {}, sends ? `sends to ${m.dst}` : `receives from ${m.src}`),
        make('td', {}, make('button', { type: 'button', onclick: () => choose({ packet: m }) }, String(m.item))));
    }))];
  }
  hint(found) {
    if (!found) return '';
    const m = found.packet;
    if (m) return `Processor ${m.src} sends item ${m.item} at time ${m.time}; processor ${m.dst} has it at ${this.end(m)}.`;
    return `processor ${found.node}`;
  }
}

// Processors downwards, time to the right.
class LogpPicture {
  constructor(canvas, story) {
    this.paper = new Paper(canvas);
    this.story = story;
    this.shown = [];
    this.lit = [];
  }
  height() { return 40 + 44 * this.story.machine.P; }
  resize(width = this.paper.canvas.clientWidth, height = this.paper.canvas.clientHeight) {
    this.paper.fit(width, height);
    this.left = 46;
    this.step = (this.paper.width - this.left - 14) / Math.max(1, this.story.steps);
    this.row = (this.paper.height - 40) / this.story.machine.P;
    this.bar = Math.max(1.5, Math.min(22, .5 * this.row));
  }
  x(time) { return this.left + time * this.step; }
  y(node) { return 14 + (node + .5) * this.row; }
  draw() {
    const { story, paper } = this, { context } = paper, now = story.now(), chosen = story.state.packet;
    paper.clear();
    this.axes(context);
    this.lit = story.state.path || [];
    const dim = chosen ? .15 : .35;
    for (const m of story.messages) {
      const under = m.time <= now && now < Math.max(story.end(m), m.time + 1);
      const alpha = chosen ? (m.item === chosen.item ? 1 : dim) : now >= m.time ? 1 : dim;
      this.message(context, m, alpha, under);
    }
    context.globalAlpha = 1;
    for (const [time, src, dst] of story.marks) this.mark(context, time - 1, src, dst);
    this.shown = story.underWay(now);
    for (const m of this.shown) this.token(context, m, now);
    context.fillStyle = ink.mark;
    context.fillRect(this.x(now) - .75, 0, 1.5, paper.height - 22);
  }
  axes(context) {
    const { story, paper } = this;
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.strokeStyle = ink.idle;
    context.lineWidth = 1;
    context.textAlign = 'right';
    const each = Math.ceil(13 / this.row);
    for (let v = 0; v < story.machine.P; v++) {
      context.beginPath();
      context.moveTo(this.left, this.y(v));
      context.lineTo(this.x(story.steps), this.y(v));
      context.stroke();
      context.fillStyle = v === story.state.node ? ink.mark : ink.text;
      if (v % each === 0) context.fillText(`P${v}`, this.left - 8, this.y(v));
    }
    context.fillStyle = ink.quiet;
    context.textAlign = 'center';
    const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], step = steps.find(s => s * this.step >= 28) || 5000;
    for (let t = 0; t <= story.steps; t += step) context.fillText(t, this.x(t), paper.height - 12);
  }
  message(context, m, alpha, under) {
    const { o, g } = this.story.machine, colour = this.story.colour(m), wide = Math.max(2, o * this.step);
    const sy = this.y(m.src), dy = this.y(m.dst), sent = this.x(m.time + o), got = this.x(m.received);
    context.globalAlpha = alpha;
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = under ? 2.5 : 1.2;
    context.beginPath();
    context.moveTo(sent, sy);
    context.lineTo(got, dy);
    context.stroke();
    this.arrow(context, sent, sy, got, dy);
    context.fillRect(this.x(m.time), sy - this.bar / 2, wide, this.bar);
    context.lineWidth = 1.5;
    context.fillStyle = ink.page;
    context.fillRect(got, dy - this.bar / 2, wide, this.bar);
    context.strokeRect(got + .75, dy - this.bar / 2 + .75, Math.max(.5, wide - 1.5), Math.max(.5, this.bar - 1.5));
    if (g > o) {
      context.setLineDash([2, 3]);
      context.beginPath();
      context.moveTo(sent, sy);
      context.lineTo(this.x(Math.min(this.story.steps, m.time + g)), sy);
      context.stroke();
      context.setLineDash([]);
    }
    if (wide < 14 || this.bar < 11 || this.story.items < 2) return;
    context.font = '11px system-ui, sans-serif';
    context.textAlign = 'center';
    context.fillStyle = '#fff';
    context.fillText(m.item, this.x(m.time) + wide / 2, sy);
    context.fillStyle = ink.text;
    context.fillText(m.item, got + wide / 2, dy);
  }
  mark(context, time, src, dst) {
    if (src >= this.story.machine.P || dst >= this.story.machine.P) return;
    context.strokeStyle = ink.bad;
    context.lineWidth = 3;
    context.beginPath();
    context.arc(this.x(time), this.y(src), 9, 0, 2 * Math.PI);
    context.moveTo(this.x(time), this.y(src));
    context.lineTo(this.x(time + this.story.machine.L + 2 * this.story.machine.o), this.y(dst));
    context.stroke();
  }
  arrow(context, ax, ay, bx, by) {
    const angle = Math.atan2(by - ay, bx - ax), size = Math.min(9, this.row / 2, Math.hypot(bx - ax, by - ay) / 2);
    context.beginPath();
    context.moveTo(bx, by);
    context.lineTo(bx - size * Math.cos(angle - .35), by - size * Math.sin(angle - .35));
    context.lineTo(bx - size * Math.cos(angle + .35), by - size * Math.sin(angle + .35));
    context.fill();
  }
  // Where a message is at a time.
  place(m, now) {
    const { o } = this.story.machine, sent = m.time + o;
    if (now <= sent) return [this.x(now), this.y(m.src)];
    if (now >= m.received) return [this.x(now), this.y(m.dst)];
    const part = (now - sent) / (m.received - sent);
    return [this.x(now), this.y(m.src) + part * (this.y(m.dst) - this.y(m.src))];
  }
  token(context, m, now) {
    context.beginPath();
    context.arc(...this.place(m, now), Math.max(2.5, Math.min(7, this.row / 4)), 0, 2 * Math.PI);
    context.fillStyle = this.story.colour(m);
    context.fill();
    context.lineWidth = 1.5;
    context.strokeStyle = ink.page;
    context.stroke();
  }
  // The message whose bars or line are nearest; left of the axis, a processor.
  hit(x, y) {
    const { story } = this, { o } = story.machine;
    if (x < this.left) {
      const node = Math.floor((y - 14) / this.row);
      return node >= 0 && node < story.machine.P ? { node } : null;
    }
    let best = null, least = 7;
    for (const m of story.messages) {
      const onBar = (begin, node) => Math.abs(y - this.y(node)) <= Math.max(4, this.bar / 2) && x >= this.x(begin) - 1 && x <= this.x(begin + o) + 1;
      if (onBar(m.time, m.src) || onBar(m.received, m.dst)) return { packet: m };
      const ax = this.x(m.time + o), ay = this.y(m.src), bx = this.x(m.received), by = this.y(m.dst);
      const along = Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2 || 1)));
      const away = Math.hypot(ax + along * (bx - ax) - x, ay + along * (by - ay) - y);
      if (away < least) least = away, best = m;
    }
    return best ? { packet: best } : null;
  }
}

// Who gets it from whom: the tree of an item, or of all messages where they carry sums, then with its root below.
class LogpTree {
  constructor(story) {
    this.story = story;
    this.title = 'Tree';
    this.moves = true; // with the time
    this.step = 58;
    this.level = 62;
  }
  caption() {
    if (this.story.combines) return 'Who adds whose sum: the number is when a processor has sent its sum, at the root when all is in.';
    return `Who gets item ${this.item()} from whom first, and when it is there.`;
  }
  item() { return this.story.state.packet ? this.story.state.packet.item : 0; }
  // Of each processor its parent and a time; children in the order of time.
  tree() {
    const { story } = this, key = story.combines ? -1 : this.item();
    if (this.made && this.made.key === key) return this.made;
    const nodes = new Map(), get = v => nodes.get(v) || nodes.set(v, { v, children: [], parent: null, time: 0 }).get(v);
    const list = story.messages.filter(m => story.combines || m.item === key);
    for (const m of [...list].sort((a, b) => story.end(a) - story.end(b))) {
      const [low, high] = story.combines ? [m.src, m.dst] : [m.dst, m.src], child = get(low), parent = get(high);
      if (child.parent || child === parent || this.above(parent, child)) continue;
      child.parent = parent;
      child.time = story.combines ? m.time : story.end(m);
      child.message = m;
      parent.children.push(child);
    }
    const roots = [...nodes.values()].filter(n => !n.parent);
    if (story.combines) for (const root of roots) root.time = story.steps;
    let column = 0, depth = 0;
    const put = (n, level) => {
      depth = Math.max(depth, level);
      n.level = level;
      for (const c of n.children) put(c, level + 1);
      n.column = n.children.length ? (n.children[0].column + n.children[n.children.length - 1].column) / 2 : column++;
    };
    roots.forEach(root => put(root, 0));
    return this.made = { key, nodes: [...nodes.values()], columns: column, depth };
  }
  above(node, wanted) {
    for (; node; node = node.parent) if (node === wanted) return true;
    return false;
  }
  size() {
    const tree = this.tree();
    return [tree.columns * this.step + 30, (tree.depth + 1) * this.level + 10];
  }
  place(n, x, y) {
    const tree = this.tree(), level = this.story.combines ? tree.depth - n.level : n.level;
    return [24 + n.column * this.step - x, 22 + level * this.level - y];
  }
  draw(context, x, y) {
    const tree = this.tree(), now = this.story.now();
    context.font = '12px system-ui, sans-serif';
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    for (const n of tree.nodes) {
      if (!n.parent) continue;
      context.strokeStyle = this.story.colour(n.message);
      context.globalAlpha = n.message.time <= now ? 1 : .3;
      context.lineWidth = 1.5;
      context.beginPath();
      context.moveTo(...this.place(n.parent, x, y));
      context.lineTo(...this.place(n, x, y));
      context.stroke();
    }
    context.globalAlpha = 1;
    for (const n of tree.nodes) {
      const [px, py] = this.place(n, x, y);
      context.beginPath();
      context.arc(px, py, 13, 0, 2 * Math.PI);
      context.fillStyle = n.time <= now ? ink.idle : ink.page;
      context.fill();
      context.strokeStyle = n.v === this.story.state.node ? ink.mark : ink.line;
      context.stroke();
      context.fillStyle = ink.text;
      context.fillText(`P${n.v}`, px, py);
      context.fillStyle = ink.quiet;
      context.textAlign = 'left';
      context.fillText(n.time, px + 17, py);
      context.textAlign = 'center';
    }
  }
  hit(x, y) {
    const n = this.tree().nodes.find(one => Math.hypot(this.place(one, 0, 0)[0] - x, this.place(one, 0, 0)[1] - y) <= 14);
    return n ? { node: n.v } : null;
  }
}

// Messages between their ends, over time.
class LogpFlying {
  constructor(story) {
    this.story = story;
    this.title = 'Under way';
    this.left = 50;
  }
  caption() { return 'Messages that have been sent and are not yet received, over time.'; }
  size() { return [0, 0]; }
  counts() {
    if (this.made) return this.made;
    const counts = new Int32Array(this.story.steps + 1);
    for (const m of this.story.messages) {
      const from = m.time + this.story.machine.o;
      for (let t = from; t < m.received && t < counts.length; t++) counts[t]++;
    }
    return this.made = counts;
  }
  draw(context, x, y, width, height) {
    const counts = this.counts(), top = counts.reduce((a, b) => Math.max(a, b), 1), step = (width - this.left - 10) / counts.length;
    const base = height - 26, high = base - 16;
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    counts.forEach((count, t) => {
      context.fillStyle = t === this.story.state.slot ? ink.mark : ink.bar;
      context.fillRect(this.left + t * step, base - high * count / top, Math.max(1, step - 1), high * count / top);
    });
    context.fillStyle = ink.quiet;
    context.textAlign = 'right';
    for (const value of [0, top]) context.fillText(value, this.left - 8, base - high * value / top);
    context.textAlign = 'center';
    const every = Math.ceil(30 / step);
    for (let t = 0; t < counts.length; t += every) context.fillText(t, this.left + (t + .5) * step, base + 14);
    context.textAlign = 'left';
    context.fillText('time', 8, base + 14);
  }
  hit(x, y, width) {
    const slot = Math.floor((x - this.left) / ((width - this.left - 10) / this.counts().length));
    return slot >= 0 && slot <= this.story.steps ? { slot } : null;
  }
}
