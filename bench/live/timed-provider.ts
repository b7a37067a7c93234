/**
 * A provider whose answers say when they were sent: their id is the machine's clock, which every process
 * reads alike, and the event keeps it as `response_id`. Prints {"port":N} when it listens, and ends with its stdin.
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
    // One write carries the whole answer: this is as near to its last byte as can be told from here.
    return new Response(body(clockId()), { headers: { "content-type": "application/json" } });
  },
});
console.log(JSON.stringify({ port: server.port }));

for await (const _ of Bun.stdin.stream()) {
  // Nothing is expected; only the end matters.
}
process.exit(0);
