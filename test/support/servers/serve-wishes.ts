import { serveProvider } from "./serve-provider.ts";

export const INPUT_TOKENS = 10;

export interface Wish {
  /** The answer's tokens, as reported by the provider. */
  readonly tokens: number;
  readonly waitMs?: number;
  /** The provider answers with this status instead. */
  readonly status?: number;
  /** The answer respects the request's limit. */
  readonly obeys?: boolean;
}

/** An OpenAI whose answers are as long, late and wrong as requested by the prompt, a `Wish` in JSON. */
export function serveWishes() {
  let gate = Promise.resolve();
  const sent: Record<string, unknown>[] = [];
  const provider = serveProvider("openai", {
    records: false,
    async answer(_request, { body }) {
      const request = body as ChatBody;
      sent.push(request);
      const wish = JSON.parse(request.messages[0]?.content ?? "") as Wish;
      await gate;
      if (wish.waitMs) await Bun.sleep(wish.waitMs);
      if (wish.status)
        return Response.json({ error: { message: "no", type: "no" } }, { status: wish.status });
      const allowed = request.max_completion_tokens ?? request.max_tokens ?? wish.tokens;
      const tokens = wish.obeys ? Math.min(wish.tokens, allowed) : wish.tokens;
      return request.stream ? streamed(tokens) : whole(tokens, request.model);
    },
  });
  return {
    url: provider.url,
    /** Every received body. */
    sent,
    /** Answers nothing until `open`. */
    close() {
      const held = Promise.withResolvers<void>();
      gate = held.promise;
      return { open: held.resolve };
    },
    stop: () => provider.stop(),
  };
}

interface ChatBody extends Record<string, unknown> {
  readonly model: string;
  readonly messages: readonly { readonly content: string }[];
  readonly stream?: boolean;
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
}

const usageOf = (tokens: number) => ({
  prompt_tokens: INPUT_TOKENS,
  completion_tokens: tokens,
  total_tokens: INPUT_TOKENS + tokens,
});

function whole(tokens: number, model: string): Response {
  return Response.json({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model,
    choices: [{ index: 0, message: { role: "assistant", content: "x" }, finish_reason: "stop" }],
    usage: usageOf(tokens),
  });
}

export function chatFrame(content: string | null, finish: string | null = null, tokens?: number): string {
  return `data: ${JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "flat",
    choices:
      tokens === undefined ? [{ index: 0, delta: content ? { content } : {}, finish_reason: finish }] : [],
    ...(tokens === undefined ? {} : { usage: usageOf(tokens) }),
  })}\n\n`;
}

function streamed(tokens: number): Response {
  const text = `${chatFrame("x")}${chatFrame(null, "stop")}${chatFrame(null, null, tokens)}data: [DONE]\n\n`;
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}
