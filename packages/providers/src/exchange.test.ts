import { describe, expect, it } from "bun:test";
import { openaiEmbeddings } from "./dialects/openai-embeddings/dialect.ts";
import { planExchange } from "./exchange.ts";
import { google } from "./google/provider.ts";

function plan(body: { model: string; input: string | string[] }) {
  const bytes = new Uint8Array(Buffer.from(JSON.stringify(body)));
  const summary = openaiEmbeddings.summarize(body);
  return planExchange(openaiEmbeddings, google, { body, bytes, summary, model: body.model, query: "" });
}

describe("GW-023 embeddings of a model that reports no usage", () => {
  it.each([
    ["one text", "caf\u00e9", 5],
    ["a batch", ["one", "three"], 8],
  ])("count the text alone, not the JSON around it: %s", (_, input, bytes) => {
    expect(plan({ model: "gemini-embedding-001", input }).prompt.bytes).toBe(bytes);
  });

  it("MON-010 report the same estimate to the client as in the event", () => {
    const exchange = plan({ model: "gemini-embedding-001", input: "four and more" });
    const encoded: unknown = JSON.parse(
      exchange.readAnswer('{"embeddings":[{"values":[1,0]}]}', exchange.meter()),
    );
    expect(encoded).toMatchObject({ usage: { prompt_tokens: 4, total_tokens: 4 } });
  });

  it("report the provider's own count if there is one", () => {
    const exchange = plan({ model: "gemini-embedding-2", input: "four and more" });
    const answer = '{"embeddings":[{"values":[1,0]}],"usageMetadata":{"promptTokenCount":9}}';
    const encoded: unknown = JSON.parse(exchange.readAnswer(answer, exchange.meter()));
    expect(encoded).toMatchObject({ usage: { prompt_tokens: 9, total_tokens: 9 } });
  });
});
