// Two schedules of one problem, played side by side: every part is that of each, beside the other.

class BesideStory {
  constructor(data, state) {
    this.state = state;
    this.sides = data.sides.map((side, i) => {
      let steps = 0; // of this side, which may be over while the other goes on
      const own = Object.create(state, {
        slot: { get: () => Math.min(state.slot, steps) },
        phase: { get: () => state.slot > steps ? 1 : state.phase },
        path: { get: () => state.path && state.path.filter(hop => hop.side === i) },
      });
      const story = side.kind === 'logp' ? new LogpStory(side, own) : new SlotsStory(side, own);
      steps = story.steps;
      return story;
    });
    this.names = data.sides.map((side, i) => `${i ? 'right' : 'left'}: ${side.summary.scheme}`);
    this.steps = Math.max(...this.sides.map(side => side.steps));
    this.unit = this.sides[0].unit;
  }
  rest(slot) { return this.sides[0].rest(slot); }
  pictures(canvas) { return new BesidePicture(canvas, this.sides, this.names); }
  views() {
    const [left, right] = this.sides.map(side => side.views());
    return left.map((view, i) => new BesideView(view, right[i]));
  }
  legend() {
    const [left, right] = this.sides.map(side => side.legend());
    const text = list => list.map(part => part.outerHTML || part).join('');
    return text(left) === text(right) ? left : [...left, make('br'), ...right];
  }
  clock() { return this.sides.map(side => side.clock()).join(' | '); }
  said() { return this.sides.map((side, i) => `${this.names[i]}: ${side.said()}`).join(' '); }
  moves(choose) {
    const both = this.sides.map(side => side.moves(choose));
    return { title: both.map(one => one.title).join(' | '),
      content: both.flatMap((one, i) => [make('h3', {}, this.names[i]), ...one.content]) };
  }
  parse(text) { return this.sides[0].parse(text) || this.sides[1].parse(text); }
  path(packet) { return this.sides.flatMap((side, i) => side.path(packet).map(hop => ({ ...hop, side: i }))); }
  packetDetails(packet, go) { return this.each(side => side.packetDetails(packet, go)); }
  nodeDetails(node, choose) { return this.each(side => side.nodeDetails(node, choose)); }
  each(details) { return this.sides.flatMap((side, i) => [make('h3', {}, this.names[i]), ...details(side)]); }
  hint(found) { return found ? this.sides[found.side].hint(found) : ''; }
}

// Beside each other, or where there is no room one above the other.
class BesidePicture {
  constructor(canvas, stories, names) {
    this.paper = new Paper(canvas);
    this.names = names;
    this.sides = stories.map(story => story.pictures(document.createElement('canvas')));
  }
  stacked(width) { return width < 700; }
  height(width) {
    if (this.stacked(width)) return this.sides.reduce((sum, side) => sum + side.height(width) + BesidePicture.HEAD, 0);
    return Math.max(...this.sides.map(side => side.height(width / 2))) + BesidePicture.HEAD;
  }
  resize() {
    const canvas = this.paper.canvas, width = canvas.clientWidth, height = canvas.clientHeight, stacked = this.stacked(width);
    this.paper.fit(width, height);
    this.step = stacked ? [0, height / 2] : [width / 2, 0];
    for (const side of this.sides) side.resize(stacked ? width : width / 2, (stacked ? height / 2 : height) - BesidePicture.HEAD);
  }
  drawLinks() { for (const side of this.sides) side.drawLinks(); }
  draw() {
    const { context } = this.paper;
    this.paper.clear();
    context.font = '600 13px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.textAlign = 'left';
    this.sides.forEach((side, i) => {
      side.draw();
      context.drawImage(side.paper.canvas, i * this.step[0], i * this.step[1] + BesidePicture.HEAD, side.paper.width, side.paper.height);
      context.fillStyle = ink.text;
      context.fillText(this.names[i], i * this.step[0] + 8, i * this.step[1] + BesidePicture.HEAD / 2);
    });
    context.fillStyle = ink.line;
    if (this.step[0]) context.fillRect(this.step[0], 0, 1, this.paper.height);
    else context.fillRect(0, this.step[1], this.paper.width, 1);
  }
  hit(x, y) {
    const side = this.step[0] ? +(x >= this.step[0]) : +(y >= this.step[1]);
    const found = this.sides[side].hit(x - side * this.step[0], y - side * this.step[1] - BesidePicture.HEAD);
    return found && { ...found, side };
  }
}
BesidePicture.HEAD = 24; // above each picture, for its name

// Two views of a kind, which are scrolled together.
class BesideView {
  constructor(...views) {
    this.views = views;
    abreast = views.length;
    this.title = views[0].title;
    this.moves = views[0].moves;
  }
  caption() { return this.views[0].caption(); }
  half() { return Math.floor(byId('view').clientWidth / 2); }
  size() {
    const [left, right] = this.views.map(view => view.size()), wide = Math.max(left[0], right[0]);
    return [wide ? wide + this.half() : 0, Math.max(left[1], right[1])];
  }
  draw(context, x, y, width, height) {
    const half = this.half();
    this.views.forEach((view, i) => {
      context.save();
      context.translate(i * half, 0);
      context.beginPath();
      context.rect(0, 0, half - 2, height);
      context.clip();
      view.draw(context, x, y, half - 2, height);
      context.restore();
    });
    context.fillStyle = ink.line;
    context.fillRect(half - 1, 0, 1, height);
  }
  hit(x, y) {
    const half = this.half(), side = +(x - byId('view').scrollLeft >= half), found = this.views[side].hit(x - side * half, y, half - 2);
    return found && { ...found, side };
  }
}
