// The page: what is chosen, the controls, and when to draw.

const data = JSON.parse(byId('data').textContent);
// slot: 0 before the first; phase: how much of it is over, from 0 to 1. Node and packet: what is chosen, or null.
const state = { slot: 0, phase: 1, node: null, packet: null, path: null, heat: false, bars: !!(data.stored || data.counting), playing: false, view: 0 };
const sides = data.sides || [data]; // one schedule, or two of one problem
const story = data.sides ? new BesideStory(data, state) : data.kind === 'logp' ? new LogpStory(data, state) : new SlotsStory(data, state);
readInk();
const picture = story.pictures(byId('picture'));
const views = story.views();
const chart = new Paper(byId('chart'));
const SLOT_MS = 900; // at speed 1, of a schedule of few slots
let waiting = 0, last = 0, frames = 0, stale = true; // stale: the view below must be drawn again

function factsOf({ summary, note }) {
  const bound = summary.bound_slots === null || summary.bound_slots === undefined ? '' :
    summary.slots === summary.bound_slots ? `, the lower bound` : `, lower bound ${summary.bound_slots}`;
  return [`scheme ${summary.scheme}`, many(summary.nodes, 'node'), many(summary.slots, story.unit) + bound,
    many(summary.transmissions, 'transmission'), note].filter(Boolean).join(' · ');
}

function header() {
  const about = document.title;
  const problems = sides.flatMap(side => side.problems);
  byId('title').replaceChildren(...(problems.length ? [make('span', { class: 'bad' }, `${problems[0]}${problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''}`), ' in '] : []), about);
  document.title = problems.length ? `${problems[0]} — ${about}` : about;
  byId('facts').replaceChildren(...sides.map((side, i) => make('div', {}, (sides.length > 1 ? ['left: ', 'right: '][i] : '') + factsOf(side))));
  byId('legend').replaceChildren(...story.legend());
  if (problems.length > 1) {
    byId('warning').hidden = false;
    byId('warning').replaceChildren(...problems.slice(0, 20).map(text => make('div', {}, text)));
  }
}

// ---- drawing, at most once a frame

function redraw() {
  stale = true;
  nextFrame();
}

function nextFrame() { if (!waiting) waiting = requestAnimationFrame(frame); }

function frame(now) {
  waiting = 0;
  frames++;
  if (state.playing) advance(now);
  picture.draw();
  if (stale || views[state.view].moves) drawView();
  stale = false;
  if (state.playing) nextFrame();
}

function advance(now) {
  const speed = Number(byId('speed').value), length = SLOT_MS / Math.max(1, Math.min(6, story.steps / 12));
  const passed = last ? Math.min(200, now - last) * speed / length : 0;
  last = now;
  state.phase += passed;
  const before = state.slot;
  while (state.phase >= 1 && state.slot < story.steps) state.slot++, state.phase -= 1;
  if (state.slot >= story.steps && state.phase >= 1) {
    state.phase = 1;
    state.playing = false;
    tell();
  }
  if (state.slot !== before) changed();
}

function drawView() {
  const view = views[state.view], area = byId('view'), [wide, high] = view.size();
  byId('room').style.width = `${wide}px`;
  byId('room').style.height = `${high}px`;
  const width = area.clientWidth, height = area.clientHeight;
  chart.fit(width, height);
  chart.canvas.style.width = `${width}px`;
  chart.canvas.style.height = `${height}px`;
  chart.clear();
  view.draw(chart.context, area.scrollLeft, area.scrollTop, width, height);
}

// ---- going to a slot

// Whatever shows the slot beside the pictures. While it plays, only the short things.
function changed() {
  stale = true;
  byId('clock').textContent = story.clock();
  byId('slider').value = state.slot;
  byId('slider').setAttribute('aria-valuetext', story.clock());
  byId('caption').textContent = views[state.view].caption();
  if (state.heat) picture.drawLinks();
  if (state.playing) return;
  showMoves();
  showSelection();
}

function tell() { // when it stands still
  const play = byId('play');
  play.querySelector('path').setAttribute('d', state.playing ? 'M4 2h3v12H4zM9 2h3v12H9z' : 'M4 2v12l10-6z');
  play.setAttribute('aria-label', state.playing ? 'Pause' : 'Play');
  if (state.playing) return;
  last = 0;
  changed();
  byId('said').textContent = story.said();
  history.replaceState(null, '', `#slot=${state.slot}`);
}

function go(slot) {
  state.playing = false;
  state.slot = Math.max(0, Math.min(story.steps, Math.round(slot)));
  state.phase = story.rest(state.slot);
  tell();
  redraw();
}

function play() {
  state.playing = !state.playing;
  if (state.playing && state.slot >= story.steps) state.slot = 0, state.phase = story.rest(0);
  tell();
  redraw();
}

function fromAddress() {
  const match = /slot=(\d+)/.exec(location.hash);
  return match ? Number(match[1]) : null;
}

// ---- choosing

