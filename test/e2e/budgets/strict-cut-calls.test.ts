import { afterEach, describe, expect, it } from "bun:test";
import { openRawCall } from "../../support/clients/raw-call.ts";
import { type FaultLab, startFaultLab } from "../../support/labs/fault-lab.ts";
import { budgetRow } from "../../support/rows/budget-row.ts";
import { writeChunk, writeChunkedHead, writeLastChunk } from "../../support/servers/http-bytes.ts";
import { eventually } from "../../support/waiting/eventually.ts";
import { chat, done, role, says, stop, used } from "./streamed-chat.ts";

const PATH = "/v1/chat/completions";

let lab: FaultLab;
afterEach(() => lab.stop());

describe("a strict budget and calls whose clients disconnect", () => {
  async function addStrict(limit: number, agent: string): Promise<string> {
    const row = budgetRow(lab.gateway.orgId, { agent, limit, strict: true }, Date.now() - 1000);
    await lab.gateway.store.database.db.insertInto("budgets").values(row).execute();
    return row.id;
  }
  const spendOf = (id: string) => lab.gateway.reader.budgetSpends().find(row => row.budget_id === id);

  it("BUD-022 counts every token: the stream is read to the end for its exact cost", async () => {
    lab = await startFaultLab();
    const limit = 3_000_000;
    const id = await addStrict(limit, "evader");
    let billed = 0;
    const { promise: allLeft, resolve: goOn } = Promise.withResolvers<void>();
    lab.play(({ body }) => {
      const { max_completion_tokens: most } = JSON.parse(body.toString()) as {
        max_completion_tokens: number;
      };
      const output = Math.min(20_000, most);
      billed += 1000 * 20 + output * 80; // o3: $2 and $8 a million
      return [
        writeChunkedHead(),
        writeChunk(says("text ")),
        { do: "until", promise: allLeft },
        ...[stop, used(output), done].map(writeChunk),
        writeLastChunk,
      ];
    });
    let admitted = 0;
    for (let attempt = 0; attempt < 8; attempt++) {
      const call = await openRawCall(
        lab.gateway.url,
        PATH,
        lab.gateway.headers({ "x-agent-id": "evader" }),
        chat("o3", { max_completion_tokens: 20_000 }),
      );
      await eventually("it is answered", () => call.bytes > 0);
      if (call.text.includes("HTTP/1.1 200")) admitted++;
      else expect(call.text).toContain("HTTP/1.1 429");
      call.leave();
      await eventually("it is gone", () => call.isClosed);
    }
    goOn();
    await eventually("all are settled", () => lab.gateway.events().length === admitted);
    expect(admitted).toBeWithin(1, 8);
    expect(lab.gateway.events().every(event => event.cost_basis === "priced")).toBe(true);
    expect(spendOf(id)).toMatchObject({ spent_microcents: billed, withheld_microcents: 0 });
    expect(billed).toBeWithin(1, limit + 1);
  });

  it("BUD-022 withholds what a provider may still bill if the cost remains unknown", async () => {
    lab = await startFaultLab({ providerTimeoutMs: 1000 });
    // The call may cost the whole limit, at o3's most expensive service tier.
    const limit = 2_500_000;
    const id = await addStrict(limit, "cut");
    const ask = () =>
      lab.gateway.post(
        PATH,
        { model: "o3", max_completion_tokens: 20_000, messages: [{ role: "user", content: "hello" }] },
        { "x-agent-id": "cut" },
      );
    lab.play([{ do: "hang" }]);
    expect((await ask()).status).toBe(504);
    const event = await lab.event();
    const { spent_microcents: spent = 0, withheld_microcents: withheld = 0 } = spendOf(id) ?? {};
    expect(spent).toBe(event.cost_microcents);
    expect(spent).toBeGreaterThan(0);
    expect(withheld).toBeGreaterThan(1_000_000);
    expect(event.budget_flags).toEqual([
      expect.stringMatching(new RegExp(`^withheld:${id}@\\d+:${withheld}$`)),
    ]);

    const calls = lab.upstream.connections.length;
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({
      error: expect.stringContaining(`${withheld} are withheld`),
      current_spending: spent,
    });
    expect(lab.upstream.connections).toHaveLength(calls);
  });

  it("BUD-022 withholds it if the provider reports a failure in its stream, too", async () => {
    lab = await startFaultLab();
    const id = await addStrict(2_500_000, "failing");
    lab.play([
      writeChunkedHead(),
      writeChunk(`${role}data: {"error":{"type":"server_error","message":"broken"}}\n\n`),
      writeLastChunk,
    ]);
    const body = chat("o3", { max_completion_tokens: 20_000 });
    await (await lab.gateway.post(PATH, body, { "x-agent-id": "failing" })).text();
    const event = await lab.event();
    expect(event.cost_microcents).toBeGreaterThan(0);
    expect(spendOf(id)?.spent_microcents).toBe(event.cost_microcents);
    expect(spendOf(id)?.withheld_microcents).toBeGreaterThan(1_000_000);
  });
});
