import type { Step } from "./scripted-server.ts";

/** Builders for scripts: the bytes of an HTTP/1.1 response, each as a separate step. */

const reasons: Readonly<Record<number, string>> = { 200: "OK", 429: "Too Many Requests", 502: "Bad Gateway" };

/** `connection: close` by default: a script answers one request, so no client may reuse its connection. */
export function writeHead(status: number, headers: Readonly<Record<string, string>> = {}): Step {
  const lines = Object.entries({ connection: "close", ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return { do: "write", bytes: `HTTP/1.1 ${status} ${reasons[status] ?? "Status"}\r\n${lines.join("")}\r\n` };
}

export function writeChunkedHead(contentType = "text/event-stream", status = 200): Step {
  return writeHead(status, { "content-type": contentType, "transfer-encoding": "chunked" });
}

export function writeChunk(data: string | Uint8Array): Step {
  return { do: "write", bytes: encodeChunk(data) };
}

export const writeLastChunk: Step = { do: "write", bytes: "0\r\n\r\n" };

/** A complete response with its length. */
export function writeAnswer(
  status: number,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Step[] {
  const bytes = Buffer.from(body);
  return [
    writeHead(status, {
      "content-type": "application/json",
      "content-length": String(bytes.length),
      ...headers,
    }),
    { do: "write", bytes },
  ];
}

export function encodeChunk(data: string | Uint8Array): Buffer {
  const bytes = Buffer.from(data);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}
