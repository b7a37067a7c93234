import { connect } from "node:net";

export interface RawAnswer {
  /** null: the connection was closed without an answer. */
  readonly status: number | null;
  readonly text: string;
  /** Everything after the head. */
  readonly body: string;
}

/** A safety net: normally there is an answer, or the other side closes. */
const PATIENCE_MS = 540_000;

/**
 * Sends raw bytes, which no proper client would. Reads until the other side closes, has sent nothing for `patienceMs`
 * after the last byte was written, or adds nothing to a complete answer for `silenceMs`: an incomplete answer is
 * awaited, however long it takes.
 */
export function sendBytes(
  url: string,
  pieces: readonly (string | Uint8Array)[],
  { silenceMs = 300, patienceMs = PATIENCE_MS } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname);
    let text = "";
    let timer: Timer | undefined;
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
      resolve({
        status: status ? Number(status) : null,
        text,
        body: text.split("\r\n\r\n").slice(1).join("\r\n\r\n"),
      });
    };
    const wait = () => {
      clearTimeout(timer);
      if (text === "") timer = setTimeout(end, patienceMs);
      else if (isWhole(text)) timer = setTimeout(end, silenceMs);
    };
    socket.on("data", data => {
      text += data.toString("latin1");
      wait();
    });
    socket.on("error", end);
    socket.on("close", end);
    socket.on("connect", async () => {
      for (const piece of pieces) {
        if (socket.destroyed) break;
        await new Promise<void>(written => socket.write(piece, () => written()));
      }
      wait();
    });
  });
}

/** Ends with a complete answer, judging by its last head. */
function isWhole(text: string): boolean {
  const from = text.lastIndexOf("HTTP/1.1 ");
  const headEnd = text.indexOf("\r\n\r\n", from);
  if (from < 0 || headEnd < 0) return false;
  const head = text.slice(from, headEnd);
  const body = text.slice(headEnd + 4);
  if (/^transfer-encoding: *chunked/im.test(head)) return body.endsWith("0\r\n\r\n");
  return body.length >= Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
}
