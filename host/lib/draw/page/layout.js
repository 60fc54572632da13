// Where the nodes stand, by the kind of network. The unit is the distance of neighbours; y grows downwards.

// Positions, and how far the line between two nodes leaves the straight one, to pass nodes between them.
class Layout {
  constructor(network) {
    this.network = network;
    this.x = new Float64Array(network.nodes);
    this.y = new Float64Array(network.nodes);
    const factors = network.factors, one = factors.length === 1 && factors[0].shape;
    this.graph = !factors.length || one === 'graph';
    this.bows = new Map();
    if (!factors.length) this.spread(network.nodes, v => this.nextOf(v));
    else if (one === 'ring' || one === 'complete') this.circle();
    else if (factors.length > 2 && factors.every(f => f.size === 2)) this.cubes();
    else this.grids();
    this.curved = !!factors.length && one !== 'ring' && one !== 'complete' && one !== 'graph';
  }
  nextOf(node) {
    const list = [];
    for (let p = 0; p < this.network.ports; p++) list.push(this.network.neighbor(node, p));
    return list.filter(next => next >= 0);
  }
  circle() {
    const count = this.network.nodes, radius = Math.max(1, count / (2 * Math.PI));
    for (let v = 0; v < count; v++) {
      this.x[v] = radius * Math.sin(2 * Math.PI * v / count);
      this.y[v] = -radius * Math.cos(2 * Math.PI * v / count);
    }
  }
  // A cube of three dimensions seen from the side, and a grid of such cubes where there are more.
  cubes() {
    const count = this.network.factors.length, inner = [[1, 0], [0, 1], [.45, -.36]], vector = [];
    let wide = 1.95, high = 1.85;
    for (let i = 0; i < count; i++) {
      if (i < 3) vector.push(inner[i]);
      else if (i % 2) vector.push([wide, 0]), wide = 2 * wide + .15;
      else vector.push([0, high]), high = 2 * high + .15;
    }
    for (let v = 0; v < this.network.nodes; v++)
      for (let i = 0; i < count; i++)
        if (v >> i & 1) this.x[v] += vector[i][0], this.y[v] += vector[i][1];
  }
  // Lines along x and y in turn: a grid, a grid of grids, and so on.
  grids() {
    const factors = this.network.factors, reach = [0, 0];
    let axis = 0;
    factors.forEach((factor, i) => {
      const at = [new Float64Array(factor.size), new Float64Array(factor.size)];
      const gap = 1 + (i > 1 ? .7 : 0), step = reach.map(length => length + gap);
      if (factor.shape === 'graph') {
        const of = v => factor.neighbors.slice(v * factor.ports, (v + 1) * factor.ports).filter(next => next >= 0);
        const placed = spreadOut(factor.size, of), scale = Math.max(...step);
        for (let d = 0; d < factor.size; d++) at[0][d] = placed.x[d] * scale, at[1][d] = placed.y[d] * scale;
      } else {
        // Grids of grids are staggered, so that the lines between them do not run along the rows.
        for (let d = 0; d < factor.size; d++) at[axis][d] = d * step[axis], at[1 - axis][d] = i > 1 ? .4 * d : 0;
        axis = 1 - axis;
      }
      for (let v = 0; v < this.network.nodes; v++) {
        const digit = this.network.digit(v, i);
        this.x[v] += at[0][digit];
        this.y[v] += at[1][digit];
      }
      for (const k of [0, 1]) reach[k] += Math.max(...at[k]) - Math.min(...at[k]);
    });
  }
  spread(count, nextOf) {
    const placed = spreadOut(count, nextOf);
    this.x.set(placed.x);
    this.y.set(placed.y);
  }
  // How far the middle of the line between two nodes lies off the straight one.
  bow(a, b) {
    if (!this.curved) return this.graph ? this.around(a, b) : 0;
    const cube = this.network.factors.length > 2 && this.network.factors.every(f => f.size === 2);
    const index = this.network.factors.findIndex((_, i) => this.network.digit(a, i) !== this.network.digit(b, i));
    const factor = this.network.factors[index];
    const steps = Math.abs(this.network.digit(a, index) - this.network.digit(b, index));
    if (cube) return index < 3 ? 0 : .16;
    if (factor.shape === 'graph' || (steps === 1 && index < 2)) return 0;
    if (steps === 1) return .08;
    return factor.shape === 'complete' ? .3 + .17 * (steps - 2) / Math.max(1, factor.size - 3) : .34;
  }
  // Of the link of a graph: as much as it takes to pass beside a node that would be on it.
  around(a, b) {
    const [from, to] = a < b ? [a, b] : [b, a], key = from * this.network.nodes + to;
    if (this.bows.has(key)) return this.bows.get(key);
    const dx = this.x[to] - this.x[from], dy = this.y[to] - this.y[from], length = Math.hypot(dx, dy) || 1;
    let bow = 0;
    for (let v = 0; v < this.network.nodes && this.network.nodes < 500; v++) {
      if (v === a || v === b) continue;
      const along = ((this.x[v] - this.x[from]) * dx + (this.y[v] - this.y[from]) * dy) / length;
      const side = ((this.x[v] - this.x[from]) * dy - (this.y[v] - this.y[from]) * dx) / length;
      if (along > 0 && along < length && Math.abs(side) < .27) bow = side > 0 ? side - .45 : side + .45;
    }
    this.bows.set(key, bow);
    return bow;
  }
}

// Places the nodes of a graph so that far apart in hops is far apart in the picture, by stress majorization: each node in
// turn goes where, on the mean, its distances to the others are right. The same graph always looks the same.
function spreadOut(count, nextOf) {
  const x = new Float64Array(count), y = new Float64Array(count), hops = new Float32Array(count * count).fill(count);
  const next = Array.from({ length: count }, (_, v) => nextOf(v));
  for (let v = 0; v < count; v++) {
    x[v] = count / 6 * Math.cos(2 * Math.PI * v / count) + .01 * Math.sin(9 * v); // nothing to be stuck in
    y[v] = count / 6 * Math.sin(2 * Math.PI * v / count) + .01 * Math.cos(7 * v);
    const queue = [v];
    hops[v * count + v] = 0;
    for (const at of queue)
      for (const to of next[at])
        if (hops[v * count + to] === count && to !== v) hops[v * count + to] = hops[v * count + at] + 1, queue.push(to);
  }
  const rounds = Math.max(8, Math.min(300, Math.round(6e7 / (count * count + 1))));
  for (let round = 0; round < rounds; round++)
    for (let a = 0; a < count; a++) {
      let sx = 0, sy = 0, sum = 0;
      for (let b = 0; b < count; b++) {
        if (a === b) continue;
        const wish = Math.min(hops[a * count + b], hops[b * count + a]), weight = 1 / (wish * wish);
        const dx = x[a] - x[b], dy = y[a] - y[b], length = Math.hypot(dx, dy) || 1e-3;
        sx += weight * (x[b] + wish * dx / length);
        sy += weight * (y[b] + wish * dy / length);
        sum += weight;
      }
      if (sum) x[a] = sx / sum, y[a] = sy / sum;
    }
  return { x, y };
}
