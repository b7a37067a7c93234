import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { raiseAlert } from "@tollgate/control/features/alerts/raise-alert";
import { breakerAlert } from "@tollgate/core/breaker/breaker-alert";
import { DAY_MS } from "@tollgate/core/time/durations";
import { surfaces } from "@tollgate/tools/surfaces";
import { refusal } from "../../support/clients/refusal.ts";
import { expectEnvelopes } from "../../support/expect-envelopes.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { openToolClient } from "../../support/labs/tool-clients.ts";
import { addVerdict } from "../../support/rows/sample-verdict.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const databases = controlDatabases();

for (const engine of systemEngines) {
  describe(`the decision queue on ${engine}`, () => {
    let lab: ControlLab;
    let organization: Awaited<ReturnType<ControlLab["organization"]>>;
    let agentId: string;
    let sample: { orgId: string; agentId: string; candidateModel: string };
    beforeAll(async () => {
      lab = await startControlLab(await databases.place(engine));
    });
    afterAll(() => lab.stop());

    async function fresh() {
      organization = await lab.organization();
      await organization.client.call("organization.update", { flags: { optimization_model_v3: true } });
      await organization.addEvents({ agent_key: "writer" });
      agentId = organization.agentId("writer");
      sample = { orgId: organization.id, agentId, candidateModel: "gpt-4.1-nano" };
    }
    const list = () => organization.client.call("loop_views.queue");
    const items = async () => (await list()).items;
    const decide = async (id: string, action: string, body?: unknown) => {
      const browser = await lab.member(organization.id, "admin");
      const answer = await browser.send(`${lab.url}/api/queue/${id}/${action}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return answer.status;
    };

    it("LOOP-007 is an error with the next step while the flag is off", async () => {
      const { client } = await lab.organization();
      const refused = await refusal(client.call("loop_views.queue"));
      expect(refused.status).toBe(403);
      expect(refused.message).toContain("optimization_model_v3");
    });

    it("LOOP-014 has an item of each source: verdict, blocked proposal, breaker event, expiring evidence", async () => {
      await fresh();
      const now = lab.clock.now();
      // Proposals are made after a verdict, and one that nothing supports ends then: it is seeded afterwards. Both
      // verdicts at once, so that proposals are made once.
      const [verdict, other] = await lab.db
        .transaction()
        .execute(async db => [
          await addVerdict({ db }, { ...sample, concludedAt: now - 25 * DAY_MS }),
          await addVerdict({ db }, { ...sample, candidateModel: "gpt-4o-mini", concludedAt: now }),
        ]);
      await eventually("the verdicts' proposals are made", async () => {
        return (await organization.client.call("loop_views.proposals", {})).proposals.length >= 2;
      });
      const scope = { org_id: organization.id, mode: "live" as const };
      const proposal = crypto.randomUUID();
      await lab.db
        .insertInto("proposals")
        .values({
          ...scope,
          id: proposal,
          proposal_key: "model_switch:seeded",
          source: "suggestion",
          source_id: "model_switch",
          agent_id: agentId,
          action_type: "model_switch",
          status: "blocked",
          blocked_reason: "no_verdict",
          impact: "{}",
          payload: "{}",
          created_at: now,
          updated_at: now,
        })
        .execute();
      const actuation = crypto.randomUUID();
      const undone = crypto.randomUUID();
      const alert = await raiseAlert(
        { db: lab.db, engine, now: lab.clock.now, newId: () => crypto.randomUUID(), wakeSender: () => {} },
        { orgId: organization.id, mode: "live" },
        breakerAlert(
          { optimizationId: undone, agent: { id: agentId, agentKey: "writer" }, model: "gpt-4.1-nano" },
          { reason: "error_rate", before: 0, after: 1, samplesBefore: 9, samplesAfter: 9, slowMs: null },
        ),
      );
      expect(alert).toBe(true);
      await lab.db
        .insertInto("actuations")
        .values({
          ...scope,
          id: actuation,
          agent_id: agentId,
          agent_key: "writer",
          action_type: "model_switch",
          change: "undo",
          subject_id: undone,
          authority: "breaker",
          actor: "breaker",
          asked_at: now,
          applied_at: now,
        })
        .execute();
      const seeded = [
        `verdict_${verdict}`,
        `evidence_${verdict}`,
        `verdict_${other}`,
        `proposal_${proposal}`,
        `breaker_${actuation}`,
      ];
      const ids = (await items()).map(({ id }) => id);
      expect(ids.filter(id => seeded.includes(id)).toSorted()).toEqual(seeded.toSorted());
      expect(expectEnvelopes("loop_views.queue", await list())).toBe(1);
      const toolClient = await openToolClient("hosted, new client", lab.url, organization.readKey);
      const shown = await toolClient.call("svc_get_decision_queue");
      await toolClient.close();
      expect<unknown>(shown.structured).toEqual(await list());
      expect(await decide(`breaker_${actuation}`, "acknowledge")).toBe(200);
      expect(await decide(`breaker_${actuation}`, "acknowledge")).toBe(404);
      const { actuations } = await organization.client.call("loop_views.actuations", {});
      expect(actuations).toMatchObject([{ acknowledgement: { state: "acknowledged" } }]);
      const { alerts } = await organization.client.call("alerts.list", {});
      expect(alerts).toMatchObject([
        { metadata: { kind: "breaker" }, resolved_at: new Date(now).toISOString() },
      ]);
    });

    it("LOOP-015 a key is refused with 403, and no tool decides", async () => {
      await fresh();
      const verdict = await addVerdict(lab, { ...sample, concludedAt: lab.clock.now() });
      const id = `verdict_${verdict}`;
      const { client } = organization;
      const until = new Date(lab.clock.now() + DAY_MS).toISOString();
      for (const call of [
        () => client.call("queue.approve", { id }),
        () => client.call("queue.acknowledge", { id }),
        () => client.call("queue.snooze", { id, until }),
      ]) {
        expect((await refusal(call())).status).toBe(403);
      }
      expect((await items()).map(one => one.id)).toContain(id);
      const deciding = /approve|snooze|queue/;
      expect(surfaces.hosted.map(({ name }) => name).filter(name => deciding.test(name))).toEqual([
        "svc_get_decision_queue",
      ]);
      expect(surfaces.stdio.filter(({ name }) => deciding.test(name))).toEqual([]);
    });

    it("LOOP-014 LOOP-033 a member approves a verdict's switch, snoozes or acknowledges; another organization's is 404", async () => {
      await fresh();
      const now = lab.clock.now();
      const verdict = await addVerdict(lab, { ...sample, concludedAt: now });
      const id = `verdict_${verdict}`;
      await eventually("it can be approved", async () => {
        return (await items()).some(one => one.id === id && one.actions.includes("approve"));
      });
      expect(await decide(id, "snooze", { until: new Date(now - 1).toISOString() })).toBe(400);
      expect(await decide(id, "snooze", { until: new Date(now + DAY_MS).toISOString() })).toBe(200);
      expect(await items()).toEqual([]);
      const switching = async () => {
        const { proposals } = await organization.client.call("loop_views.proposals", {});
        return proposals.filter(({ source }) => source === "verdict");
      };
      expect(await switching()).toMatchObject([{ status: "blocked", blocked_reason: "snoozed" }]);
      const ready = await organization.client.call("loop_views.readiness", {});
      expect(ready.agents[0]?.blocked_proposals).toMatchObject([
        { reason: "snoozed", proposals: { value: 1 } },
      ]);
      lab.clock.advance(DAY_MS);
      expect(await switching()).toMatchObject([{ status: "open", blocked_reason: null }]);
      expect((await items()).map(one => one.id)).toContain(id);
      const mine = organization;
      await fresh();
      expect(await decide(id, "approve")).toBe(404);
      organization = mine;
      agentId = mine.agentId("writer");
      expect(await decide(id, "approve")).toBe(200);
      expect((await items()).map(one => one.id)).not.toContain(id);
      const { optimizations } = await mine.client.call("agents.optimizations.list", { id: agentId });
      expect(optimizations).toMatchObject([
        { payload: { model: "gpt-4.1-nano" }, source: `verdict:${verdict}`, undone_at: null },
      ]);
      const { actuations } = await mine.client.call("loop_views.actuations", {});
      expect(actuations).toMatchObject([{ action_type: "model_switch", authority: "operator" }]);
    });

    it("LOOP-014 a verdict about all agents is approved for one after the other that calls its model", async () => {
      await fresh();
      await organization.addEvents(
        { agent_key: "writer", model: "gpt-4o" },
        { agent_key: "reader", model: "gpt-4o" },
        { agent_key: "another", model: "gpt-4o-mini" },
      );
      const now = lab.clock.now();
      const id = `verdict_${await addVerdict(lab, { ...sample, agentId: null, concludedAt: now })}`;
      await eventually("it can be approved", async () => {
        return (await items()).some(one => one.id === id && one.actions.includes("approve"));
      });
      const idOf = (key: string) => organization.agentId(key);
      const approve = (agent_id?: string) =>
        decide(id, "approve", agent_id === undefined ? {} : { agent_id });
      expect(await approve()).toBe(400);
      expect(await approve(idOf("another"))).toBe(400);
      expect(await approve(crypto.randomUUID())).toBe(404);
      expect(await approve(idOf("writer"))).toBe(200);
      expect(await approve(idOf("reader"))).toBe(200);
      expect((await items()).map(one => one.id)).toContain(id);
      const { actuations } = await organization.client.call("loop_views.actuations", {});
      expect(actuations.map(({ agent_id, change }) => [agent_id, change]).toSorted()).toEqual(
        [
          [idOf("writer"), "apply"],
          [idOf("reader"), "apply"],
        ].toSorted(),
      );
      expect(await decide(id, "acknowledge")).toBe(200);
      expect((await items()).map(one => one.id)).not.toContain(id);
      // One about an agent is not approved for another.
      const own = `verdict_${await addVerdict(lab, { ...sample, concludedAt: now, candidateModel: "gpt-4o-mini" })}`;
      await eventually("it can be approved", async () => {
        return (await items()).some(one => one.id === own && one.actions.includes("approve"));
      });
      expect(await decide(own, "approve", { agent_id: idOf("reader") })).toBe(400);
    });
  });
}
