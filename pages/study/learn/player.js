// Plays frames that the server has drawn: it computes nothing but places on the screen, and asks for nothing while it
// plays. When it stops, it tells the server where, so that a task can be ticked off.
const SVG = "http://www.w3.org/2000/svg";
const players = new WeakMap();

function element(name, attributes = {}, text = null) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== null) made.textContent = text;
  return made;
}

function html(name, classes = "", text = null) {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  if (text !== null) made.textContent = text;
  return made;
}

// Words with **strong** parts; never as markup.
function say(place, words) {
  place.replaceChildren(
    ...words.split("**").map((part, i) => (i % 2 ? html("b", "", part) : document.createTextNode(part))),
  );
}

function mark(symbol, color, size = 6) {
  const s = size;
  if (symbol === "circle") return element("circle", { r: s * 0.9, fill: color });
  if (symbol === "circle-open") return element("circle", { r: s * 0.85, fill: "none", stroke: color, "stroke-width": 2.5 });
  if (symbol === "diamond") return element("path", { d: `M0 ${-s * 1.2}L${s * 1.2} 0L0 ${s * 1.2}L${-s * 1.2} 0Z`, fill: color });
  if (symbol === "triangle-up") return element("path", { d: `M0 ${-s}L${s} ${s * 0.8}L${-s} ${s * 0.8}Z`, fill: color });
  if (symbol === "triangle-down") return element("path", { d: `M0 ${s}L${s} ${-s * 0.8}L${-s} ${-s * 0.8}Z`, fill: color });
  if (symbol === "triangle-left") return element("path", { d: `M${-s} 0L${s * 0.8} ${-s}L${s * 0.8} ${s}Z`, fill: color });
  if (symbol === "x") return element("path", { d: `M${-s} ${-s}L${s} ${s}M${s} ${-s}L${-s} ${s}`, stroke: color, "stroke-width": 2.5 });
  return element("rect", { x: -s, y: -s, width: 2 * s, height: 2 * s, fill: color });
}

// The entries of what the panel moves come last; one whose marks are not there yet is hidden, and keeps its room.
function legend(entries) {
  const row = html("div", "legend");
  for (const entry of entries) {
    const item = html("span");
    const picture = element("svg", { viewBox: "-8 -8 16 16" });
    picture.append(mark(entry.symbol, entry.color));
    item.append(picture, document.createTextNode(entry.name));
    row.append(item);
  }
  return row;
}

// ---- rows: a bar for what is true, a mark for each estimate, a number at the end --------------------------------

const ROW = 28;
// Half a mark stands left of the first place of an axis: so much further away are the words there.
const AIR = 6;

// Puts the rows into the picture, the bars below the trail; what changes of them from frame to frame is handed back.
function rowParts(svg, trail, panel, left, wide) {
  const marks = [];
  const numbers = [];
  const bars = [];
  panel.labels.forEach((label, i) => {
    const y = ROW * i + ROW / 2;
    svg.append(element("text", { x: left - 8 - AIR, y: y + 4, "text-anchor": "end" }, label));
    const bar = element("rect", { y: y - 10, height: 20, fill: panel.truthColor });
    bars.push(bar);
    svg.insertBefore(bar, trail);
    marks.push(
      panel.series.map((series) => {
        const group = element("g", { class: "moves" });
        group.append(mark(series.symbol, series.color));
        svg.append(group);
        return group;
      }),
    );
    const number = element("text", { x: wide - 2, y: y + 4, "text-anchor": "end", class: "number" });
    numbers.push(number);
    svg.append(number);
  });
  return { marks, numbers, bars };
}

// A pale dot wherever a mark stood in an earlier frame.
function drawTrail(trail, panel, scale, earlierFrames) {
  earlierFrames.forEach((earlier) =>
    earlier.marks.forEach((row, j) =>
      row.forEach((v, i) =>
        trail.append(
          element("circle", {
            cx: scale(v), cy: ROW * i + ROW / 2, r: 3, fill: panel.series[j].color, "fill-opacity": 0.28,
          }),
        ),
      ),
    ),
  );
}

