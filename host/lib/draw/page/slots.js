// What the page says in words about slot tables.

class SlotsStory {
  constructor(data, state) {
    this.schedule = new Schedule(data);
    this.state = state;
    this.steps = this.schedule.last;
    this.unit = 'slot';
  }
  // How much of a slot is over where the replay stands: half, so that packets are on their links.
  rest(slot) { return slot ? .5 : 1; }
  pictures(canvas) { return new Picture(canvas, this.schedule, this.state); }
  views() {
    return [SlotTable, SpaceTime, LoadMap, Held].map(View => new View(this.schedule, this.state));
  }
  legend() {
    const s = this.schedule, each = s.far - s.near < s.colours.length;
    const list = [s.pair ? 'Hops to the destination: ' : s.sums ? 'Hops from the node that has the number of the chunk: ' : 'Hops from the origin: '];
    s.colours.forEach((colour, i) => {
      const text = each ? s.near + i : i === 0 ? s.near : i === s.colours.length - 1 ? s.far : ' ';
      list.push(make('span', { style: `background:${colour}`, class: isDeep(colour) ? 'deep' : '' }, String(text)));
    });
    list.push(' A node fills with what it must get.');
    if (s.network.forwarders.size) list.push(' Squares are switches, which only forward.');
    if (s.counting.size) list.push(' Framed numbers: nodes count who is active, before the first packet.');
    return list;
  }
  place(node) {
    const coordinates = this.schedule.network.coordinates(node);
    return coordinates ? `${node} (${coordinates})` : String(node);
  }
  // One sentence about the slot.
  clock() {
    const s = this.schedule, bound = s.summary.bound_slots;
    return `slot ${this.state.slot} of ${s.slots}` + (bound === null || bound === undefined ? '' : `, bound ${bound}`);
  }
  said() {
    const { slot } = this.state;
    return slot ? `Slot ${slot} of ${this.schedule.slots}: ${many(this.schedule.sentIn(slot).count, 'transmission')}.` : 'Before slot 1.';
  }
  // Rows for people who read rather than look; at most so many.
  rows(most) {
    const sent = this.schedule.sentIn(this.state.slot), rows = [];
    for (let i = 0; i < Math.min(most, sent.count); i++) rows.push([sent.src[i], sent.dst[i], sent.origin[i], sent.dest[i]]);
    return { count: sent.count, rows };
  }
  movesTitle(count) {
    const words = (this.schedule.counting.get(this.state.slot) || []).length;
    if (!this.state.slot) return 'Before slot 1';
    return `Slot ${this.state.slot}: ${many(count, 'transmission')}` + (words ? `, ${many(words, 'word')} of counting` : '');
  }
  moves(choose) {
    const { count, rows } = this.rows(300), s = this.schedule;
    const body = rows.map(([src, dst, origin, dest]) => make('tr', {}, make('td', {}, String(src)), make('td', {}, String(dst)),
      make('td', {}, make('button', { type: 'button', onclick: () => choose({ packet: { origin, dest } }) }, s.name(origin, dest)))));
    const content = rows.length ? [tableOf(['from', 'to', 'packet'], body)] : [], words = s.counting.get(this.state.slot) || [];
    if (count > rows.length) content.push(make('p', {}, `… and ${count - rows.length} more`));
    if (words.length) content.push(tableOf(['from', 'to', 'counts'], words.map(word => make('tr', {}, ...word.map(n => make('td', {}, String(n)))))));
    return { title: this.movesTitle(count), content };
  }
  parse(text) {
    const packet = this.schedule.parse(text);
    return packet && this.schedule.path(packet.origin, packet.dest).length ? packet : null;
  }
  path(packet) { return this.schedule.path(packet.origin, packet.dest); }
  packetDetails(packet, go) {
    const { state } = this, hops = state.path;
    const rows = hops.map(hop => make('tr', { class: hop.slot === state.slot ? 'now' : '' },
      make('td', {}, make('button', { type: 'button', onclick: () => go(hop.slot) }, String(hop.slot))),
      make('td', {}, this.place(hop.src)), make('td', {}, this.place(hop.dst))));
    return [make('h2', {}, `Packet ${this.schedule.name(packet.origin, packet.dest)}: ${many(hops.length, 'hop')}`),
      tableOf(['slot', 'from', 'to'], rows)];
  }
  nodeDetails(node, choose) {
    const s = this.schedule, { slot } = this.state, n = s.network;
    const name = m => make('button', { type: 'button', onclick: () => choose({ packet: { origin: m.origin, dest: m.dest } }) }, s.name(m.origin, m.dest));
    const came = s.arrivals(node).filter(m => s.arrivesIn(m) <= slot && m.delivers);
    const ports = [];
    for (let p = 0; p < n.ports; p++) {
      const next = n.neighbor(node, p), move = s.sendsThrough(node, p, slot);
      if (next >= 0) ports.push(make('tr', {}, make('td', {}, String(p)), make('td', {}, this.place(next)), make('td', {}, move ? name(move) : '·')));
    }
    const own = s.departures(node).filter(m => s.source(m.origin) === node);
    const streams = new Map();
    for (const m of own) {
      const port = n.portTo(node, m.dst, m.lane);
      streams.set(port, [...(streams.get(port) || []), m]);
    }
    const few = 60;
    return [make('h2', {}, `Node ${this.place(node)}`),
      make('p', {}, `Has ${Math.round(100 * s.share(node, slot))} % of what it must get after slot ${slot}.`),
      make('h2', {}, slot ? `Its row of slot ${slot}` : 'Its ports'), tableOf(['port', 'to', 'sends'], ports),
      make('h2', {}, `What has come for it: ${came.length}`),
      tableOf(['slot', 'packet', 'from'], came.slice(-few).reverse().map(m => make('tr', { class: m.slot === slot ? 'now' : '' },
        make('td', {}, String(s.arrivesIn(m))), make('td', {}, name(m)), make('td', {}, String(m.src))))),
      came.length > few ? make('p', {}, `… and ${came.length - few} before`) : null,
      make('h2', {}, 'Its own packets, in the order in which they leave'),
      tableOf(['port', 'packets (slot)'], [...streams].sort((a, b) => a[0] - b[0]).map(([port, list]) => make('tr', {},
        make('td', {}, String(port)), make('td', { style: 'white-space:normal' },
          list.slice(0, few).map(m => `${s.name(m.origin, m.dest)} (${m.slot})`).join(', ') + (list.length > few ? ' …' : '')))))];
  }
  hint(found) {
    if (!found) return '';
    if (found.packet && found.packet.move) {
      const [slot, , src, dst, origin, dest] = found.packet.move;
      return `Slot ${slot}: node ${src} sends packet ${this.schedule.name(origin, dest)} to node ${dst}.`;
    }
    return found.node !== undefined ? `node ${this.place(found.node)}` : '';
  }
}
