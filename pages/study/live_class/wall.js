// The chart on the wall: marks glide to where the next reports put them. A figure that is drawn anew would blink.

/** An element with words in it. Words are always text, whatever signs are in them. */
function element(kind, name, words) {
  const made = document.createElement(kind);
  made.className = name;
  if (words !== undefined) made.textContent = words;
  return made;
}

const MARKS = ["truth", "interval", "mi", "ibu"];

function legend(data) {
  const made = element("div", "legend");
  MARKS.filter((mark) => mark !== "truth" || data.rows[0].truth !== null).forEach((mark) => {
    const entry = element("span", "entry");
    const sample = element("span", "sample");
    sample.append(element("i", mark));
    entry.append(sample, element("span", "", data.names[mark]));
    made.append(entry);
  });
  return made;
}

function row(name) {
  const made = element("div", "row");
  const track = element("div", "track");
  MARKS.forEach((mark) => track.append(element("i", mark)));
  made.append(element("span", "name", name), track, element("span", "share"));
  return made;
}

function scale(name) {
  const made = element("div", "row scale");
  const track = element("div", "track");
  [0, 25, 50, 75, 100].forEach((share) => {
    const tick = element("span", "tick", `${share}%`);
    tick.style.left = `${share}%`;
    track.append(tick);
  });
  made.append(element("span", "name"), track, element("span", "share", name));
  return made;
}

/** Put the marks of one answer where its shares are; what is not known is not shown. */
function move(drawn, shares) {
  const place = (mark, share, width) => {
    const style = drawn.querySelector(`.${mark}`).style;
    style.visibility = share === null ? "hidden" : "visible";
    if (share !== null) style.left = `${share}%`;
    if (share !== null && width !== undefined) style.width = `${width}%`;
  };
  place("truth", shares.truth === null ? null : 0, shares.truth);
  place("interval", shares.low, shares.high - shares.low);
  place("mi", shares.mi);
  place("ibu", shares.ibu);
  drawn.querySelector(".share").textContent = shares.words;
}

export default function ({ data, parentElement }) {
  const place = parentElement.querySelector(".wall");
  place.setAttribute("aria-label", data.alt);
  Object.entries(data.colors).forEach(([name, color]) => place.style.setProperty(`--${name}`, color));
  const answers = JSON.stringify(data.rows.map((one) => one.name)); // those of another room are other rows
  if (place.answers !== answers) {
    place.answers = answers;
    place.replaceChildren(element("div", "head"), scale(data.names.ibu), ...data.rows.map((one) => row(one.name)));
  }
  place.querySelector(".head").replaceChildren(legend(data));
  place.querySelectorAll(".row:not(.scale)").forEach((drawn, value) => move(drawn, data.rows[value]));
}
