import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { join } from "node:path";
import { startControl } from "@tollgate/control/start-control";
import { createClient } from "@tollgate/sdk/client";
import { type SteeringLab, startSteeringLab } from "../../support/labs/steering-lab.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const CONTROL = "gpt-4.1";
const TREATMENT = "gpt-4.1-nano";
const CALLS = 2000;
const AGENT = "writer";

describe("an experiment from start to promotion, with both planes", () => {
  let lab: SteeringLab;
  let control: Awaited<ReturnType<typeof startControl>>;
  let client: ReturnType<typeof createClient>;
  const faults: string[] = [];
  beforeAll(async () => {
    lab = await startSteeringLab();
    const { dataDir, store, liveKey } = lab.gateway;
    control = await startControl({
      host: "127.0.0.1",
      port: 0,
      database: store.database,
      controlPath: join(dataDir, "control.db"),
      ledgerPath: join(dataDir, "ledger.db"),
      publicUrl: "http://tollgate.test",
      secret: "a secret that is long enough for every test",
      oidc: null,
      log: (level, message) => {
        if (level === "error") faults.push(message);
      },
      now: lab.now,
    });
    client = createClient({ baseUrl: control.url, apiKey: liveKey, retries: 0 });
  });
  afterAll(async () => {
    await control.stop();
    await lab.stop();
  });

  /** Prompts of many lengths, so that costs differ. */
  async function call(count: number): Promise<void> {
    let next = 0;
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        for (let n = next++; n < count; n = next++) {
          const response = await lab.gateway.post(
            "/v1/chat/completions",
            {
              model: CONTROL,
              max_tokens: 5 + (n % 13),
              messages: [{ role: "user", content: "word ".repeat(1 + ((n * 7919) % 97)) }],
            },
            { "x-agent-id": AGENT, "x-session-id": `session-${Math.floor(n / 4)}` },
          );
          await response.text();
          expect(response.status).toBe(200);
        }
      }),
    );
  }

  it("EXP-003 EXP-006 EXP-007 finds the known difference in 2,000 calls, and the treatment serves the next ones", async () => {
    await call(1);
    await eventually(
      "the agent is known",
      async () => (await client.call("agents.list", {})).agents.length === 1,
    );
    const [agent] = (await client.call("agents.list", {})).agents;
    const { id, control_model } = await client.call("experiments.create", {
      agent_id: agent?.id ?? "",
      name: "a tenth of the price",
      treatment_model: TREATMENT,
      traffic_pct: 50,
    });
    expect(control_model).toBe(CONTROL);
    lab.learn();
    await call(CALLS);

    const stopped = await client.call("experiments.stop", { id, promote_winner: true });
    const events = lab.gateway.events().filter(event => event.experiment_id === id);
    expect(events).toHaveLength(CALLS);
    const { results } = stopped.experiment;
    for (const [arm, model] of [
      ["control", CONTROL],
      ["treatment", TREATMENT],
    ] as const) {
      const own = events.filter(event => event.arm === arm);
      expect(new Set(own.map(event => event.model))).toEqual(new Set([model]));
      expect(results[arm]).toMatchObject({
        calls: own.length,
        cost_microcents: own.reduce((sum, event) => sum + event.cost_microcents, 0),
        sessions: new Set(own.map(({ session_id }) => session_id)).size,
      });
    }
    expect(stopped).toMatchObject({ status: "completed", promoted: true });
    expect(stopped.experiment).toMatchObject({ is_significant: true, winner: "treatment", promoted: true });
    // gpt-4.1-nano costs a twentieth of gpt-4.1, for input and for output.
    const control = results.control.cost_per_call_microcents?.value ?? 0;
    const truth = -0.95 * control;
    expect(results.difference?.low).toBeLessThan(truth);
    expect(results.difference?.high).toBeGreaterThan(truth);
    console.log(
      `2,000 calls: ${results.difference_pct?.toFixed(1)} % (${results.difference?.low?.toFixed(0)} to ${results.difference?.high?.toFixed(0)} microcents a call), p ${results.test.p_value}`,
    );

    lab.learn();
    await call(3);
    expect(lab.gateway.events().slice(-3)).toEqual(
      Array.from({ length: 3 }, () =>
        expect.objectContaining({
          model: TREATMENT,
          requested_model: CONTROL,
          experiment_id: null,
          arm: null,
        }),
      ),
    );
    expect(faults).toEqual([]);
  }, 600_000);

  it("EXP-004 EXP-005 ends by itself, and without a promotion the agent's model does not change", async () => {
    const [agent] = (await client.call("agents.list", {})).agents;
    const { id } = await client.call("experiments.create", {
      agent_id: agent?.id ?? "",
      name: "to the end",
      treatment_model: CONTROL,
      traffic_pct: 50,
      max_duration_days: 1,
      auto_promote: true,
    });
    lab.learn();
    await call(40);
    const ofExperiment = () => lab.gateway.events().filter(event => event.experiment_id === id).length;
    expect(ofExperiment()).toBe(40);
    lab.pass(86_400_000);
    await call(4);
    expect(ofExperiment()).toBe(40);
    await eventually(
      "it has ended",
      async () => (await client.call("experiments.get", { id })).status === "completed",
    );
    const ended = await client.call("experiments.get", { id });
    expect(ended).toMatchObject({ end_reason: "duration", promoted: false, winner: null });
    expect(ended.control_samples + ended.treatment_samples).toBe(40);
    lab.learn();
    await call(2);
    expect(lab.gateway.events().at(-1)?.model).toBe(TREATMENT);
  });
});
