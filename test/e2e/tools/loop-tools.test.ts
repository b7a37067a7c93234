import { afterAll, beforeAll, expect, it } from "bun:test";
import { hostedOnlyTools } from "../../spec-surface.ts";
import { expectEnvelopes } from "../../support/expect-envelopes.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { addVerdict } from "../../support/labs/sample-verdict.ts";
import { storedRows } from "../../support/labs/stored-rows.ts";
import { type Door, openDoor } from "../../support/labs/tool-doors.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const FLAGGED = ["svc_get_dashboard_headline", "svc_get_decision_queue", "svc_get_actuations"] as const;

let lab: ControlLab;
let organization: Awaited<ReturnType<ControlLab["organization"]>>;
let door: Door;
beforeAll(async () => {
  lab = await startControlLab();
  organization = await lab.organization();
  await organization.addEvents({ agent_key: "writer", session_id: "s", model: "gpt-4o" });
  await addVerdict(lab, {
    orgId: organization.id,
    agentId: organization.agentId("writer"),
    candidateModel: "gpt-4o-mini",
    concludedAt: lab.clock.now(),
  });
  await eventually("there is a proposal", async () => {
    return (await organization.client.call("loop_views.proposals", {})).proposals.length > 0;
  });
  door = await openDoor("hosted, new client", lab.url, organization.readKey);
});
afterAll(async () => {
  await door.close();
  await lab.stop();
});

it("LOOP-007 headline and queue are errors with a next step, actuations a 404, while the flag is off; then all three answer", async () => {
  const refused = await Promise.all(FLAGGED.map(name => door.call(name)));
  expect(refused.map(({ isError, facts }) => [isError, facts.status])).toEqual([
    [true, 403],
    [true, 403],
    [true, 404],
  ]);
  for (const { facts } of refused) expect(String(facts.next_step)).toContain("optimization_model_v3");
  await organization.client.call("organization.update", { flags: { optimization_model_v3: true } });
  for (const name of FLAGGED) expect([name, (await door.call(name)).isError]).toEqual([name, false]);
});

it("LOOP-001 LOOP-002 LOOP-003 every loop-metric tool answers in envelopes, and none of them, the health tools or svc_get_balance changes anything", async () => {
  await organization.client.call("organization.update", { flags: { optimization_model_v3: true } });
  const { share_token } = await organization.client.call("reports.create", {});
  const before = await storedRows(lab);
  const balance = await organization.client.call("verify.balance.get");
  for (const name of hostedOnlyTools["Loop metrics"]) {
    const answer = await door.call(name, name === "svc_get_report_snapshot" ? { share_token } : {});
    expect([name, answer.isError]).toEqual([name, false]);
    expect([name, expectEnvelopes(name, answer.structured) > 0]).toEqual([name, name !== "svc_get_trials"]);
  }
  for (const name of [...hostedOnlyTools["Agent health"], "svc_get_balance"]) {
    expect([name, (await door.call(name)).isError]).toEqual([name, false]);
  }
  expect(await storedRows(lab)).toEqual(before);
  expect(await organization.client.call("verify.balance.get")).toEqual(balance);
});
