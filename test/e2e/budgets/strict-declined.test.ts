import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type FaultLab, startFaultLab } from "../../support/labs/fault-lab.ts";
import { budgetRow } from "../../support/rows/budget-row.ts";
import { writeAnswer } from "../../support/servers/http-bytes.ts";

let lab: FaultLab;
beforeAll(async () => {
  lab = await startFaultLab();
});
afterAll(() => lab.stop());

const FEE = 500_000; // $0.05
const violation = {
  code: "forbidden",
  error: "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO",
};

async function addStrict(limit: number, agent: string): Promise<void> {
  const row = budgetRow(lab.gateway.orgId, { agent, limit, strict: true }, Date.now() - 1000);
  await lab.gateway.store.database.db.insertInto("budgets").values(row).execute();
}

async function ask(path: string, agent: string): Promise<number> {
  lab.play(writeAnswer(403, JSON.stringify(violation)));
  const prompt = path === "/v1/responses" ? { input: "Hi" } : { messages: [{ role: "user", content: "Hi" }] };
  const body = { model: "grok-3-mini", ...prompt, max_output_tokens: 20, max_tokens: 20 };
  const response = await lab.gateway.post(path, body, { "x-agent-id": agent });
  await response.text();
  return response.status;
}

describe("a strict budget and requests that xAI may charge a fee for", () => {
  it("BUD-017 admits one only if the fee is left, too", async () => {
    await addStrict(FEE - 1, "poor");
    expect(await ask("/v1/responses", "poor")).toBe(429);
    await addStrict(FEE, "rich");
    expect(await ask("/v1/responses", "rich")).toBe(403);
    expect(await lab.event()).toMatchObject({ agent_key: "rich", cost_microcents: FEE });
    expect(await ask("/v1/responses", "rich")).toBe(429);
  });

  it("BUD-017 needs no more than the prompt and the answer where there is no fee", async () => {
    await addStrict(FEE - 1, "chatting");
    expect(await ask("/v1/chat/completions", "chatting")).toBe(403);
  });
});
