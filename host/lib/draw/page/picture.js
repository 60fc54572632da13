// The network, and the packets that move in it.

class Picture {
  constructor(canvas, schedule, state) {
    this.paper = new Paper(canvas);
    this.below = document.createElement('canvas'); // links, which stay where they are
    this.schedule = schedule;
    this.network = schedule.network;
    this.state = state;
    this.layout = new Layout(this.network);
    this.pairs = this.network.pairs();
    this.shown = []; // what the last frame shows of packets, and where
    this.lit = []; // hops that the last frame lights up
    this.box = this.layout.box;
    this.nearest = this.layout.nearest;
  }
  // The height that suits a width.
  height(width) { return width * (this.box.bottom - this.box.top + 1.1) / (this.box.right - this.box.left + 1.1); }
  resize(width = this.paper.canvas.clientWidth, height = this.paper.canvas.clientHeight) {
    const box = this.box;
    this.paper.fit(width, height);
    const margin = .55, wide = box.right - box.left + 2 * margin, high = box.bottom - box.top + 2 * margin;
    this.unit = Math.min(this.paper.width / wide, this.paper.height / high, 300);
    this.left = (this.paper.width - (box.left + box.right) * this.unit) / 2;
    this.top = (this.paper.height - (box.top + box.bottom) * this.unit) / 2;
    this.radius = Math.max(1.5, Math.min(26, .22 * this.nearest * this.unit));
    this.dot = Math.max(1.2, Math.min(8, .34 * this.radius));
    this.motion = null;
    this.drawLinks();
  }
  at(node) { return [this.left + this.layout.x[node] * this.unit, this.top + this.layout.y[node] * this.unit]; }
  // The control point of the curve of a link.
  bend(a, b) {
    const [ax, ay] = this.at(a), [bx, by] = this.at(b), length = Math.hypot(bx - ax, by - ay) || 1;
    const bow = 2 * this.layout.bow(a, b) * this.unit * (a < b ? 1 : -1);
    return [(ax + bx) / 2 + (by - ay) / length * bow, (ay + by) / 2 - (bx - ax) / length * bow];
  }
  // The curve of a link, from its beginning over the control point to its end, so far to the right. Of links side by
  // side that of a lane; without one the middle between them.
  curve(a, b, lane, right = 0) {
    const [ax, ay] = this.at(a), [bx, by] = this.at(b), [cx, cy] = this.bend(a, b);
    const length = Math.hypot(bx - ax, by - ay) || 1, lines = this.network.lines(a, b);
    if (lines > 1 && lane !== undefined)
      right += (lane % lines - (lines - 1) / 2) * Math.min(4 * this.dot, 1.7 * this.radius / (lines - 1)) * (a < b ? 1 : -1);
    const sx = -(by - ay) / length * right, sy = (bx - ax) / length * right;
    return [ax + sx, ay + sy, cx + sx, cy + sy, bx + sx, by + sy];
  }
  trace(context, a, b, lane) {
    const [ax, ay, ...rest] = this.curve(a, b, lane);
    context.moveTo(ax, ay);
    context.quadraticCurveTo(...rest);
  }
  drawLinks() {
    const { below, paper, state } = this;
    below.width = paper.canvas.width;
    below.height = paper.canvas.height;
    const context = below.getContext('2d'), dots = below.width / paper.width;
    context.setTransform(dots, 0, 0, dots, 0, 0);
    context.fillStyle = ink.page;
    context.fillRect(0, 0, paper.width, paper.height);
    context.lineWidth = Math.max(.5, Math.min(2, this.radius / 6));
    context.strokeStyle = ink.line;
    context.globalAlpha = this.pairs.length > 3000 ? .35 : 1;
    if (state.heat) return this.drawLoads(context);
    context.beginPath();
    for (const link of this.pairs) this.trace(context, ...link);
    context.stroke();
  }
  // Links as thick and as red as they have been busy, both directions together.
  drawLoads(context) {
    const n = this.network, load = this.schedule.load(this.state.slot), sums = new Map();
    let most = 1;
    for (const [a, b, lane] of this.pairs) {
      const back = n.portTo(b, a, lane), sum = load[a * n.ports + n.portTo(a, b, lane)] + (back < 0 ? 0 : load[b * n.ports + back]);
      sums.set(sum, (sums.get(sum) || []).concat([[a, b, lane]]));
      most = Math.max(most, sum);
    }
    for (const [sum, pairs] of [...sums].sort((x, y) => x[0] - y[0])) {
      context.beginPath();
      context.strokeStyle = heatColour(sum / most);
      context.lineWidth = Math.max(.7, Math.min(8, this.radius / 2) * sum / most);
      for (const link of pairs) this.trace(context, ...link);
      context.stroke();
    }
  }
  // Where the packets of a slot are going: ends and bends of all, the packets of one colour together.
  prepare(slot) {
    if (this.motion && this.motion.slot === slot) return this.motion;
    const parts = [], lanes = [], most = this.network.latencyMost();
    for (let sent = Math.max(1, slot - most + 1); sent <= slot; sent++) {
      const list = this.schedule.sentIn(sent);
      for (let i = 0; i < list.count; i++) {
        const latency = this.network.latency(list.src[i], list.dst[i]);
        if (sent + latency <= slot) continue;
        parts.push([sent, latency, list.src[i], list.dst[i], list.origin[i], list.dest[i]]);
        lanes.push(list.lane[i]);
      }
    }
    const motion = { slot, count: parts.length, parts, path: new Float32Array(parts.length * 6) };
    motion.colour = parts.map(p => this.schedule.colourOf(p[2], p[4], p[5]));
    motion.order = [...parts.keys()].sort((a, b) => motion.colour[a] - motion.colour[b]);
    parts.forEach(([, , src, dst], i) => {
      // On the right-hand side, so that packets that meet on a link pass each other.
      motion.path.set(this.curve(src, dst, lanes[i], this.dot * .85), 6 * i);
    });
    motion.x = new Float32Array(parts.length);
    motion.y = new Float32Array(parts.length);
    motion.angle = new Float32Array(parts.length);
    return this.motion = motion;
  }
  draw() {
    const { paper, state } = this, context = paper.context;
    context.globalAlpha = 1;
    context.drawImage(this.below, 0, 0, paper.width, paper.height);
    const motion = this.prepare(state.slot);
    this.move(motion);
    this.drawLit(context);
    this.drawNodes(context);
    this.drawSlots(context);
    if (state.bars) this.drawQueues(context);
    this.drawPackets(context, motion);
    this.drawCounting(context);
    this.drawMarks(context);
    this.shown = motion;
  }
  move(motion) {
    const { path, x, y, angle, parts } = motion;
    for (let i = 0; i < motion.count; i++) {
      const t = (this.state.slot - parts[i][0] + this.state.phase) / parts[i][1], s = 1 - t, k = 6 * i;
      const a = s * s, b = 2 * s * t, c = t * t;
      x[i] = a * path[k] + b * path[k + 2] + c * path[k + 4];
      y[i] = a * path[k + 1] + b * path[k + 3] + c * path[k + 5];
      angle[i] = Math.atan2(s * (path[k + 3] - path[k + 1]) + t * (path[k + 5] - path[k + 3]), s * (path[k + 2] - path[k]) + t * (path[k + 4] - path[k + 2]));
    }
  }
  drawLit(context) {
    this.lit = this.state.path || [];
    if (!this.lit.length) return;
    context.strokeStyle = ink.mark;
    context.lineCap = 'round';
    for (const hop of this.lit) {
      context.globalAlpha = hop.slot <= this.state.slot ? 1 : .4;
      context.lineWidth = Math.max(2, this.radius / 2.5);
      context.beginPath();
      this.trace(context, hop.src, hop.dst, hop.lane);
      context.stroke();
    }
    context.globalAlpha = 1;
  }
  // The slots of what is lit, beside the links, and outside where these are bent: there are no nodes there.
  drawSlots(context) {
    if (this.radius < 5 || this.lit.length > 200) return;
    context.font = `${Math.max(10, Math.min(13, this.radius))}px system-ui, sans-serif`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    for (const hop of this.lit) {
      const [ax, ay] = this.at(hop.src), [bx, by] = this.at(hop.dst), [cx, cy] = this.bend(hop.src, hop.dst);
      const side = (cx - (ax + bx) / 2) * (ay - by) + (cy - (ay + by) / 2) * (bx - ax) < -1 ? -1 : 1;
      const off = (this.dot + 9) * side / (Math.hypot(bx - ax, by - ay) || 1);
      const x = .16 * ax + .48 * cx + .36 * bx - (by - ay) * off, y = .16 * ay + .48 * cy + .36 * by + (bx - ax) * off;
      context.lineWidth = 3;
      context.strokeStyle = ink.page;
      context.strokeText(hop.slot, x, y);
      context.fillStyle = ink.mark;
      context.fillText(hop.slot, x, y);
    }
  }
  // A node fills as what it must get arrives.
  drawNodes(context) {
    const { network, schedule, state, radius } = this, after = state.phase >= 1 ? state.slot : state.slot - 1;
    const same = schedule.folded ? schedule.share(0, after) : 0;
    context.lineWidth = Math.max(.6, Math.min(2, radius / 6));
    for (let v = 0; v < network.nodes; v++) {
      const [x, y] = this.at(v), share = schedule.folded ? same : schedule.share(v, after);
      if (radius < 5) {
        context.fillStyle = ink.idle;
        context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
        context.fillStyle = ink.bar;
        context.fillRect(x - radius, y + radius - 2 * radius * share, 2 * radius, 2 * radius * share);
        context.strokeStyle = ink.line;
        context.strokeRect(x - radius, y - radius, 2 * radius, 2 * radius);
      } else {
        this.outline(context, v, x, y);
        context.fillStyle = ink.idle;
        context.fill();
        const half = Math.acos(1 - 2 * share); // of the arc below the level
        if (!network.isSwitch(v)) {
          context.beginPath();
          context.arc(x, y, radius, Math.PI / 2 - half, Math.PI / 2 + half);
          context.fillStyle = ink.bar;
          context.globalAlpha = .6;
          context.fill();
          context.globalAlpha = 1;
        }
        this.outline(context, v, x, y);
        context.strokeStyle = v === state.node ? ink.mark : ink.line;
        context.lineWidth = v === state.node ? 3 : Math.min(2, radius / 6);
        context.stroke();
      }
      if (v === state.node && radius < 5) {
        context.strokeStyle = ink.mark;
        context.strokeRect(x - radius - 3, y - radius - 3, 2 * radius + 6, 2 * radius + 6);
      }
    }
    this.drawNames(context);
  }
  // A disc; of a switch a square.
  outline(context, v, x, y) {
    const { radius } = this, half = .86 * radius;
    context.beginPath();
    if (this.network.isSwitch(v)) context.rect(x - half, y - half, 2 * half, 2 * half);
    else context.arc(x, y, radius, 0, 2 * Math.PI);
  }
  drawNames(context) {
    if (this.radius < 8) return;
    const size = Math.min(14, this.radius * (this.network.nodes > 99 ? .8 : .95));
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    for (let v = 0; v < this.network.nodes; v++) {
      const [x, y] = this.at(v), coordinates = this.network.coordinates(v);
      context.fillStyle = ink.text;
      context.font = `600 ${size}px system-ui, sans-serif`;
      const fits = this.network.names && context.measureText(coordinates).width < 1.8 * this.radius;
      context.fillText(fits ? coordinates : v, x, y);
      if (fits || !coordinates || this.radius < 15 || coordinates.length > (this.network.names ? 12 : 7)) continue;
      context.font = `${Math.max(9, size * .7)}px system-ui, sans-serif`;
      context.lineWidth = 3;
      context.strokeStyle = ink.page;
      context.strokeText(coordinates, x + this.radius + 2, y + this.radius + 4);
      context.fillStyle = ink.quiet;
      context.fillText(coordinates, x + this.radius + 2, y + this.radius + 4);
    }
  }
  drawPackets(context, motion) {
    const { state, dot } = this, square = motion.count > 800 || dot < 2.5;
    let colour = -1;
    const edge = !square && dot > 3;
    context.strokeStyle = ink.page;
    context.lineWidth = 1;
    for (const i of motion.order) {
      const [, , , , origin, dest] = motion.parts[i];
      const other = state.packet && (state.packet.origin !== origin || state.packet.dest !== dest);
      context.globalAlpha = other ? .12 : 1;
      if (motion.colour[i] !== colour) context.fillStyle = this.schedule.colours[colour = motion.colour[i]];
      const size = state.packet && !other ? Math.max(4, 1.4 * dot) : dot;
      if (square) {
        context.fillRect(motion.x[i] - size, motion.y[i] - size, 2 * size, 2 * size);
      } else {
        this.arrow(context, motion.x[i], motion.y[i], motion.angle[i], size);
        context.fill();
        if (edge) context.stroke();
      }
    }
    context.globalAlpha = 1;
  }
  // A packet points where it goes.
  arrow(context, x, y, angle, size) {
    const dx = size * Math.cos(angle), dy = size * Math.sin(angle);
    context.beginPath();
    context.moveTo(x + 1.5 * dx, y + 1.5 * dy);
    context.lineTo(x - dx - 1.1 * dy, y - dy + 1.1 * dx);
    context.lineTo(x - .5 * dx, y - .5 * dy);
    context.lineTo(x - dx + 1.1 * dy, y - dy - 1.1 * dx);
    context.closePath();
  }
  // Beside each node a bar as high as what it holds for others.
  drawQueues(context) {
    const { schedule, state, radius } = this, most = schedule.queueMost(), wide = Math.max(2, radius * .4), high = 2 * radius;
    this.bars = []; // what is drawn, node by node
    context.font = `${Math.max(9, Math.min(12, radius * .7))}px system-ui, sans-serif`;
    context.textAlign = 'center';
    context.textBaseline = 'bottom';
    for (let v = 0; v < this.network.nodes; v++) {
      const [x, y] = this.at(v), count = schedule.queue(v, state.slot), left = x - radius - wide - 2, tall = high * count / most;
      this.bars.push(count);
      context.fillStyle = ink.idle;
      context.fillRect(left, y - radius, wide, high);
      context.fillStyle = ink.mark;
      context.fillRect(left, y + radius - tall, wide, tall);
      if (radius < 10 || !count) continue;
      context.fillStyle = ink.text;
      context.fillText(count, left + wide / 2, y - radius - 1);
    }
  }
  // The words of counting: what each says, in a frame.
  drawCounting(context) {
    const { state } = this, words = this.counted = this.schedule.counting.get(state.slot) || [], size = Math.max(3, this.dot);
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.font = `${Math.max(9, Math.min(13, 1.6 * size))}px system-ui, sans-serif`;
    for (const [src, dst, number] of words) {
      const [ax, ay] = this.at(src), [bx, by] = this.at(dst), [cx, cy] = this.bend(src, dst), t = state.phase, s = 1 - t;
      const x = s * s * ax + 2 * s * t * cx + t * t * bx, y = s * s * ay + 2 * s * t * cy + t * t * by;
      const wide = size > 4 ? context.measureText(number).width / 2 + 4 : size;
      context.fillStyle = ink.page;
      context.strokeStyle = ink.mark;
      context.lineWidth = 1.5;
      context.fillRect(x - wide, y - size - 2, 2 * wide, 2 * size + 4);
      context.strokeRect(x - wide, y - size - 2, 2 * wide, 2 * size + 4);
      if (size <= 4) continue;
      context.fillStyle = ink.mark;
      context.fillText(number, x, y);
    }
  }
  drawMarks(context) {
    for (const [slot, src, dst] of this.schedule.marks) {
      if (slot !== this.state.slot || !(src < this.network.nodes) || !(dst < this.network.nodes)) continue;
      context.strokeStyle = ink.bad;
      context.lineWidth = 3;
      context.setLineDash([6, 4]);
      context.beginPath();
      this.trace(context, src, dst);
      context.stroke();
      context.setLineDash([]);
      const [ax, ay] = this.at(src), [bx, by] = this.at(dst), [cx, cy] = this.bend(src, dst);
      context.beginPath();
      context.arc((ax + 2 * cx + bx) / 4, (ay + 2 * cy + by) / 4, this.dot + 5, 0, 2 * Math.PI);
      context.stroke();
    }
  }
  // What is at a point: {packet: …}, {node: …} or null. Packets lie above nodes.
  hit(x, y) {
    const shown = this.shown, reach = Math.max(this.dot + 3, 6);
    let best = null, least = reach * reach;
    for (let i = 0; i < (shown.count || 0); i++) {
      const square = (shown.x[i] - x) ** 2 + (shown.y[i] - y) ** 2;
      if (square <= least) least = square, best = { origin: shown.parts[i][4], dest: shown.parts[i][5], move: shown.parts[i] };
    }
    if (best) return { packet: best };
    for (let v = 0; v < this.network.nodes; v++) {
      const [a, b] = this.at(v);
      if (Math.hypot(a - x, b - y) <= Math.max(this.radius, 6)) return { node: v };
    }
    return null;
  }
}

// From the colour of an idle link to red.
function heatColour(share) {
  return `color-mix(in srgb, ${ink.bad} ${Math.round(100 * share)}%, ${ink.line})`;
}
