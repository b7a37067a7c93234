import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { microcents } from "@tollgate/core/money/money";
import { DAY_MS, HOUR_MS } from "@tollgate/core/time/durations";
import { refusal } from "../../support/clients/refusal.ts";
import { expectEnvelopes } from "../../support/expect-envelopes.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { openToolClient, type ToolClient } from "../../support/labs/tool-clients.ts";
import { storedRows } from "../../support/rows/stored-rows.ts";
import { verdictRow } from "../../support/rows/verdict-row.ts";
import { eventually } from "../../support/waiting/eventually.ts";

type Organization = Awaited<ReturnType<ControlLab["organization"]>>;

const databases = controlDatabases();

describe.each(systemEngines)("the headline on %s", engine => {
  let lab: ControlLab;
  let org: Organization;
  let toolClient: ToolClient;
  const headline = (days: 7 | 30 | 90 = 30) => org.client.call("loop_views.headline", { days });

  const switchWriter = ({ id, agentId }: Organization) =>
    lab.db
      .insertInto("optimizations")
      .values({
        id: crypto.randomUUID(),
        org_id: id,
        mode: "live",
        agent_id: agentId("writer"),
        agent_key: "writer",
        optimization_type: "model_switch",
        payload: '{"model":"gpt-4o-mini"}',
        source: "suggestion",
        applied_by: "somebody",
        applied_at: lab.clock.now() - 30 * DAY_MS,
        undone_at: null,
      })
      .execute();

  beforeAll(async () => {
    lab = await startControlLab(await databases.place(engine));
    org = await lab.organization();
    await org.addEvents({ agent_key: "writer", created_at: lab.clock.now() - 40 * DAY_MS });
    await switchWriter(org);
    await org.addEvents(
      ...Array.from({ length: 20 }, (_, index) => ({
        agent_key: "writer",
        requested_model: index < 15 ? "openai/gpt-4o" : "gpt-4.1",
        created_at: lab.clock.now() - (index < 5 ? 10 : 2) * DAY_MS,
      })),
      { agent_key: "reader", cost_microcents: microcents(12_345), created_at: lab.clock.now() - HOUR_MS },
      { agent_key: "reader", cost_microcents: microcents(999), mode: "test" },
    );
    await eventually("the effects are followed", async () => {
      const rows = await lab.db.selectFrom("optimization_effects").select("calls").execute();
      return rows.reduce((sum, { calls }) => sum + calls, 0) === 20;
    });
    toolClient = await openToolClient("hosted, new client", lab.url, org.liveKey);
  });
  afterAll(async () => {
    await toolClient.close();
    await lab.stop();
  });

  it("LOOP-007 LOOP-025 is an error with a next step while the flag is off, which it is until an owner turns it on", async () => {
    expect((await org.client.call("organization.get")).flags).toEqual({ optimization_model_v3: false });
    const refused = await refusal(headline());
    expect([refused.status, refused.body.flag]).toEqual([403, "optimization_model_v3"]);
    expect(refused.body.next_step).toContain("PATCH /api/organization");
    const answer = await toolClient.call("svc_get_dashboard_headline");
    expect([answer.isError, answer.facts.status]).toEqual([true, 403]);
    expect(String(answer.facts.next_step)).toContain("svc org update");
    const admin = await lab.member(org.id, "admin");
    const change = { method: "PATCH", body: '{"flags":{"optimization_model_v3":true}}' };
    const headers = { "content-type": "application/json", origin: "http://tollgate.test" };
    const forAdmin = await admin.send(`${lab.url}/api/organization`, { ...change, headers });
    expect(forAdmin.status).toBe(403);
    await org.client.call("organization.update", { flags: { optimization_model_v3: true } });
    expect((await headline()).measured_spend.tone).toBe("neutral");
    expect((await refusal(org.client.call("organization.update", {}))).status).toBe(400);
  });

  it("LOOP-005 LOOP-006 measures spend in micro-dollars, as the ledger has it", async () => {
    for (const days of [7, 30, 90] as const) {
      const { measured_spend: spend, period } = await headline(days);
      const { summary } = await org.client.call("analytics.get", { from: period.from, to: period.to });
      expect(Math.abs((spend.amount.value ?? 0) * 10 - summary.total_cost_microcents)).toBeLessThanOrEqual(5);
      expect(spend.provenance.calls.value).toBe(summary.total_calls);
    }
    expect((await refusal(org.client.call("loop_views.headline", { days: 8 as 7 }))).status).toBe(400);
  });

  it("LOOP-005 attributes the savings of applied optimizations within the window", async () => {
    const [week, month] = [await headline(7), await headline(30)];
    const amounts = [month.measured_spend, month.attributed_savings, month.verified_savings];
    expect(new Set(amounts.map(({ basis }) => basis)).size).toBe(3);
    for (const { basis, provenance } of amounts) expect([basis, provenance.source]).not.toContain("");
    expect(week.attributed_savings.provenance.calls.value).toBe(15);
    expect(month.attributed_savings.provenance.calls.value).toBe(20);
    expect(month.attributed_savings).toMatchObject({ tone: "good", amount: { method: "sum", ci_low: null } });
    expect(month.attributed_savings.amount.value).toBeGreaterThan(week.attributed_savings.amount.value ?? 0);
    expect(month.verified_savings).toMatchObject({ tone: "neutral", amount: { value: 0, ci_low: null } });
  });

  it("LOOP-005 verifies only switches that an unexpired verdict backs, with the interval of its pairs", async () => {
    const verdicts = lab.db.insertInto("verdicts");
    const now = lab.clock.now();
    await verdicts
      .values([
        verdictRow(lab, org.id, { expires_at: now, id: "expired" }),
        verdictRow(lab, org.id, { invalidated_at: now - 1, id: "invalidated" }),
        verdictRow(lab, org.id, { verdict: "degrades", id: "degrades" }),
        verdictRow(lab, org.id, { agent_id: org.agentId("reader"), id: "of another agent" }),
        verdictRow(lab, org.id, { candidate_model: "gpt-4.1-mini", id: "of another switch" }),
        verdictRow(lab, org.id, { task_category: "code", id: "of one category" }),
        verdictRow(lab, (await lab.organization()).id, { id: "of another organization" }),
        verdictRow(lab, org.id, { mode: "test", id: "of test traffic" }),
      ])
      .execute();
    expect((await headline()).verified_savings.amount.value).toBe(0);
    await verdicts.values(verdictRow(lab, org.id)).execute();
    // 15 of the 20 switched calls asked for the model that the verdict compared: 15 × 500 microcents.
    const { verified_savings: verified } = await headline();
    expect(verified.amount).toMatchObject({ value: 750, ci_low: 600, ci_high: 900, method: "paired_t" });
    expect([verified.tone, verified.provenance.calls.value]).toEqual(["good", 15]);
    expect((await headline(7)).verified_savings.amount.value).toBe(500);
  });

  it("LOOP-005 credits no call that failed, and verifies no more than was attributed", async () => {
    const other = await lab.organization();
    await other.client.call("organization.update", { flags: { optimization_model_v3: true } });
    await other.addEvents({ agent_key: "writer", created_at: lab.clock.now() - 40 * DAY_MS });
    await switchWriter(other);
    await lab.db.insertInto("verdicts").values(verdictRow(lab, other.id)).execute();
    const call = {
      agent_key: "writer",
      model: "gpt-4o-mini",
      requested_model: "gpt-4o",
      created_at: lab.clock.now() - 2 * DAY_MS,
    };
    // At gpt-4o's price 25 microcents a token: 300 less than it cost, and the verdict says 500.
    const answered = {
      ...call,
      input_tokens: 20,
      output_tokens: 0,
      usage: { input: 20 },
      cost_microcents: microcents(200),
    };
    const failed = { ...call, status: "error" as const, input_tokens: 0, output_tokens: 0, usage: {} };
    await other.addEvents(
      ...Array.from({ length: 20 }, () => ({ ...failed, cost_microcents: microcents(0) })),
      answered,
    );
    const read = () => other.client.call("loop_views.headline", { days: 30 });
    await eventually(
      "the effects are followed",
      async () => ((await read()).attributed_savings.provenance.calls.value ?? 0) > 0,
    );
    const { attributed_savings: attributed, verified_savings: verified } = await read();
    expect([attributed.amount.value, attributed.provenance.calls.value]).toEqual([30, 1]);
    expect([verified.amount.value, verified.provenance.calls.value]).toEqual([30, 1]);
  });

  it("LOOP-005 attributes savings at the organization's own prices, in force when the call was made", async () => {
    const other = await lab.organization();
    await other.client.call("organization.update", { flags: { optimization_model_v3: true } });
    await other.addEvents({ agent_key: "writer", created_at: lab.clock.now() - 40 * DAY_MS });
    await switchWriter(other);
    const call = {
      ...{ agent_key: "writer", model: "gpt-4o-mini", requested_model: "gpt-4o" },
      ...{ input_tokens: 1000, output_tokens: 100, usage: { input: 1000, output: 100 } },
      cost_microcents: microcents(2100),
    };
    const attributedTo = async (calls: number) => {
      const read = () => other.client.call("loop_views.headline", { days: 30 });
      await eventually(
        "the effects are followed",
        async () => (await read()).attributed_savings.provenance.calls.value === calls,
      );
      return (await read()).attributed_savings.amount.value;
    };
    await other.addEvents({ ...call, created_at: lab.clock.now() - DAY_MS });
    // 1000 × 25 + 100 × 100 microcents at gpt-4o's list price.
    expect(await attributedTo(1)).toBe(3290);
    await other.client.call("prices.overrides.set", {
      ...{ provider: "openai", model: "gpt-4o" },
      ...{ input_per_million_cents: 25, output_per_million_cents: 100 },
    });
    lab.clock.advance(HOUR_MS / 2);
    await other.addEvents({ ...call, created_at: lab.clock.now() });
    // A tenth of the list price: 3,500 − 2,100 microcents.
    expect(await attributedTo(2)).toBe(3290 + 140);
  });

  it("LOOP-001 LOOP-002 LOOP-003 the tool answers the same in envelopes and changes nothing", async () => {
    const before = await storedRows(lab);
    const { structured, text } = await toolClient.call("svc_get_dashboard_headline", { days: 30 });
    expect(structured).toEqual({ ...(await headline()) });
    expect(expectEnvelopes("headline", structured)).toBe(9);
    expect(text).toContain("Verified savings");
    expect(await storedRows(lab)).toEqual(before);
  });
});
