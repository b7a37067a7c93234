import { clockId } from "../live/clock-id.ts";

const WHOLE_MS = 50;
const CHUNKS = 8;
const CHUNK_MS = 50;
const MODEL = "gpt-4o-mini-2024-07-18";
/** As for the short prompts and the answer limit of these calls: what a call costs must be what it is expected to cost. */
const USAGE = { prompt_tokens: 16, completion_tokens: 58, total_tokens: 74 };

export interface ServedCall {
  /** How often the provider was called for it. */
  times: number;
  /** How long its last answer took; null: the caller left before its end. */
  tookMs: number | null;
}

export type RecordingProvider = ReturnType<typeof serveRecordingProvider>;

/** An OpenAI that remembers which calls it served. A call's prompt is its id. */
export function serveRecordingProvider() {
  const served = new Map<string, ServedCall>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    development: false,
    async fetch(request) {
      const startedMs = performance.now();
      const { messages, stream } = (await request.json()) as {
        messages: { content: string }[];
        stream?: boolean;
      };
      const id = messages.at(-1)?.content ?? "";
      const call = served.get(id) ?? { times: 0, tookMs: null };
      served.set(id, call);
      call.times += 1;
      call.tookMs = null;
      const ended = () => {
        call.tookMs = performance.now() - startedMs;
      };
      if (stream) return streamed(ended);
      await Bun.sleep(WHOLE_MS);
      ended();
      return Response.json(whole());
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    served,
    stop: () => server.stop(true),
  };
}

/** Its id is the time at which it is sent, which the live channel shows. */
function whole() {
  const message = { role: "assistant", content: "Send the same key with every attempt." };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  return { id: clockId(), object: "chat.completion", created: 1, model: MODEL, choices, usage: USAGE };
}

function streamed(ended: () => void): Response {
  const id = crypto.randomUUID();
  const frame = (rest: object) =>
    `data: ${JSON.stringify({ id, object: "chat.completion.chunk", created: 1, model: MODEL, ...rest })}\n\n`;
  const delta = (content: string, finish_reason: string | null = null) =>
    frame({ choices: [{ index: 0, delta: { content }, finish_reason }] });
  async function* frames() {
    for (let chunk = 0; chunk < CHUNKS; chunk++) {
      await Bun.sleep(CHUNK_MS);
      yield delta("word ");
    }
    ended();
    yield `${delta("", "stop")}${frame({ choices: [], usage: USAGE })}data: [DONE]\n\n`;
  }
  return new Response(frames(), { headers: { "content-type": "text/event-stream" } });
}
