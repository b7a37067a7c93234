import { expect, it } from "bun:test";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { Ledger } from "./ledger.ts";

const path = temporaryFolder();

it("recent paces include only gateway calls that no client can have slowed down, in order", async () => {
  const ledger = new Ledger(path("paces.db"), "normal");
  await ledger.append([
    sampleSettlement("1", { stream: false, latency_ms: 1 }),
    sampleSettlement("2", { stream: true, latency_ms: 2 }),
    sampleSettlement("3", { stream: false, latency_ms: 3, source: "ingest" }),
    sampleSettlement("4", { stream: false, latency_ms: 4, org_id: "another" }),
  ]);
  expect(ledger.recentPaces()).toMatchObject([
    { org_id: "org", model: "gpt-4o-mini", latency_ms: 1 },
    { org_id: "another", model: "gpt-4o-mini", latency_ms: 4 },
  ]);
  ledger.close();
});

it("recent answers include only the organization's complete gateway calls, in order", async () => {
  const ledger = new Ledger(path("ledger.db"), "normal");
  await ledger.append([
    sampleSettlement("1", { output_tokens: 1 }),
    sampleSettlement("2", { output_tokens: 2, agent_key: "other" }),
    sampleSettlement("3", { output_tokens: 3, status: "cancelled" }),
    sampleSettlement("4", { output_tokens: 4, source: "ingest" }),
    sampleSettlement("5", { output_tokens: 5, org_id: "another" }),
    sampleSettlement("6", { output_tokens: 6, mode: "test" }),
    sampleSettlement("7", { output_tokens: 7 }),
  ]);
  const answer = (agent_key: string, output_tokens: number) => ({
    agent_key,
    model: "gpt-4o-mini",
    output_tokens,
  });
  expect(ledger.recentAnswers("org", "live")).toEqual([
    answer("default", 1),
    answer("other", 2),
    answer("default", 7),
  ]);
  ledger.close();
});
