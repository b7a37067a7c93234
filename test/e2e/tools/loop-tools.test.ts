import { afterAll, beforeAll, expect, it } from "bun:test";
import { hostedOnlyTools } from "../../spec-surface.ts";
import { expectEnvelopes } from "../../support/expect-envelopes.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { openToolClient, type ToolClient } from "../../support/labs/tool-clients.ts";
import { addVerdict } from "../../support/rows/sample-verdict.ts";
import { storedRows } from "../../support/rows/stored-rows.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const FLAGGED = ["svc_get_dashboard_headline", "svc_get_decision_queue", "svc_get_actuations"] as const;

let lab: ControlLab;
let organization: Awaited<ReturnType<ControlLab["organization"]>>;
let toolClient: ToolClient;
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
  toolClient = await openToolClient("hosted, new client", lab.url, organization.readKey);
});
afterAll(async () => {
  await toolClient.close();
  await lab.stop();
});

it("LOOP-007 headline and queue are errors with a next step, actuations a 404, while the flag is off; then all three answer", async () => {
  const refused = await Promise.all(FLAGGED.map(name => toolClient.call(name)));
  expect(refused.map(({ isError, facts }) => [isError, facts.status])).toEqual([
    [true, 403],
    [true, 403],
    [true, 404],
  ]);
  for (const { facts } of refused) expect(String(facts.next_step)).toContain("optimization_model_v3");
  await organization.client.call("organization.update", { flags: { optimization_model_v3: true } });
  for (const name of FLAGGED) expect([name, (await toolClient.call(name)).isError]).toEqual([name, false]);
});

it("LOOP-001 LOOP-002 LOOP-003 every loop-metric tool answers in envelopes, and none of them, the health tools or svc_get_balance changes anything", async () => {
  await organization.client.call("organization.update", { flags: { optimization_model_v3: true } });
  const { share_token } = await organization.client.call("reports.create", {});
  const before = await storedRows(lab);
  const balance = await organization.client.call("verify.balance.get");
  for (const name of hostedOnlyTools["Loop metrics"]) {
    const answer = await toolClient.call(name, name === "svc_get_report_snapshot" ? { share_token } : {});
    expect([name, answer.isError]).toEqual([name, false]);
    expect([name, expectEnvelopes(name, answer.structured) > 0]).toEqual([name, name !== "svc_get_trials"]);
  }
  for (const name of [...hostedOnlyTools["Agent health"], "svc_get_balance"]) {
    expect([name, (await toolClient.call(name)).isError]).toEqual([name, false]);
  }
  expect(await storedRows(lab)).toEqual(before);
  expect(await organization.client.call("verify.balance.get")).toEqual(balance);
});

it("SEC-004 none of the 15 hosted-only tools shows or touches anything of another organization, whatever ids it is given", async () => {
  const { client, id: mine, agentId } = organization;
  await client.call("organization.update", { flags: { optimization_model_v3: true } });
  const policy = await client.call("verify.policies.create", { name: "ours", margin: 0.2 });
  const request = await client.call("verify.requests.create", {
    prod_model: "gpt-4o",
    candidate_model: "gpt-4.1-nano",
    policy_id: policy.id,
    agent_id: agentId("writer"),
  });
  const { verdicts } = await client.call("loop_views.verdicts");
  const { proposals } = await client.call("loop_views.proposals", {});
  const { items } = await client.call("loop_views.queue", {});
  const ours = [
    mine,
    agentId("writer"),
    policy.id,
    request.id,
    request.trial_id,
    ...[...verdicts, ...proposals, ...items].map(({ id }) => id),
  ];
  expect(ours.length).toBeGreaterThan(7);

  const stranger = await lab.organization();
  await stranger.client.call("organization.update", { flags: { optimization_model_v3: true } });
  const foreign = await openToolClient("hosted, new client", lab.url, stranger.liveKey);
  const before = await storedRows(lab);
  const nobody = crypto.randomUUID();
  const models = { prod_model: "gpt-4o", candidate_model: "gpt-4o-mini" };
  const withIds = [
    ["svc_verify_switch", { ...models, agent_id: agentId("writer") }, { ...models, agent_id: nobody }],
    ["svc_verify_switch", { ...models, policy_id: policy.id }, { ...models, policy_id: nobody }],
    ["svc_get_verification", { request_id: request.id }, { request_id: nobody }],
    ["svc_get_report_snapshot", { share_token: mine.replaceAll("-", "") }, { share_token: "0".repeat(32) }],
  ] as const;
  for (const [name, theirs, unknown] of withIds) {
    const answer = await foreign.call(name, theirs);
    expect([name, answer.facts.status]).toEqual([name, 404]);
    expect(answer).toEqual(await foreign.call(name, unknown));
  }
  expect(await storedRows(lab)).toEqual(before);

  const known = new Set<string>(withIds.map(([name]) => name));
  const names = Object.values(hostedOnlyTools).flat();
  expect(names).toHaveLength(15);
  for (const name of names.filter(name => !known.has(name))) {
    const args = name === "svc_get_upgrade_business_case" ? { current_tier: "starter" } : {};
    const answer = await foreign.call(name, args);
    expect([name, answer.isError]).toEqual([name, false]);
    const text = JSON.stringify(answer);
    expect([name, ours.filter(id => text.includes(id))]).toEqual([name, []]);
    expect([name, /writer/.test(text)]).toEqual([name, false]);
  }
  await foreign.close();
});
