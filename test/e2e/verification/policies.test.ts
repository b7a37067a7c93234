import { describe, expect, it } from "bun:test";
import { verificationOperations } from "@tollgate/core/contract/verification";
import { refusal } from "../../support/clients/refusal.ts";
import { systemEngines } from "../../support/full-size.ts";
import { AGENT, CANDIDATE } from "../../support/labs/pair-events.ts";
import { verificationRequests } from "../../support/labs/verification-requests.ts";

for (const engine of systemEngines) {
  describe(`verifications on ${engine}`, () => {
    const requests = verificationRequests(engine);
    const { fresh, balance, start, show, ended } = requests;

    it("LOOP-024 LOOP-029 a policy decides margin, pairs, spend, share, judge and evidence; names are unique, built-in ones fixed", async () => {
      const client = await fresh();
      const { policies } = await client.call("verify.policies.list");
      expect(
        policies.map(({ name, margin, max_pairs, max_spend_microcents, share_pct, is_default }) => [
          name,
          margin,
          max_pairs,
          max_spend_microcents,
          share_pct,
          is_default,
        ]),
      ).toEqual([
        ["quick", 0.1, 500, 250_000_000, 50, true],
        ["standard", 0.05, 2000, 1_000_000_000, 25, false],
      ]);
      const made = await client.call("verify.policies.create", {
        name: "careful",
        margin: 0.03,
        max_pairs: 900,
        share_pct: 10,
        judge_model: "claude-sonnet-4-5",
      });
      expect(made).toMatchObject({
        margin: 0.03,
        max_pairs: 900,
        max_spend_microcents: 250_000_000,
        share_pct: 10,
      });
      for (const name of ["careful", "quick"]) {
        expect((await refusal(client.call("verify.policies.create", { name }))).status).toBe(400);
      }
      const { id } = await start({ policy_id: made.id });
      const [registered] = (await client.call("loop_views.trials")).trials;
      expect(await show(id)).toMatchObject({
        policy_id: made.id,
        judge_model: "claude-sonnet-4-5",
        progress: { max_pairs: 900, max_spend_microcents: 250_000_000 },
      });
      const changed = await client.call("verify.policies.update", {
        id: made.id,
        margin: 0.2,
        judge_model: null,
      });
      expect(changed).toMatchObject({ name: "careful", margin: 0.2, judge_model: null });
      const [trial] = (await client.call("loop_views.trials")).trials;
      expect(trial).toMatchObject({ margin: { value: 0.03 }, judge_model: "anthropic/claude-sonnet-4-5" });
      await client.call("verify.policies.delete", { id: made.id });
      expect((await refusal(start({ policy_id: made.id, candidate_model: "gpt-4o" }))).status).toBe(404);
      expect((await show(id)).status).toBe("collecting");
      // What was registered stays, whatever becomes of the policy.
      expect((await client.call("loop_views.trials")).trials).toEqual(registered ? [registered] : []);
      const quick = policies[0]?.id ?? "";
      expect((await refusal(client.call("verify.policies.delete", { id: quick }))).status).toBe(400);
      expect((await refusal(client.call("verify.policies.update", { id: quick, margin: 0.2 }))).status).toBe(
        400,
      );
    });

    it("LOOP-026 accepts captured pairs, each once, and reaches its verdict from them alone", async () => {
      const client = await fresh();
      const policy = await client.call("verify.policies.create", { name: "ours", evidence_mode: "captured" });
      const { id } = await start({ policy_id: policy.id });
      const pairs = Array.from({ length: 40 }, (_, index) => ({
        id: `pair-${index}`,
        score: -1,
        production: { cost_microcents: 100, latency_ms: 50 },
        candidate: { cost_microcents: 60 + (index % 3), latency_ms: 50 },
      }));
      const add = (sent: typeof pairs) => client.call("verify.requests.add_pairs", { id, pairs: sent });
      expect(await add(pairs)).toEqual({ added: 40, known: 0, uncounted: 0, status: "collecting" });
      expect(await add(pairs)).toEqual({ added: 0, known: 40, uncounted: 0, status: "collecting" });
      const more = Array.from({ length: 60 }, (_, index) => ({
        ...pairs[0],
        id: `more-${index}`,
        score: -1,
      }));
      const last = await client.call("verify.requests.add_pairs", { id, pairs: more });
      expect(last).toEqual({ added: 60, known: 0, uncounted: expect.any(Number), status: "concluded" });
      const { verdict } = await show(id);
      expect(verdict).toMatchObject({ verdict: "degrades", evidence_mode: "captured", judge_model: null });
      expect(verdict?.pairs.compared.value).toBe(100 - last.uncounted);
      expect(await balance()).toBe(2);
      // Sending pairs twice is not an error; new ones come too late.
      expect((await add(pairs)).known).toBe(40);
      expect(
        (await refusal(add([{ ...(pairs[0] ?? more[0]), id: "new" } as (typeof pairs)[number]]))).status,
      ).toBe(400);
      const shadow = await start();
      const wrong = client.call("verify.requests.add_pairs", { id: shadow.id, pairs });
      expect((await refusal(wrong)).message).toContain("shadow");
      expect(
        verificationOperations["verify.requests.add_pairs"].body.shape.pairs.safeParse(
          new Array(1001).fill({ id: "x", score: 0 }),
        ).success,
      ).toBe(false);
    });

    it("LOOP-026 uses the outcomes of an experiment of the same agent and models as evidence, once it has ended", async () => {
      const client = await fresh();
      const policy = await client.call("verify.policies.create", {
        name: "tried",
        evidence_mode: "experiment",
      });
      expect((await refusal(start({ policy_id: policy.id }))).message).toContain("no experiment");
      const experiment = await client.call("experiments.create", {
        agent_id: requests.organization.agentId(AGENT),
        name: "by outcomes",
        treatment_model: CANDIDATE,
        primary_metric: "quality_score",
      });
      const { id } = await start({ policy_id: policy.id });
      expect((await show(id)).status).toBe("collecting");
      const { experiment: stopped } = await client.call("experiments.stop", { id: experiment.id });
      // Without outcomes it shows nothing.
      expect(await ended(id)).toMatchObject({ status: "expired", end_reason: "experiment", verdict: null });
      const results = {
        ...stopped.results,
        control: { ...stopped.results.control, outcomes: 400 },
        treatment: { ...stopped.results.treatment, outcomes: 390 },
        difference: { value: 0.01, low: -0.06, high: 0.08 },
      };
      await requests.lab.db
        .updateTable("experiments")
        .set({ results: JSON.stringify(results), status: "completed" })
        .where("id", "=", experiment.id)
        .execute();
      const again = await start({ policy_id: policy.id });
      const { verdict } = await ended(again.id);
      expect(verdict).toMatchObject({
        evidence_mode: "experiment",
        judge_model: null,
        pairs: { compared: { value: 790 }, wins: { value: null } },
        non_inferiority: { is_shown: true, mean_score: { value: 0.01, ci_low: -0.06, ci_high: 0.08 } },
      });
      expect(await balance()).toBe(2);
    });
  });
}
