// The teacher's key, kept by the tab: after a reload the session is another one, and the teacher still the same.

const PREFIX = "ldp-class-key:";

export default function ({ data, setTriggerValue }) {
  try {
    if (data.key) {
      sessionStorage.setItem(PREFIX + data.room, data.key);
    } else {
      const key = sessionStorage.getItem(PREFIX + data.room);
      if (key) setTriggerValue("key", key);
    }
  } catch {
    // where the browser lets nothing be kept, the teacher's link is the way back
  }
}
