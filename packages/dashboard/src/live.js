const CHANNELS = ["events", "totals", "agents", "alerts", "topology"];
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 15_000;
const TOO_FAR_BACK = 4409;
const ENDED = [4400, 4401, 4403];

/**
 * Watches the live channel (docs/live.md), and resumes after the last `seq` when the connection is lost. `onState` gets
 * "live" or "reconnecting"; `onGap` means that too much was missed to resume, `onEnd` that reconnecting is pointless.
 */
export function watchLive(mode, { onMessage, onState, onGap, onEnd }) {
  const url = new URL(`/api/live?mode=${encodeURIComponent(mode)}`, location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  let seq = null;
  let attempts = 0;
  let isClosed = false;
  let socket = null;
  let timer;

  function connect() {
    socket = new WebSocket(url);
    socket.onopen = () => {
      const since = seq === null ? {} : { since: seq };
      socket.send(JSON.stringify({ subscribe: CHANNELS, ack: true, ...since }));
    };
    socket.onmessage = ({ data }) => {
      if (isClosed) return;
      const message = JSON.parse(data);
      if (message.channel === undefined) {
        // The acknowledgement has the starting position, so losing the connection before the first message is safe.
        if (message.subscribed !== undefined) seq = message.seq;
        return;
      }
      // Not when it opens: the server may close it immediately.
      if (attempts !== -1) onState("live");
      attempts = -1;
      seq = message.seq;
      onMessage(message);
    };
    socket.onclose = ({ code }) => {
      if (isClosed) return;
      if (ENDED.includes(code)) {
        onEnd();
        return;
      }
      if (code === TOO_FAR_BACK) {
        seq = null;
        onGap();
      }
      onState("reconnecting");
      attempts = Math.max(0, attempts) + 1;
      const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1));
      timer = setTimeout(connect, pause * (0.5 + Math.random() / 2));
    };
  }

  connect();
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      socket.close();
    },
  };
}
