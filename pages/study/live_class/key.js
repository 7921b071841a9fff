// What finds the way back: after a reload the session is another one, and the teacher and the students still the same.
// The tab keeps a teacher's key, the phone the name under which it has a place in the room.

const KEY = "ldp-class-key:";
const SEAT = "ldp-class-seat:";
const ROOMS = 5;

/** The key in the address behind the #, which browsers send to nobody; it is taken out, for the address may be on a wall. */
function keyInAddress() {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (key) history.replaceState(history.state, "", location.pathname + location.search);
  return key;
}

/** What may be kept, or nothing where the browser lets nothing be kept: then the teacher's link is the way back. */
function tryTo(keep) {
  try {
    return keep();
  } catch {
    return null;
  }
}

function keepSeat(room, seat) {
  localStorage.setItem(SEAT + room, seat);
  const others = Object.keys(localStorage).filter((name) => name.startsWith(SEAT) && name !== SEAT + room);
  others.slice(ROOMS - 1).forEach((name) => localStorage.removeItem(name));
}

export default function ({ data, parentElement, setTriggerValue }) {
  const handed = (parentElement.querySelector("span").handed ??= {});
  // Once each: what was not taken would be handed over again and again.
  const handOver = (event, value) => {
    if (!value || handed[event] === value) return false;
    handed[event] = value;
    setTriggerValue(event, value);
    return true;
  };
  const found = keyInAddress();
  if (data.key) {
    handed.key = null;
    tryTo(() => sessionStorage.setItem(KEY + data.room, data.key));
    return;
  }
  if (handOver("key", found ?? tryTo(() => sessionStorage.getItem(KEY + data.room)))) return;
  const kept = tryTo(() => localStorage.getItem(SEAT + data.room));
  // A page that was loaded again has come in anew: it goes back to its place, or else two phones would be in the room.
  if (kept !== data.seat && handOver("seat", kept)) return;
  if (data.seat) {
    handed.seat = null;
    tryTo(() => keepSeat(data.room, data.seat));
  }
}
