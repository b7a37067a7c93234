import { expect, it, onTestFinished } from "bun:test";
import { join } from "node:path";
import { putInForce } from "@tollgate/control/features/actuations/put-in-force";
import { startControl } from "@tollgate/control/start-control";
import { createClient } from "@tollgate/sdk/client";
import { startTestGateway } from "../../support/labs/test-gateway.ts";
import { serveProvider } from "../../support/servers/serve-provider.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const ASKED = "gpt-4o";
const BAD = "gpt-4.1-nano";
const GOOD = "gpt-4o-mini";

it("LOOP-034 a model that fails trips the breaker: calls go to the old one again, with an actuation, an alert and a queue item; a good one stays", async () => {
  const provider = serveProvider("openai", {
    records: false,
    answer: (_request, { body }) =>
      (body as { model: string }).model === BAD
        ? Response.json({ error: { message: "overloaded", type: "server_error" } }, { status: 503 })
        : undefined,
  });
  onTestFinished(() => provider.stop());
  // On a busy machine later calls may take longer than earlier ones, which would trip the good model's breaker.
  const gateway = await startTestGateway({ baseUrls: { openai: provider.url }, uptimeMs: () => 0 });
  onTestFinished(() => gateway.stop());
  await gateway.store.updateOrganization(gateway.orgId, { burst_per_minute: 1_000_000 });
  const { database } = gateway.store;
  const control = await startControl({
    host: "127.0.0.1",
    port: 0,
    database,
    controlPath: join(gateway.dataDir, "control.db"),
    ledgerPath: join(gateway.dataDir, "ledger.db"),
    publicUrl: "http://tollgate.test",
    secret: "a secret that is long enough for every test",
    oidc: null,
    log: () => {},
  });
  onTestFinished(() => control.stop());
  const client = createClient({ baseUrl: control.url, apiKey: gateway.liveKey });
  await client.call("organization.update", { flags: { optimization_model_v3: true } });

  const call = async (agent: string, times: number) => {
    const one = async () => {
      const answer = await gateway.post(
        "/v1/chat/completions",
        { model: ASKED, messages: [{ role: "user", content: "hello" }] },
        { "x-agent-id": agent },
      );
      await answer.text();
    };
    await Promise.all(Array.from({ length: times }, one));
  };
  const modelsOf = (agent: string) =>
    gateway
      .events()
      .filter(({ agent_key }) => agent_key === agent)
      .map(({ model }) => model);
  const agentId = async (agent: string) => {
    const { agents } = await client.call("agents.list", {});
    return agents.find(({ agent_key }) => agent_key === agent)?.id;
  };
  const watched = async (id: string) => {
    const row = await database.db
      .selectFrom("switch_watches")
      .select("calls")
      .where("optimization_id", "=", id)
      .executeTakeFirst();
    return row?.calls ?? null;
  };
  async function switchTo(agent: string, model: string): Promise<string> {
    await call(agent, 110);
    await eventually("the agent is known", async () => (await agentId(agent)) !== undefined);
    const id = crypto.randomUUID();
    const row = {
      id,
      org_id: gateway.orgId,
      mode: "live" as const,
      agent_id: (await agentId(agent)) ?? "",
      agent_key: agent,
      optimization_type: "model_switch" as const,
      payload: JSON.stringify({ model }),
      source: "suggestion",
      applied_by: "test",
      applied_at: Date.now(),
      undone_at: null,
    };
    const parts = { engine: "sqlite", newId: () => Bun.randomUUIDv7(), now: Date.now } as const;
    await database.db
      .transaction()
      .execute(transaction => putInForce(transaction, parts, row, { authority: "operator", actor: "test" }));
    return id;
  }

  const good = await switchTo("good", GOOD);
  await eventually("the good model has many calls", async () => {
    await call("good", 20);
    return ((await watched(good)) ?? 0) >= 120;
  });
  const bad = await switchTo("bad", BAD);
  const agent_id = await agentId("bad");
  const undoing = async () => {
    const { actuations } = await client.call("loop_views.actuations", {});
    return actuations.find(({ subject_id, change }) => subject_id === bad && change === "undo");
  };
  await eventually("the breaker trips", async () => {
    await call("bad", 20);
    return (await undoing()) !== undefined;
  });
  const actuation = await undoing();
  expect(actuation).toMatchObject({
    agent_id,
    action_type: "model_switch",
    authority: "breaker",
    actor: "breaker",
    acknowledgement: { state: "pending" },
  });
  const { actuations } = await client.call("loop_views.actuations", {});
  const applied = (id: string) =>
    actuations.find(({ subject_id, change }) => subject_id === id && change === "apply");
  expect(applied(bad)).toMatchObject({
    breaker: { state: "tripped", until: null },
    rollback: { reason: "error_rate", by: "breaker" },
  });
  const until = new Date(Date.parse(applied(good)?.timing.applied_at ?? "") + 86_400_000).toISOString();
  expect(applied(good)?.breaker).toEqual({ state: "watching", until });
  expect(actuation?.breaker).toBeNull();
  const { alerts } = await client.call("alerts.list", {});
  const own = alerts.filter(({ metadata }) => metadata.kind === "breaker");
  expect(own).toMatchObject([{ type: "error_rate", severity: "critical", agent_id, resolved_at: null }]);
  expect(own[0]?.message).toContain(BAD);
  const { items } = await client.call("loop_views.queue", {});
  expect(items).toMatchObject([{ kind: "breaker_event", id: `breaker_${actuation?.id}`, agent_id }]);
  await eventually("calls go to the old model again", async () => {
    await call("bad", 1);
    return modelsOf("bad").at(-1) === ASKED;
  });

  // Both were looked at by then: what was counted for the other is deleted after the look at every switch.
  await eventually("the undone switch is forgotten", async () => (await watched(bad)) === null);
  await call("good", 1);
  expect(modelsOf("good").at(-1)).toBe(GOOD);
});
