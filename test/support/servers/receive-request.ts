import type { Socket } from "node:net";

export interface ReceivedRequest {
  /** Exactly as received, without the empty line. */
  readonly head: string;
  readonly method: string;
  readonly path: string;
  /** Names in lower case; the last value of a repeated header. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Reads one request from a raw socket. Rejects if the socket closes first. */
export function receiveRequest(socket: Socket): Promise<ReceivedRequest> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    const onData = (data: Buffer) => {
      received = Buffer.concat([received, data]);
      const request = parseRequest(received);
      if (!request) return;
      socket.off("data", onData);
      // Kept flowing: a paused socket would not notice that the other side disconnected.
      socket.resume();
      resolve(request);
    };
    socket.on("data", onData);
    socket.once("close", () => reject(new Error("the connection closed before the request was complete")));
  });
}

/** null: incomplete. */
export function parseRequest(received: Buffer): ReceivedRequest | null {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd < 0) return null;
  const head = received.subarray(0, headEnd).toString("latin1");
  const [requestLine = "", ...lines] = head.split("\r\n");
  const [method = "", path = ""] = requestLine.split(" ");
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    headers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim();
  }
  const rest = received.subarray(headEnd + 4);
  const chunked = /chunked/i.test(headers["transfer-encoding"] ?? "");
  const body = chunked ? decodeChunks(rest) : sizedBody(rest, Number(headers["content-length"] ?? 0));
  return body && { head, method, path, headers, body };
}

function sizedBody(rest: Buffer, length: number): Buffer | null {
  return rest.length < length ? null : rest.subarray(0, length);
}

function decodeChunks(rest: Buffer): Buffer | null {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = rest.indexOf("\r\n", at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(rest.subarray(at, lineEnd).toString("latin1"), 16);
    const start = lineEnd + 2;
    if (rest.length < start + size + 2) return null;
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(rest.subarray(start, start + size));
    at = start + size + 2;
  }
}
