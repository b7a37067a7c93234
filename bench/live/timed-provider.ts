/**
 * A provider whose answers contain their time of sending: their id is the machine's clock, which is the same in every
 * process, and the event stores it as `response_id`. Prints {"port":N} when it listens, and exits with its stdin.
 */
import { clockId } from "./clock-id.ts";

const body = (id: string) =>
  JSON.stringify({
    id,
    object: "chat.completion",
    created: 1_780_000_000,
    model: "gpt-4o-mini-2024-07-18",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "Send the same key with every attempt." },
        finish_reason: "stop",
      },
    ],
    usage: { prompt_tokens: 118, completion_tokens: 58, total_tokens: 176 },
  });

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    await request.arrayBuffer();
    // The whole answer is one write: this is as close to its last byte as can be measured here.
    return new Response(body(clockId()), { headers: { "content-type": "application/json" } });
  },
});
console.log(JSON.stringify({ port: server.port }));

for await (const _ of Bun.stdin.stream()) {
  // No input is expected; only the end matters.
}
process.exit(0);
