import { join } from "node:path";
import type { Event } from "@tollgate/core/event";
import type { VerificationRow } from "@tollgate/storage/config/running-verification";
import { openControlDatabase } from "@tollgate/storage/database/open-control-database";
import { eventually } from "../waiting/eventually.ts";
import { startTestGateway, type TestGatewayOptions } from "./test-gateway.ts";

export type VerificationChange = Partial<
  Omit<VerificationRow, "org_id" | "id"> & { readonly status: "collecting" | "concluded" }
>;

/** A gateway whose organization has a verification that compares every call of `gpt-4o` with `gpt-4o-mini`. */
export async function startVerificationLab(options: TestGatewayOptions = {}) {
  const gateway = await startTestGateway(options);
  const database = await openControlDatabase({ kind: "sqlite", path: join(gateway.dataDir, "control.db") });
  const requestId = crypto.randomUUID();

  const begin = async (change: VerificationChange = {}) => {
    await database.db
      .insertInto("verification_requests")
      .values({
        id: requestId,
        org_id: gateway.orgId,
        mode: "test",
        agent_id: null,
        agent_key: null,
        prod_provider: "openai",
        prod_model: "gpt-4o",
        candidate_provider: "openai",
        candidate_model: "gpt-4o-mini",
        judge_provider: "openai",
        judge_model: "gpt-4.1",
        policy_id: "quick",
        evidence_mode: "shadow",
        share_pct: 100,
        max_pairs: 500,
        max_spend_microcents: 100_000_000_000,
        seed: "seed",
        status: "collecting",
        trial_id: "trial",
        verdict_id: null,
        end_reason: null,
        created_by: "test",
        created_at: Date.now() - 1000,
        expires_at: Date.now() + 86_400_000,
        ended_at: null,
        ...change,
      })
      .execute();
  };

  return {
    gateway,
    database,
    requestId,
    begin,
    /** One client call, answered completely. */
    async call(
      prompt: string,
      {
        key = gateway.testKey,
        headers = {},
        ...body
      }: Record<string, unknown> & {
        key?: string;
        headers?: Record<string, string>;
      } = {},
    ): Promise<{ readonly response: Response; readonly text: string }> {
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "x-provider-key": "sk-provider",
          "content-type": "application/json",
          "x-agent-id": "support",
          ...headers,
        },
        body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: prompt }], ...body }),
      });
      return { response, text: await response.text() };
    },
    ofVerification: (): Event[] => gateway.events().filter(({ pair }) => pair !== null),
    /** Results so far, oldest first. */
    results: () =>
      gateway.events().flatMap(({ pair }) => (pair?.result ? [{ ...pair, ...pair.result }] : [])),
    /** Waits until this many pairs have a result. */
    async graded(count: number) {
      await eventually(
        `${count} pairs are graded`,
        () => gateway.events().filter(({ pair }) => pair?.result).length >= count,
      );
    },
    async stop() {
      await database.close();
      await gateway.stop();
    },
  };
}
