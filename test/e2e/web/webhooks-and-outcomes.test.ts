import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { refusal } from "../../support/clients/refusal.ts";
import { type ControlLab, NOON, startControlLab } from "../../support/labs/control-lab.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

describe("webhooks", () => {
  const hook = {
    url: "https://example.org/hook",
    events: ["event.created", "outcome.confirmed"],
    secret: "s",
  };

  it("HOOK-001 registers with 201 and shows the secret only this time; lists without it; deletes with 204", async () => {
    const { id: orgId, client, liveKey } = await lab.organization();
    const answer = await lab.send(`/api/webhooks/generic/${orgId}`, {
      key: liveKey,
      method: "POST",
      body: JSON.stringify(hook),
    });
    expect(answer.status).toBe(201);
    const made = (await answer.json()) as Record<string, unknown> & { id: string };
    expect(made).toEqual({ id: expect.any(String), ...hook, created_at: NOON });
    const { webhooks } = await client.call("webhooks.list");
    expect(webhooks).toEqual([
      {
        id: made.id,
        url: hook.url,
        events: ["event.created", "outcome.confirmed"],
        created_at: NOON,
        updated_at: NOON,
        enabled: true,
        disabled_reason: null,
        failing_since: null,
        previous_secret_valid_until: null,
      },
    ]);
    const other = await lab.organization();
    expect((await refusal(other.client.call("webhooks.delete", { id: made.id }))).status).toBe(404);
    expect(await client.call("webhooks.delete", { id: made.id })).toBeUndefined();
    expect((await client.call("webhooks.list")).webhooks).toEqual([]);
  });

  it.each(["whsec_audit_1", "whsec_", "whsec_???", " ", "é", "x".repeat(1024)])(
    "HOOK-001 accepts any secret unchanged: %s",
    async secret => {
      const { id: orgId, client } = await lab.organization();
      const made = await client.call("webhooks.register", {
        ...hook,
        events: ["event.created"],
        orgId,
        secret,
      });
      expect(made.secret).toBe(secret);
      const other = `${secret.slice(1)}2`;
      expect((await client.call("webhooks.rotate_secret", { id: made.id, secret: other })).secret).toBe(
        other,
      );
    },
  );

  it("HOOK-001 answers 404 for another organization's orgId, and stores nothing", async () => {
    const one = await lab.organization();
    const two = await lab.organization();
    for (const orgId of [two.id, crypto.randomUUID()]) {
      const answer = await lab.send(`/api/webhooks/generic/${orgId}`, {
        key: one.liveKey,
        method: "POST",
        body: JSON.stringify(hook),
      });
      expect(answer.status).toBe(404);
    }
    expect((await two.client.call("webhooks.list")).webhooks).toEqual([]);
  });

  it.each([
    ["url", { events: hook.events, secret: "s" }],
    ["events", { url: hook.url, secret: "s" }],
    ["secret", { url: hook.url, events: hook.events }],
    ["url", { ...hook, url: "javascript:alert(1)" }],
    ["url", { ...hook, url: "not a url" }],
    ["events", { ...hook, events: [] }],
    ["events", { ...hook, events: ["event.deleted"] }],
    ["events", { ...hook, events: "event.created" }],
    ["secret", { ...hook, secret: "" }],
  ])("HOOK-001 answers 400 naming %s for %j", async (field, body) => {
    const { id, liveKey } = await lab.organization();
    const answer = await lab.send(`/api/webhooks/generic/${id}`, {
      key: liveKey,
      method: "POST",
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ error: expect.stringContaining(field) });
  });
});

describe("outcomes", () => {
  it("ROI-001 ROI-002 ROI-008 are reported, listed by cursor, and confirmed once: the first confirmation counts", async () => {
    const { id: org_id, client, addEvents, agentId } = await lab.organization();
    await addEvents({ session_id: "run" }, { session_id: "run" }, { session_id: "other" });
    const reported = await client.reportOutcome({
      name: "booked",
      sessionId: "run",
      success: true,
      notes: "fine",
      metadata: { room: 4 },
      valueCents: 1200,
    });
    expect(reported).toEqual({
      id: expect.any(String),
      org_id,
      name: "booked",
      session_id: "run",
      agent_id: null,
      event_id: null,
      outcome_type: null,
      source: "manual",
      success: true,
      value_cents: 1200,
      notes: "fine",
      metadata: { room: 4 },
      confirmed_by: null,
      confirmed_at: null,
      related_events: 2,
      created_at: NOON,
    });
    const { id } = reported;
    const confirmed = await client.call("outcomes.confirm", { id, confirmed_by: "crm" });
    expect(confirmed).toEqual({ ...reported, confirmed_by: "crm", confirmed_at: NOON });
    lab.clock.advance(1000);
    expect(await client.call("outcomes.confirm", { id, confirmed_by: "else" })).toEqual(confirmed);
    lab.clock.set(NOON);
    expect(await client.call("outcomes.get", { id })).toEqual(confirmed);

    const more: string[] = [];
    for (let count = 0; count < 5; count++) {
      const { id } = await client.call("outcomes.create", {
        name: `n${count}`,
        agent_id: agentId("default"),
      });
      more.push(id);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.call("outcomes.list", { limit: 2, ...(cursor ? { cursor } : {}) });
      seen.push(...page.outcomes.map(outcome => outcome.id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual([id, ...more].toReversed());
    expect((await client.call("outcomes.list", { confirmed: true })).outcomes.map(o => o.id)).toEqual([id]);
    expect((await client.call("outcomes.list", { session_id: "run" })).outcomes).toHaveLength(1);
  });

  it("records the principal as confirmer by default, and refuses an unknown agent", async () => {
    const { client } = await lab.organization();
    const { id } = await client.call("outcomes.create", { name: "x" });
    expect((await client.call("outcomes.confirm", { id })).confirmed_by).toStartWith("key ");
    expect(
      await refusal(client.call("outcomes.create", { name: "x", agent_id: crypto.randomUUID() })),
    ).toMatchObject({ status: 400, body: { error: expect.stringContaining("agent_id") } });
  });
});
