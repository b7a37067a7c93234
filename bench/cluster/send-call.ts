import { connect } from "node:net";
import { requestBytes } from "../gateway/generator/chat-request.ts";
import { HttpReader } from "../gateway/generator/http-reader.ts";

export interface CallAnswer {
  /** null: the connection failed, or ended before the answer did. */
  readonly status: number | null;
  readonly head: string;
  readonly body: string;
}

export interface CallRequest {
  /** Its prompt and session: what the provider served and what was recorded can be compared by it. */
  readonly id: string;
  readonly key: string;
  readonly stream?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

const MAX_OUTPUT_TOKENS = 64;

/** One call on a connection of its own: `fetch` may silently repeat one whose connection broke, and limits their number. */
export function sendCall(
  url: string,
  { id, key, stream = false, headers = {} }: CallRequest,
): Promise<CallAnswer> {
  const { hostname, port } = new URL(url);
  const body = JSON.stringify({
    model: "gpt-4o-mini",
    messages: [{ role: "user", content: id }],
    max_tokens: MAX_OUTPUT_TOKENS,
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  });
  const bytes = requestBytes(
    { hostname, port: Number(port) },
    {
      authorization: `Bearer ${key}`,
      "x-provider-key": "k",
      "x-session-id": id,
      connection: "close",
      ...headers,
    },
    body,
  );
  return new Promise(resolve => {
    let head = "";
    const pieces: Buffer[] = [];
    let isComplete = false;
    const reader = new HttpReader({
      head: text => {
        head = text;
      },
      body: piece => pieces.push(Buffer.from(piece)),
      end: () => {
        isComplete = true;
        socket.destroy();
      },
    });
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on("data", (data: Buffer) => {
      if (!isComplete) reader.push(data);
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      const status = isComplete ? Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]) : null;
      resolve({ status, head, body: Buffer.concat(pieces).toString("utf8") });
    });
  });
}

/** What the answer's headers say; null: nothing. */
export function costOf({ head }: CallAnswer): number | null {
  const cost = /^x-gateway-cost: *(\d+)/im.exec(head)?.[1];
  return cost === undefined ? null : Number(cost);
}
