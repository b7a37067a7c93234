/** The same requests for every target: only the address and the headers differ. */

export interface Address {
  readonly hostname: string;
  readonly port: number;
}

const MESSAGES = [
  {
    role: "system",
    content:
      "You answer questions of a support desk about payments. Be short, name the cause first, then what to do. If something is not known, say so.",
  },
  {
    role: "user",
    content:
      "A customer was charged twice for one invoice last Tuesday. The log shows two requests four seconds apart, the first answered with a timeout, and both have a different idempotency key. What happened, and what should we change in our client?",
  },
];

export const MODEL = "gpt-4o-mini";
/** What a verification compares it with. */
export const CANDIDATE_MODEL = "gpt-4.1-nano";

export const callBody = JSON.stringify({ model: MODEL, messages: MESSAGES, max_tokens: 256 });

const STREAMING = { stream: true, stream_options: { include_usage: true } };

export const streamBody = JSON.stringify({
  model: MODEL,
  messages: MESSAGES,
  max_tokens: 256,
  ...STREAMING,
});

/** Every gateway forwards `user`; ours might not route a made-up model name. */
export const heldStreamBody = JSON.stringify({
  model: MODEL,
  messages: MESSAGES,
  max_tokens: 256,
  user: "hold",
  ...STREAMING,
});

export const CHAT_PATH = "/v1/chat/completions";

/** One complete request, ready for the socket. */
export function requestBytes(
  address: Address,
  headers: Readonly<Record<string, string>>,
  body: string,
): Buffer {
  const lines = [
    `POST ${CHAT_PATH} HTTP/1.1`,
    `Host: ${address.hostname}:${address.port}`,
    "Content-Type: application/json",
    "Accept: */*",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
}
