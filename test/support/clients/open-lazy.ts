import { connect, type Socket } from "node:net";
import { eventually } from "../waiting/eventually.ts";

/** Two bytes of a frame, and the code; the reason follows. */
const CLOSE_FRAME_BYTES = 4;
const TOO_SLOW = "too slow";

/** A viewer that connects, subscribes, and reads only on demand. */
export async function openLazy(url: string, key: string, subscribe?: unknown) {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect({ host: hostname, port: Number(port) });
  const chunks: Buffer[] = [];
  let isClosed = false;
  socket.on("close", () => {
    isClosed = true;
  });
  socket.on("error", () => {});
  socket.write(
    [
      "GET /api/live HTTP/1.1",
      `Host: ${hostname}:${port}`,
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      `Authorization: Bearer ${key}`,
      "",
      "",
    ].join("\r\n"),
  );
  socket.on("data", chunk => chunks.push(Buffer.from(chunk)));
  await eventually("it is open", () => Buffer.concat(chunks).includes("\r\n\r\n"));
  if (subscribe !== undefined) {
    const text = Buffer.from(JSON.stringify(subscribe));
    // A client's frames are masked; a mask of zeros does not change them.
    socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]));
    await eventually("it is subscribed", () => Buffer.concat(chunks).includes('"channel":"totals"'));
  }
  socket.pause();
  return {
    get isClosed() {
      return isClosed;
    },
    resume: () => socket.resume(),
    /** Ids of the events that have arrived, in order. */
    events: () =>
      [
        ...Buffer.concat(chunks)
          .toString("latin1")
          .matchAll(/"channel":"events","seq":"[\w-]+","data":\{"id":"([^"]+)"/g),
      ].map(match => match[1] ?? ""),
    totals: () => Buffer.concat(chunks).toString("latin1").split('"channel":"totals"').length - 1,
    /** The code in the last frame, if that is a close frame. */
    closeCode() {
      const frame = Buffer.concat(chunks).subarray(-(CLOSE_FRAME_BYTES + TOO_SLOW.length));
      return frame[0] === 0x88 ? frame.readUInt16BE(2) : null;
    },
    end: () => socket.destroy(),
  };
}
