// The schedule as the page asks for it: who sends what when, where a packet goes, what a node has. Of a folded one the
// moves of node 0 are here, and all others are their translates.

class Schedule {
  constructor(data) {
    this.network = new Network(data.network);
    this.summary = data.summary;
    this.slots = data.slots; // of the schedule
    this.last = data.shown; // of those that are here
    this.folded = data.folded;
    this.separator = data.separator;
    this.pair = data.separator === '>';
    this.partBits = data.partBits || 0; // of the second number of a split packet for one node, the part
    this.demands = data.demands; // where demands say what packets there are: id, first number, source, destination or -1
    this.numbered = data.numbered;
    this.near = data.near;
    this.far = data.far;
    this.colours = data.colours;
    this.need = data.need;
    this.sums = !!data.sums;
    this.marks = data.marks;
    this.counting = new Map(); // words of on-line routers that come before any packet: [src, dst, number], by slot
    for (const [slot, ...word] of data.counting || []) this.counting.set(slot, [...(this.counting.get(slot) || []), word]);
    this.stored = data.stored; // of random broadcasts: packets at each node when a slot begins
    this.read(data.moves);
    this.made = new Map(); // what a slot holds, of those asked for last
  }
  // A list a slot: its number, then of each move src, dst (its complement where it delivers), origin and, where packets
  // have two numbers, the second.
  read(lists) {
    const wide = this.separator ? 4 : 3;
    const count = lists.reduce((sum, list) => sum + (list.length - 1) / wide, 0);
    this.count = count;
    for (const name of ['slot', 'src', 'dst', 'origin', 'dest']) this[name] = new Int32Array(count);
    this.lane = new Uint8Array(count); // of links side by side the one that the move takes: they come one after the other
    this.delivers = new Uint8Array(count);
    this.start = new Int32Array(this.last + 2); // first move of each slot
    let at = 0, slot = 0;
    for (const list of lists) {
      while (slot < list[0]) this.start[++slot] = at;
      for (let i = 1; i < list.length; i += wide, at++) {
        this.slot[at] = list[0];
        this.src[at] = list[i];
        this.delivers[at] = list[i + 1] < 0;
        this.dst[at] = list[i + 1] < 0 ? ~list[i + 1] : list[i + 1];
        this.origin[at] = list[i + 2];
        if (wide === 4) this.dest[at] = list[i + 3];
        const again = at && this.slot[at - 1] === list[0] && this.src[at - 1] === this.src[at] && this.dst[at - 1] === this.dst[at];
        if (again) this.lane[at] = this.lane[at - 1] + 1;
      }
    }
    while (slot <= this.last) this.start[++slot] = at;
  }
  name(origin, dest) {
    if (this.demands) {
      const [id, first] = this.demands[origin];
      return this.numbered ? `${id}.${first + dest}` : id;
    }
    if (this.partBits) return `${origin}>${dest >> this.partBits}.${dest & ((1 << this.partBits) - 1)}`;
    return this.separator ? `${origin}${this.separator}${dest}` : String(origin);
  }
  // The two numbers of a name, or null.
  parse(text) {
    if (this.demands) return this.parseDemand(text.trim());
    const match = /^\s*(\d+)(?:\s*[>.-]\s*(\d+))?(?:\s*\.\s*(\d+))?\s*$/.exec(text);
    if (!match || !match[2] !== !this.separator || !match[3] !== !this.partBits) return null;
    return { origin: +match[1], dest: match[3] ? +match[2] << this.partBits | +match[3] : match[2] ? +match[2] : 0 };
  }
  source(origin) { return this.demands ? this.demands[origin][2] : origin; }
  parseDemand(text) {
    const dot = this.numbered ? text.lastIndexOf('.') : text.length, id = text.slice(0, dot), number = this.numbered ? +text.slice(dot + 1) : 0;
    let origin = null;
    this.demands.forEach(([name, first], i) => { if (name === id && first <= number) origin = i; });
    return origin === null ? null : { origin, dest: number - this.demands[origin][1] };
  }
  translate(i, by) {
    const n = this.network, second = this.pair ? n.shift(this.dest[i], by) : this.dest[i];
    return { slot: this.slot[i], src: n.shift(this.src[i], by), dst: n.shift(this.dst[i], by),
      origin: n.shift(this.origin[i], by), dest: second, delivers: this.delivers[i], lane: this.lane[i] };
  }
  move(i) {
    return { slot: this.slot[i], src: this.src[i], dst: this.dst[i], origin: this.origin[i], dest: this.dest[i],
      delivers: this.delivers[i], lane: this.lane[i] };
  }
  // All that is sent in a slot, as arrays side by side.
  sentIn(slot) {
    let sent = this.made.get(slot);
    if (sent) return sent;
    const there = slot >= 1 && slot <= this.last, begin = there ? this.start[slot] : 0;
    const end = there ? this.start[slot + 1] : 0, times = this.folded ? this.network.nodes : 1;
    const count = (end - begin) * times;
    sent = { slot, count };
    for (const name of ['src', 'dst', 'origin', 'dest', 'lane']) sent[name] = new Int32Array(count);
    for (let v = 0, at = 0; v < times; v++)
      for (let i = begin; i < end; i++, at++) {
        const move = this.folded ? this.translate(i, v) : this.move(i);
        sent.src[at] = move.src, sent.dst[at] = move.dst, sent.origin[at] = move.origin, sent.dest[at] = move.dest;
        sent.lane[at] = move.lane;
      }
    if (this.made.size > 8) this.made.delete(this.made.keys().next().value);
    this.made.set(slot, sent);
    return sent;
  }
  // What a node sends in a slot through a port, or undefined.
  sendsThrough(node, port, slot) {
    return this.sends(node, slot).find(m => this.network.portTo(node, m.dst, m.lane) === port);
  }
  // What a node sends in a slot.
  sends(node, slot) {
    if (slot < 1 || slot > this.last) return [];
    const list = [], end = this.start[slot + 1];
    if (this.folded) {
      for (let i = this.start[slot]; i < end; i++) list.push(this.translate(i, node));
    } else {
      const begin = firstWhere(this.start[slot], end, i => this.src[i] >= node);
      for (let i = begin; i < end && this.src[i] === node; i++) list.push(this.move(i));
    }
    return list;
  }
  // Every hop of a packet, in the order of time.
  path(origin, dest) {
    const hops = [], n = this.network;
    for (let i = 0; i < this.count; i++) {
      if (!this.folded) {
        if (this.origin[i] === origin && (!this.separator || this.dest[i] === dest)) hops.push(this.move(i));
        continue;
      }
      const by = n.unshift(origin, this.origin[i]);
      if (!this.pair || n.shift(this.dest[i], by) === dest) hops.push(this.translate(i, by));
    }
    return hops.sort((a, b) => a.slot - b.slot || a.src - b.src || a.dst - b.dst);
  }
  // What arrives at a node and leaves it, in the order of time.
  arrivals(node) {
    const list = [];
    for (let i = 0; i < this.count; i++) {
      if (this.folded) list.push(this.translate(i, this.network.unshift(node, this.dst[i])));
      else if (this.dst[i] === node) list.push(this.move(i));
    }
    return list;
  }
  departures(node) {
    const list = [];
    for (let i = 0; i < this.count; i++) {
      if (this.folded) list.push(this.translate(i, node));
      else if (this.src[i] === node) list.push(this.move(i));
    }
    return list;
  }
  arrivesIn(move) { return move.slot + this.network.latency(move.src, move.dst) - 1; }
  // Share of what a node must get that it has after a slot.
  share(node, slot) {
    if (!this.got) this.countArrivals();
    const v = this.folded ? 0 : node, need = typeof this.need === 'number' ? this.need : this.need[node];
    if (!need) return 1;
    const list = this.got[v];
    return Math.min(1, firstWhere(0, list.length, i => list[i] > slot) / need);
  }
  // Of each node the slots after which a packet that it must get is there for the first time.
  countArrivals() {
    const nodes = this.folded ? 1 : this.network.nodes, seen = new Set();
    this.got = Array.from({ length: nodes }, () => []);
    for (let i = 0; i < this.count; i++) {
      if (!this.delivers[i]) continue;
      const move = this.folded ? this.translate(i, this.network.unshift(0, this.dst[i])) : this.move(i);
      const key = `${move.dst}:${move.origin}:${move.dest}`;
      if (seen.has(key) && !this.sums) continue; // the parts of a sum come one by one
      seen.add(key);
      this.got[this.folded ? 0 : move.dst].push(this.arrivesIn(move));
    }
    for (const list of this.got) list.sort((a, b) => a - b);
  }
  // Transmissions over each link up to a slot, by node and port.
  load(slot) {
    const n = this.network, load = new Int32Array(n.nodes * n.ports);
    const end = this.start[Math.min(slot, this.last) + 1];
    for (let i = 0; i < end; i++) {
      const port = n.portTo(this.src[i], this.dst[i], this.lane[i]);
      if (port < 0) continue;
      if (!this.folded) load[this.src[i] * n.ports + port]++;
      else for (let v = 0; v < n.nodes; v++) load[v * n.ports + port]++;
    }
    return load;
  }
  // After each slot, the packets of others that a node still has to forward: the most at one node, and the mean.
  waiting() {
    if (this.held) return this.held;
    if (this.stored) return this.held = { most: [0, ...this.stored.map(row => Math.max(...row))],
      mean: [0, ...this.stored.map(row => row.reduce((a, b) => a + b, 0) / row.length)] };
    const nodes = this.folded ? 1 : this.network.nodes, events = new Map(); // of a packet at a node
    const note = (node, move, slot, leaves) => {
      const key = `${node}:${move.origin}:${move.dest}`;
      if (!events.has(key)) events.set(key, { node, list: [] });
      events.get(key).list.push([slot, leaves]);
    };
    for (let i = 0; i < this.count; i++) {
      const arrival = this.folded ? this.translate(i, this.network.unshift(0, this.dst[i])) : this.move(i);
      note(arrival.dst, arrival, this.arrivesIn(arrival), false);
      note(this.src[i], this.move(i), this.slot[i], true);
    }
    const change = Array.from({ length: nodes }, () => new Int32Array(this.last + 2));
    for (const { node, list } of events.values()) {
      list.sort((a, b) => a[0] - b[0] || b[1] - a[1]); // what arrives in a slot leaves in a later one
      const last = list.reduce((most, [slot, leaves]) => leaves ? slot : most, 0);
      let since = 0;
      list.forEach(([slot, leaves], i) => {
        if (!leaves && !since && slot < last) since = slot;
        // A sum is gone when it has left and another part of it comes; a packet when it leaves for the last time.
        if (!leaves || !since || (this.sums ? list[i + 1] && list[i + 1][1] : slot < last)) return;
        change[node][since]++;
        change[node][slot]--;
        since = 0;
      });
    }
    this.held = { most: new Float64Array(this.last + 1), mean: new Float64Array(this.last + 1), each: change };
    for (const row of change)
      for (let slot = 0, now = 0; slot <= this.last; slot++) {
        row[slot] = now += row[slot];
        this.held.most[slot] = Math.max(this.held.most[slot], now);
        this.held.mean[slot] += now / nodes;
      }
    return this.held;
  }
  // Packets that a node holds for others while a slot goes on, and the most any node ever does.
  queue(node, slot) {
    if (this.stored) return slot ? this.stored[slot - 1][node] : 0;
    return slot ? this.waiting().each[this.folded ? 0 : node][slot - 1] : 0;
  }
  queueMost() {
    if (!this.most) this.most = Math.max(1, ...(this.stored ? this.stored.map(row => Math.max(...row)) : this.waiting().most));
    return this.most;
  }
  // The colour of a packet on a link: hops to go, or from where it began.
  hops(src, origin, dest) {
    if (this.demands) {
      const [, , from, to] = this.demands[origin];
      return to >= 0 ? this.network.distance(src, to) : this.network.distance(from, src);
    }
    return this.pair ? this.network.distance(src, dest >> this.partBits) : this.network.distance(origin % this.network.nodes, src);
  }
  colourOf(src, origin, dest) {
    const range = this.far - this.near, count = this.colours.length;
    const hops = Math.max(this.near, Math.min(this.far, this.hops(src, origin, dest)));
    return range < count ? hops - this.near : Math.floor((hops - this.near) * (count - 1) / range);
  }
}
