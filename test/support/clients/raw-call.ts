import { connect } from "node:net";
import { eventually } from "../waiting/eventually.ts";

const KEPT_BYTES = 65_536;

/**
 * A call over a raw socket: the client can stop reading, or disconnect, at any byte. It stores only the end of what it
 * read, so that a long answer does not add to the memory that a test measures.
 */
export async function openRawCall(url: string, path: string, headers: Record<string, string>, body: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let kept: Buffer = Buffer.alloc(0);
  let bytes = 0;
  let isClosed = false;
  const closed = Promise.withResolvers<void>();
  socket.on("data", (data: Buffer) => {
    bytes += data.length;
    kept = Buffer.concat([kept, data]).subarray(-KEPT_BYTES);
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    isClosed = true;
    closed.resolve();
  });
  await new Promise<void>(resolve => socket.once("connect", resolve));
  const lines = Object.entries({
    host: `${hostname}:${port}`,
    ...("transfer-encoding" in headers ? {} : { "content-length": String(Buffer.byteLength(body)) }),
    connection: "close",
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);

  return {
    get text() {
      return kept.toString("utf8");
    },
    get bytes() {
      return bytes;
    },
    get isClosed() {
      return isClosed;
    },
    until: (text: string) =>
      eventually(`the client reads ${JSON.stringify(text)}`, () => kept.includes(text)),
    /** Resolves once the connection is closed by either side. */
    ended: () => closed.promise,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    leave: () => socket.destroy(),
  };
}
