// Where the nodes stand, as the program has placed them. The unit is the distance of neighbours; y grows downwards.

class Layout {
  constructor(network) {
    this.nodes = network.nodes;
    this.x = Float64Array.from(network.x, place => place / 1000);
    this.y = Float64Array.from(network.y, place => place / 1000);
    const [left, right, top, bottom] = network.box.map(place => place / 1000);
    this.box = { left, right, top, bottom };
    this.nearest = network.nearest / 1000; // distance of the two closest nodes
    this.bows = new Map();
    for (let i = 0; i < network.bows.length; i += 3)
      this.bows.set(network.bows[i] * this.nodes + network.bows[i + 1], network.bows[i + 2] / 1000);
  }
  // How far the middle of the line between two nodes lies off the straight one, to pass nodes between them.
  bow(a, b) { return this.bows.get(Math.min(a, b) * this.nodes + Math.max(a, b)) || 0; }
}
