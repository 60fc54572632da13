// The network: who is linked with whom, and what looks the same from where.

class Network {
  constructor(data) {
    Object.assign(this, data); // nodes, ports, factors, neighbors, symmetric, latencies, names, switches, and where they stand
    this.forwarders = new Set(data.switches);
    this.stride = [];
    let stride = 1;
    for (const factor of this.factors) {
      this.stride.push(stride);
      stride *= factor.size;
    }
    this.rows = new Map(); // of distances, by the node they count from
  }
  isSwitch(node) { return this.forwarders.has(node); }
  digit(node, factor) { return Math.floor(node / this.stride[factor]) % this.factors[factor].size; }
  // "2,1" on products, the name where nodes have names, else nothing.
  coordinates(node) {
    if (this.names) return this.names[node];
    return this.factors.length > 1 ? this.factors.map((_, i) => this.digit(node, i)).join(',') : '';
  }
  // The translation that takes node 0 to `by`, and its inverse: sums of digits.
  shift(node, by) { return this.turn(node, by, 1); }
  unshift(node, by) { return this.turn(node, by, -1); }
  turn(node, by, sign) {
    let result = 0;
    for (let i = 0; i < this.factors.length; i++) {
      const size = this.factors[i].size;
      result += (this.digit(node, i) + sign * this.digit(by, i) + size) % size * this.stride[i];
    }
    return result;
  }
  // Who is reached through a port, or -1.
  neighbor(node, port) {
    if (!this.symmetric) return this.neighbors[node * this.ports + port];
    const next = this.neighbors[port];
    return next < 0 ? -1 : this.shift(next, node);
  }
  // The port that leads to a node; of several links side by side that of the `lane`-th.
  portTo(src, dst, lane = 0) {
    for (let p = 0; p < this.ports; p++) if (this.neighbor(src, p) === dst && !lane--) return p;
    return -1;
  }
  // How many links lie side by side between two nodes.
  lines(a, b) {
    if (this.parallel === undefined) this.parallel = this.findParallel();
    return this.parallel ? this.parallel.get(Math.min(a, b) * this.nodes + Math.max(a, b)) || 1 : 1;
  }
  findParallel() {
    const most = new Map();
    for (let v = 0; v < this.nodes; v++)
      for (const [next, lane] of this.linksOf(v)) {
        const key = Math.min(v, next) * this.nodes + Math.max(v, next);
        if (lane >= (most.get(key) || 1)) most.set(key, lane + 1);
      }
    return most.size ? most : null;
  }
  // Where the links of a node lead, port by port, and which of those side by side each is; -1: nowhere.
  linksOf(node) {
    const lanes = new Map();
    return Array.from({ length: this.ports }, (_, port) => {
      const next = this.neighbor(node, port), lane = lanes.get(next) || 0;
      lanes.set(next, lane + 1);
      return [next, lane];
    });
  }
  // Slots that a packet spends on a link.
  latency(src, dst) {
    if (!this.latencies) return 1;
    const port = this.portTo(src, dst);
    if (port < 0) return 1;
    return this.latencies.length > this.ports ? this.latencies[src * this.ports + port] : this.latencies[port];
  }
  latencyMost() { return this.latencies ? Math.max(...this.latencies) : 1; }
  // Hops from one node to another.
  distance(from, to) {
    if (this.symmetric && from) return this.distance(0, this.unshift(to, from));
    let row = this.rows.get(from);
    if (!row) this.rows.set(from, row = this.search(from));
    return row[to];
  }
  search(from) {
    const row = new Int32Array(this.nodes).fill(-1), queue = [from];
    row[from] = 0;
    for (let i = 0; i < queue.length; i++)
      for (let p = 0; p < this.ports; p++) {
        const next = this.neighbor(queue[i], p);
        if (next < 0 || row[next] >= 0) continue;
        row[next] = row[queue[i]] + 1;
        queue.push(next);
      }
    return row;
  }
  // Pairs of nodes with a link either way, each once for every line side by side: [node, node, lane].
  pairs() {
    const pairs = [];
    for (let v = 0; v < this.nodes; v++)
      for (const [next, lane] of this.linksOf(v)) {
        if (next > v || (next >= 0 && this.portTo(next, v, lane) < 0)) pairs.push([v, next, lane]);
      }
    return pairs;
  }
}
