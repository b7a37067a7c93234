import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { openRawCall } from "../support/clients/raw-call.ts";
import { type FaultLab, startFaultLab } from "../support/labs/fault-lab.ts";
import { writeChunk, writeChunkedHead } from "../support/servers/http-bytes.ts";

let lab: FaultLab;
beforeAll(async () => {
  lab = await startFaultLab({ providerTimeoutMs: 3_600_000 });
});
afterAll(() => lab.stop());

interface Frame {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The client disconnects once it has read "END", in the last frame. */
async function leaveAfter(path: string, body: object, frames: readonly Frame[]) {
  const text = frames.map(frame => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`);
  lab.play([writeChunkedHead(), ...text.map(writeChunk), { do: "hang" }]);
  const call = await openRawCall(lab.gateway.url, path, lab.gateway.headers(), JSON.stringify(body));
  await call.until("END");
  call.leave();
  return lab.event();
}

describe("MON-018 disconnecting while server tools are running", () => {
  const messages = {
    model: "claude-sonnet-4-5",
    max_tokens: 1000,
    stream: true,
    tools: [{ type: "web_fetch_20250910", name: "web_fetch", max_uses: 5 }],
    messages: [{ role: "user", content: "summarize https://example.com" }],
  };
  const start: Frame = {
    type: "message_start",
    message: { id: "msg_1", model: "claude-sonnet-4-5", usage: { input_tokens: 500, output_tokens: 1 } },
  };
  const block = (index: number, content_block: object): Frame => ({
    type: "content_block_start",
    index,
    content_block,
  });
  const use = block(0, { type: "server_tool_use", id: "srvtoolu_1", name: "web_fetch", input: {} });
  const source = { type: "text", media_type: "text/plain", data: "x".repeat(300_000) };
  const page = block(1, {
    type: "web_fetch_tool_result",
    tool_use_id: "srvtoolu_1",
    content: { type: "web_fetch_result", content: { type: "document", source } },
  });
  const end = block(2, { type: "text", text: "END" });

  it("bills the page that was read, and the prompt again, in addition to the reported prompt", async () => {
    const event = await leaveAfter("/v1/messages", messages, [start, use, page, end]);
    expect(event).toMatchObject({ status: "cancelled", usage_source: "estimated", cost_basis: "estimated" });
    // 500 + (500 + 75,000), and a few for field names
    expect(event.input_tokens).toBeWithin(76_000, 76_100);
    expect(event.cost_microcents).toBeGreaterThan(2_280_000);
  });

  it("bills a search of /v1/responses whose results are not in the stream", async () => {
    const event = await leaveAfter(
      "/v1/responses",
      { model: "gpt-5-mini", input: "news", stream: true, tools: [{ type: "web_search" }] },
      [
        { type: "response.created", response: { id: "resp_1", model: "gpt-5-mini", usage: null } },
        {
          type: "response.output_item.done",
          output_index: 0,
          item: { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } },
        },
        { type: "response.output_text.delta", delta: "END" },
      ],
    );
    expect(event).toMatchObject({ usage_source: "estimated", usage: { web_searches: 1 } });
    expect(event.input_tokens).toBeWithin(8000, 8200);
  });
});
