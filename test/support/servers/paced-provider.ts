import { serveProvider } from "./serve-provider.ts";

const frame = (delta: object, finish: string | null = null, usage?: object) =>
  `data: ${JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "gpt-4o-mini-2024-07-18",
    choices: usage ? [] : [{ index: 0, delta, finish_reason: finish }],
    ...(usage ? { usage } : {}),
  })}\n\n`;

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** An OpenAI that answers on demand or at its own pace, and remembers what it served. */
export function servePacedProvider(pauses: () => Promise<unknown>) {
  const served: string[] = [];
  const provider = serveProvider("openai", {
    records: false,
    async answer(_request, { body }) {
      const { messages, stream } = body as { messages: { content: string }[]; stream?: boolean };
      served.push(messages.at(-1)?.content ?? "");
      return stream ? streamed(pauses) : whole(pauses);
    },
  });
  return { url: provider.url, served, stop: () => provider.stop() };
}

async function whole(pauses: () => Promise<unknown>): Promise<Response> {
  await pauses();
  return Response.json({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "gpt-4o-mini-2024-07-18",
    choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
    usage,
  });
}

function streamed(pauses: () => Promise<unknown>): Response {
  async function* frames() {
    yield frame({ role: "assistant", content: "" });
    for (const content of ["He", "ll", "o"]) {
      await pauses();
      yield frame({ content });
    }
    yield frame({}, "stop");
    yield frame({}, null, usage);
    yield "data: [DONE]\n\n";
  }
  const encoder = new TextEncoder();
  const source = frames();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await source.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}