function rows(panel, wide) {
  const narrow = wide < 480;
  const left = narrow ? 90 : 122;
  const right = 52;
  const scale = (v) => left + ((v - panel.low) / (panel.high - panel.low)) * (wide - left - right);
  const high = ROW * panel.labels.length + 22;
  const svg = element("svg", { height: high, role: "img", "aria-label": panel.title });
  for (const [value, label] of panel.ticks) {
    const x = scale(value);
    svg.append(element("line", { x1: x, x2: x, y1: 0, y2: high - 20, class: value === 0 ? "zero" : "grid" }));
    svg.append(element("text", { x, y: high - 5, "text-anchor": "middle" }, label));
  }
  const trail = element("g");
  svg.append(trail);
  const { marks, numbers, bars } = rowParts(svg, trail, panel, left, wide);
  const draw = (values, frames, at) => {
    const truth = values.truth || panel.truth;
    bars.forEach((bar, i) => {
      const v = truth ? truth[i] : 0;
      bar.setAttribute("x", scale(Math.min(0, v)));
      bar.setAttribute("width", Math.abs(scale(v) - scale(0)));
    });
    marks.forEach((groups, i) =>
      groups.forEach((group, j) => {
        const v = values.marks && values.marks[j] ? values.marks[j][i] : null;
        group.style.display = v === null ? "none" : "";
        if (v !== null) group.style.transform = `translate(${scale(v)}px, ${ROW * i + ROW / 2}px)`;
      }),
    );
    numbers.forEach((number, i) => {
      number.textContent = values.numbers ? values.numbers[i] : "";
    });
    trail.replaceChildren();
    if (panel.trail) drawTrail(trail, panel, scale, frames.slice(0, at));
  };
  return { node: svg, draw };
}

// ---- curves: drawn up to the frame's place, or whole with a mark there -------------------------------------------

function curves(panel, wide) {
  const high = panel.high_px || 190;
  const [left, right, top, bottom] = [46, 14, 8, 38];
  const along = (v) => (panel.log ? Math.log(v) : v);
  const [x0, x1] = [along(panel.x[0]), along(panel.x[panel.x.length - 1])];
  const xs = (v) => left + AIR + ((along(v) - x0) / (x1 - x0)) * (wide - left - right - AIR);
  const ys = (v) => high - bottom - ((v - panel.low) / (panel.high - panel.low)) * (high - top - bottom);
  const svg = element("svg", { height: high, role: "img", "aria-label": panel.title });
  for (const [value, label] of panel.yticks) {
    svg.append(element("line", { x1: left, x2: wide - right, y1: ys(value), y2: ys(value), class: "grid" }));
    svg.append(element("text", { x: left - 6, y: ys(value) + 4, "text-anchor": "end" }, label));
  }
  for (const [value, label] of panel.xticks) {
    svg.append(element("text", { x: xs(value), y: high - bottom + 16, "text-anchor": "middle" }, label));
  }
  svg.append(element("text", { x: (left + wide - right) / 2, y: high - 4, "text-anchor": "middle" }, panel.xname));
  const lines = panel.series.map((series) => {
    const line = element("polyline", {
      fill: "none", stroke: series.color, "stroke-width": 2.5,
      "stroke-dasharray": { dash: "7 5", dot: "2 4" }[series.dash] || "none",
    });
    const end = element("g");
    end.append(mark(series.symbol, series.color));
    svg.append(line, end);
    return [series, line, end];
  });
  const draw = (values) => {
    for (const [series, line, end] of lines) {
      const last = values.at;
      const shown = panel.whole ? series.y.length : last + 1;
      line.setAttribute("points", series.y.slice(0, shown).map((v, i) => `${xs(panel.x[i])},${ys(v)}`).join(" "));
      end.setAttribute("transform", `translate(${xs(panel.x[last])}, ${ys(series.y[last])})`);
    }
  };
  return { node: svg, draw };
}

// ---- tiles: one for each value, with what a stage of a report has there -------------------------------------------

function tiles(panel) {
  const grid = html("div", "tiles");
  grid.style.setProperty("--on", panel.color);
  grid.style.setProperty("--on-ground", panel.ground);
  const made = panel.labels.map((label) => {
    const tile = html("div", "tile");
    const inside = html("b");
    tile.append(html("small", "", label), inside);
    grid.append(tile);
    return [tile, inside];
  });
  const draw = (values) =>
    made.forEach(([tile, inside], i) => {
      tile.className = `tile${values.on[i] ? " on" : ""}${values.changed && values.changed[i] ? " changed" : ""}`;
      inside.textContent = values.words[i];
    });
  return { node: grid, draw };
}

const KINDS = { rows, curves, tiles };

class Player {
  constructor(root) {
    this.root = root;
    this.at = 0;
    this.timer = null;
    this.build();
    this.observer = new ResizeObserver(() => this.layOut());
    this.observer.observe(root);
  }