function choose(found) {
  if (!found) return;
  if (found.packet) {
    state.packet = { ...found.packet };
    state.path = story.path(state.packet);
  }
  if (found.node !== undefined) state.node = found.node;
  if (found.slot !== undefined && found.slot !== state.slot) go(found.slot);
  showSelection();
  byId('caption').textContent = views[state.view].caption();
  redraw();
}

function clear() {
  state.packet = state.path = state.node = null;
  showSelection();
  byId('caption').textContent = views[state.view].caption();
  redraw();
}

function showSelection() {
  const parts = [];
  if (state.packet) parts.push(...story.packetDetails(state.packet, go));
  if (state.node !== null) parts.push(...story.nodeDetails(state.node, choose));
  if (!parts.length) parts.push(make('p', {}, `Click a packet to see its path, a node to see what it holds.`));
  byId('selection').replaceChildren(...parts.filter(Boolean));
}

function showMoves() {
  const { title, content } = story.moves(choose);
  byId('moves-title').textContent = title;
  byId('moves').replaceChildren(...content);
}

function find(event) {
  event.preventDefault();
  const node = byId('node').value.trim(), text = byId('packet').value.trim(), found = {};
  byId('node').setCustomValidity(node && !(/^\d+$/.test(node) && Number(node) < sides[0].summary.nodes) ? 'There is no such node.' : '');
  const packet = text ? story.parse(text) : null;
  byId('packet').setCustomValidity(text && !packet ? 'No such packet is sent.' : '');
  if (!event.target.reportValidity()) return;
  if (node) found.node = Number(node);
  if (packet) found.packet = packet;
  choose(found);
}

// ---- wiring

function pick(element, hit) {
  const at = event => {
    const box = element.getBoundingClientRect();
    return hit(event.clientX - box.left, event.clientY - box.top);
  };
  element.addEventListener('click', event => choose(at(event)));
  element.addEventListener('pointermove', event => {
    if (state.playing) return;
    const found = at(event);
    element.style.cursor = found && (found.packet || found.node !== undefined) ? 'pointer' : 'default';
    element.title = story.hint(found);
  });
}

function makeTabs() {
  const tabs = views.map((view, i) => make('button', { type: 'button', role: 'tab', 'aria-controls': 'view', onclick: () => show(i) }, view.title));
  const show = i => {
    state.view = i;
    tabs.forEach((tab, k) => tab.setAttribute('aria-selected', k === i));
    byId('caption').textContent = views[i].caption();
    byId('view').scrollTo(0, 0);
    redraw();
  };
  byId('tabs').replaceChildren(...tabs);
  if (sides[0].kind === 'slots') {
    const heat = make('input', { type: 'checkbox', onchange: () => { state.heat = heat.checked; picture.drawLinks(); redraw(); } });
    const bars = make('input', { type: 'checkbox', checked: state.bars, onchange: () => { state.bars = bars.checked; redraw(); } });
    byId('tabs').append(make('label', {}, heat, 'load in the picture'), make('label', {}, bars, 'queues as bars'));
  }
  show(0);
}

function keys(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
  if (event.target.tagName === 'BUTTON' && event.key === ' ') return;
  const actions = { ' ': play, ArrowRight: () => go(state.slot + 1), ArrowLeft: () => go(state.slot - 1), Home: () => go(0),
    End: () => go(story.steps), PageDown: () => go(state.slot + 10), PageUp: () => go(state.slot - 10), Escape: clear };
  if (!actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
}

function fitAll() {
  readInk();
  const canvas = byId('picture'), most = .62 * window.innerHeight;
  canvas.style.height = `${Math.round(Math.max(240, Math.min(most, picture.height(canvas.clientWidth))))}px`;
  picture.resize();
  redraw();
}

byId('slider').max = story.steps;
byId('slider').addEventListener('input', event => go(Number(event.target.value)));
byId('play').addEventListener('click', play);
byId('back').addEventListener('click', () => go(state.slot - 1));
byId('forward').addEventListener('click', () => go(state.slot + 1));
byId('first').addEventListener('click', () => go(0));
byId('clear').addEventListener('click', clear);
byId('find').addEventListener('submit', find);
byId('picture').setAttribute('aria-label', `${sides[0].summary.topology}: the network with its packets. Arrow keys step, space plays.`);
byId('view').addEventListener('scroll', redraw);
document.addEventListener('keydown', keys);
window.addEventListener('hashchange', () => { if (fromAddress() !== null && fromAddress() !== state.slot) go(fromAddress()); });
window.addEventListener('beforeprint', () => { fitAll(); frame(0); });
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', fitAll);
new ResizeObserver(fitAll).observe(byId('left'));
window.addEventListener('resize', fitAll);
new ResizeObserver(redraw).observe(byId('view'));
pick(byId('picture'), (x, y) => picture.hit(x, y));
pick(byId('chart'), (x, y) => views[state.view].hit(x + byId('view').scrollLeft, y + byId('view').scrollTop, byId('view').clientWidth));
header();
makeTabs();
fitAll();
const plays = /\bplay\b/.test(location.hash) && !matchMedia('(prefers-reduced-motion: reduce)').matches; // go() writes the address
go(fromAddress() ?? (story.steps ? 1 : 0));
if (plays) play();
