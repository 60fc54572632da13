// The network: who is linked with whom, and what looks the same from where.

class Network {
  constructor(data) {
    Object.assign(this, data); // name, nodes, ports, factors, neighbors, symmetric, latencies
    this.stride = [];
    let stride = 1;
    for (const factor of this.factors) {
      this.stride.push(stride);
      stride *= factor.size;
    }
    this.rows = new Map(); // of distances, by the node they count from
  }
  digit(node, factor) { return Math.floor(node / this.stride[factor]) % this.factors[factor].size; }
  // "2,1" on products, else the number alone.
  coordinates(node) {
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
  portTo(src, dst) {
    for (let p = 0; p < this.ports; p++) if (this.neighbor(src, p) === dst) return p;
    return -1;
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
  // Pairs of nodes with a link either way, each once.
  pairs() {
    const pairs = [];
    for (let v = 0; v < this.nodes; v++)
      for (let p = 0; p < this.ports; p++) {
        const next = this.neighbor(v, p);
        if (next > v || (next >= 0 && this.portTo(next, v) < 0)) pairs.push([v, next]);
      }
    return pairs;
  }
}