  build() {
    this.panels = html("div", "panels");
    this.words = html("p", "say");
    this.words.setAttribute("aria-live", "polite");
    this.bar = html("div", "bar");
    this.again = this.button("again", "↺", () => this.go(0), "From the start");
    this.playing = this.button("play", "▶ Play", () => (this.timer ? this.stop() : this.play()));
    this.next = this.button("step", "One step", () => this.go(this.at + 1));
    this.slider = html("input");
    this.slider.type = "range";
    this.slider.min = 0;
    this.slider.oninput = () => { this.pause(); this.show(Number(this.slider.value)); };
    this.slider.onchange = () => this.stopped();
    this.where = html("span", "where");
    this.bar.append(this.again, this.playing, this.next, this.slider, this.where);
    this.root.replaceChildren(this.bar, this.words, this.panels);
  }

  button(classes, label, act, title = "") {
    const made = html("button", classes, label);
    made.type = "button";
    made.onclick = act;
    if (title) made.setAttribute("aria-label", title);
    return made;
  }

  take(data) {
    const same = this.data && this.data.id === data.id && this.data.dark === data.dark;
    this.data = data;
    if (same) return;
    this.pause();
    this.root.style.setProperty("--on-primary", data.dark ? "#0B1220" : "#FFFFFF");
    this.slider.max = data.frames.length - 1;
    this.slider.setAttribute("aria-label", data.slider);
    this.next.textContent = data.step;
    this.bar.style.display = data.frames.length > 1 ? "" : "none";
    this.at = data.autoplay ? 0 : Math.min(data.start, data.frames.length - 1);
    this.drawnWide = 0;
    this.layOut();
    if (data.autoplay) {
      this.play();
      // Whoever pressed the button above wants to see it, on a low screen too.
      requestAnimationFrame(() => this.root.scrollIntoView({ block: "nearest", behavior: "smooth" }));
    }
  }

  layOut() {
    const wide = this.root.clientWidth;
    if (!this.data || !wide || wide === this.drawnWide) return;
    this.drawnWide = wide;
    this.drawn = this.data.panels.map((panel) => KINDS[panel.kind](panel, wide));
    this.panels.replaceChildren();
    this.drawn.forEach(({ node }, i) => {
      const panel = this.data.panels[i];
      if (panel.title) this.panels.append(html("div", "title", panel.title));
      if (panel.legend && panel.legend.length) this.panels.append((this.drawn[i].legend = legend(panel.legend)));
      this.panels.append(node);
    });
    this.show(this.at);
  }

  show(at) {
    this.at = Math.max(0, Math.min(at, this.data.frames.length - 1));
    const frame = this.data.frames[this.at];
    this.drawn.forEach(({ draw, legend: names }, i) => {
      const now = frame.panels[i];
      draw(now, this.data.frames.map((f) => f.panels[i]), this.at);
      if (!names || !now.marks) return;
      const items = [...names.children].slice(-now.marks.length);
      items.forEach((item, j) => { item.style.visibility = now.marks[j] ? "" : "hidden"; });
    });
    say(this.words, frame.text);
    this.words.style.display = frame.text ? "" : "none";
    this.where.textContent = frame.label;
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", frame.label);
    this.next.disabled = this.at === this.data.frames.length - 1;
  }

  go(at) {
    this.pause();
    this.show(at);
    this.stopped();
  }

  play() {
    if (this.at === this.data.frames.length - 1) this.show(0);
    this.playing.textContent = "Pause";
    this.timer = setInterval(() => {
      this.show(this.at + 1);
      if (this.at === this.data.frames.length - 1) this.stop();
    }, this.data.pace);
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.playing.textContent = "▶ Play";
  }

  stop() {
    this.pause();
    this.stopped();
  }

  // Several steps in a row are told once.
  stopped() {
    clearTimeout(this.telling);
    if (!this.data.tells) return;
    this.telling = setTimeout(() => this.tell({ id: this.data.id, frame: this.at }), 350);
  }

  leave() {
    this.pause();
    clearTimeout(this.telling);
    this.observer.disconnect();
  }
}

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector(".player");
  let player = players.get(root);
  if (!player) {
    player = new Player(root);
    players.set(root, player);
  }
  player.tell = (where) => setStateValue("stopped", where);
  player.take(data);
  return () => {
    player.leave();
    players.delete(root);
  };
}
