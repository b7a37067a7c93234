import { describe, expect, it } from "bun:test";
import { DAY_MS } from "@tollgate/core/time/durations";
import { refusal } from "../../support/clients/refusal.ts";
import { expectEnvelopes } from "../../support/expect-envelopes.ts";
import { systemEngines } from "../../support/full-size.ts";
import { CANDIDATE, PRODUCTION } from "../../support/labs/pair-events.ts";
import { openToolClient } from "../../support/labs/tool-clients.ts";
import { verificationRequests } from "../../support/labs/verification-requests.ts";
import { eventually } from "../../support/waiting/eventually.ts";

for (const engine of systemEngines) {
  describe(`verifications on ${engine}`, () => {
    const requests = verificationRequests(engine);
    const { fresh, start, show, ended, addPairs } = requests;

    it("LOOP-003 LOOP-009 LOOP-010 LOOP-011 SEC-004 TOOL-048 tools show the same as the API, change nothing, and show nothing of other organizations", async () => {
      const client = await fresh();
      const { id } = await start();
      await addPairs(id, 300, {
        category: "code",
        candidateStatus: index => (index % 10 ? "success" : "error"),
      });
      await ended(id);
      const running = await start({ candidate_model: "gpt-4.1-mini" });
      const before = await everything();
      const toolClient = await openToolClient(
        "hosted, new client",
        requests.lab.url,
        requests.organization.readKey,
      );
      const verdicts = await toolClient.call("svc_get_verdicts");
      const trials = await toolClient.call("svc_get_trials");
      const state = await toolClient.call("svc_get_verification", { request_id: id });
      const balanceTool = await toolClient.call("svc_get_balance");
      expect<unknown>(verdicts.structured).toEqual(await client.call("loop_views.verdicts"));
      expect<unknown>(trials.structured).toEqual(await client.call("loop_views.trials"));
      expect<unknown>(state.structured).toEqual(await show(id));
      expect<unknown>(balanceTool.structured).toEqual(await client.call("verify.balance.get"));
      expect(expectEnvelopes("svc_get_verdicts", verdicts.structured)).toBeGreaterThan(20);
      expect(expectEnvelopes("svc_get_trials", trials.structured)).toBeGreaterThan(10);
      const shown = (await client.call("loop_views.verdicts")).verdicts;
      // One in ten answers of the candidate failed: it holds, with a warning.
      expect(shown.map(({ task_category, verdict }) => [task_category, verdict])).toEqual([
        [null, "holds_with_warning"],
        ["code", "holds"],
      ]);
      expect(shown[0]?.guards.error_rate).toMatchObject({ passes: false, production: { value: 0 } });
      const plans = (await client.call("loop_views.trials")).trials;
      expect(plans.map(({ status, verdict_id }) => [status, verdict_id])).toEqual([
        ["registered", null],
        ["concluded", shown[0]?.id ?? ""],
      ]);
      expect(plans[0]).toMatchObject({
        regime: "non_inferiority",
        primary_metric: "mean_score",
        prod_model: `openai/${PRODUCTION}`,
        candidate_model: "openai/gpt-4.1-mini",
        sample_plan: { min_pairs: { value: 50 }, max_pairs: { value: 500 }, share_pct: { value: 50 } },
      });
      expect(await everything()).toEqual(before);
      await toolClient.close();

      const mine = requests.organization;
      await fresh();
      const foreign = await openToolClient(
        "hosted, new client",
        requests.lab.url,
        requests.organization.liveKey,
      );
      const hidden = await foreign.call("svc_get_verification", { request_id: running.id });
      expect([hidden.isError, hidden.facts.status]).toEqual([true, 404]);
      expect((await foreign.call("svc_get_verdicts")).structured).toEqual({ verdicts: [] });
      expect((await foreign.call("svc_get_trials")).structured).toEqual({ trials: [] });
      expect((await refusal(show(running.id))).status).toBe(404);
      expect(
        (await refusal(requests.organization.client.call("verify.requests.cancel", { id: running.id })))
          .status,
      ).toBe(404);
      await foreign.close();
      requests.organization = mine;
      expect((await show(running.id)).status).toBe("collecting");
    });

    it("a verdict is expiring seven days before its end, expired after 30, and invalid when a model changes its name", async () => {
      const client = await fresh();
      const { id } = await start();
      await addPairs(id, 300);
      await ended(id);
      const freshness = async () => (await show(id)).verdict?.freshness;
      expect(await freshness()).toBe("current");
      await requests.organization.addEvents({
        agent_key: "another",
        model: CANDIDATE,
        served_model: "gpt-4.1-nano-2026-11-01",
      });
      await eventually("the verdict is invalid", async () => (await freshness()) === "invalidated");
      expect((await client.call("loop_views.verdicts")).verdicts[0]?.invalid_reason).toBe(
        "served_model_changed",
      );
      const second = await start();
      await addPairs(second.id, 300, { servedCandidate: "gpt-4.1-nano-2026-11-01" });
      await ended(second.id);
      const later = async () => (await show(second.id)).verdict?.freshness;
      requests.lab.clock.advance(23 * DAY_MS);
      expect(await later()).toBe("expiring");
      requests.lab.clock.advance(7 * DAY_MS);
      expect(await later()).toBe("expired");
    });

    /** Everything that a verification may change. */
    async function everything() {
      const { db } = requests.lab;
      return {
        requests: await db.selectFrom("verification_requests").selectAll().orderBy("id").execute(),
        trials: await db.selectFrom("verification_trials").selectAll().orderBy("id").execute(),
        pairs: await db.selectFrom("verification_pairs").select("pair_id").orderBy("pair_id").execute(),
        verdicts: await db.selectFrom("verdicts").selectAll().orderBy("id").execute(),
        grants: await db.selectFrom("verification_grants").selectAll().orderBy("id").execute(),
        charges: await db.selectFrom("verification_charges").selectAll().orderBy("request_id").execute(),
      };
    }
  });
}
