import { connect } from "node:net";

const BYTE_EVERY_MS = 20;

export interface Dripped {
  /** Everything received before the other side closed the connection. */
  readonly text: string;
  readonly status: number;
  readonly body: string;
}

/**
 * A request whose body never ends: a byte from time to time, while the other side listens. Resolves once that has
 * closed the connection.
 */
export function dripBody(url: string, path: string, headers: Readonly<Record<string, string>>) {
  return drip(url, `POST ${path}`, headers);
}

export function drip(
  url: string,
  methodAndPath: string,
  headers: Readonly<Record<string, string>>,
): Promise<Dripped> {
  const { hostname, port, host } = new URL(url);
  const framing = "transfer-encoding" in headers ? {} : { "content-length": "10000" };
  const isChunked = "transfer-encoding" in headers;
  const lines = Object.entries({ host, ...framing, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname);
    let text = "";
    const dripping = setInterval(() => socket.write(isChunked ? "1\r\n \r\n" : " "), BYTE_EVERY_MS);
    socket.on("connect", () => socket.write(`${methodAndPath} HTTP/1.1\r\n${lines.join("")}\r\n`));
    socket.on("data", data => {
      text += data.toString("utf8");
    });
    // Bytes sent after the close cause a reset.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearInterval(dripping);
      const [head = "", body = ""] = text.split("\r\n\r\n");
      resolve({ text, status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), body });
    });
  });
}
