import { afterAll, describe, expect, it } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { tiers } from "@tollgate/core/limits/tiers";
import { microcents } from "@tollgate/core/money/money";
import { keptObjects } from "../../../../test/support/kept-objects.ts";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { digestOf } from "./api-key.ts";
import { ControlStore } from "./control-store.ts";
import { Directory } from "./directory.ts";
import { newId } from "./new-id.ts";

const path = temporaryFolder();
const store = await ControlStore.open({ kind: "sqlite", path: path("control.db") });
const directory = new Directory(path("control.db"));
afterAll(async () => {
  directory.close();
  await store.close();
});

let now = 1_000_000;
const find = (key: string) => directory.findByDigest(digestOf(key), now);

async function newOrganization() {
  const { id } = await store.createOrganization("o", "starter", now);
  const key = await store.createKey(id, "live", "write", now);
  now += 100;
  return { id, key };
}

describe("the gateway's directory", () => {
  it("resolves a key to its organization, tier, mode and permission", async () => {
    const { id } = await newOrganization();
    const test = await store.createKey(id, "test", "read", now);
    now += 100;
    expect(find(test.key)).toMatchObject({
      keyId: test.id,
      orgId: id,
      mode: "test",
      permission: "read",
      tier: "starter",
      status: "active",
      limits: tiers.starter,
    });
    expect(find("sk_live_unknown")).toBeNull();
  });

  const changes: [
    string,
    (org: Awaited<ReturnType<typeof newOrganization>>) => Promise<unknown>,
    object | null,
  ][] = [
    ["a revocation", ({ key }) => store.revokeKey(key.id, now), null],
    [
      "a suspension",
      ({ id }) => store.updateOrganization(id, { status: "suspended" }),
      { status: "suspended" },
    ],
    ["a tier", ({ id }) => store.updateOrganization(id, { tier: "pro" }), { tier: "pro" }],
    [
      "a custom limit",
      ({ id }) => store.updateOrganization(id, { tier: "enterprise", monthly_calls: 5 }),
      { limits: { monthlyCalls: 5 } },
    ],
  ];
  for (const [what, change, expected] of changes) {
    it(`LIM-015 sees ${what} within 100 ms, even if the key is cached`, async () => {
      const org = await newOrganization();
      expect(find(org.key.key)).toMatchObject({ status: "active", tier: "starter" });
      await change(org);
      now += 100;
      const found = find(org.key.key);
      if (expected === null) expect(found).toBeNull();
      else expect(found).toMatchObject(expected);
    });
  }

  it("SEC-010 bounds a key by the role of its creator; the key of a former member is unknown", async () => {
    const { id, key } = await newOrganization();
    const { db } = store.database;
    const member = {
      id: "m",
      org_id: id,
      user_id: "u",
      email: "a@example.org",
      role: "admin",
      status: "active",
    };
    await db
      .insertInto("members")
      .values({ ...member, created_at: now })
      .execute();
    await db.updateTable("api_keys").set({ created_by_user: "u" }).where("id", "=", key.id).execute();
    const scope = () => {
      now += 100;
      return find(key.key)?.permission;
    };
    expect(scope()).toBe("write");
    await db.updateTable("members").set({ role: "viewer" }).where("id", "=", "m").execute();
    expect(scope()).toBe("read");
    await db.updateTable("members").set({ role: "owner" }).where("id", "=", "m").execute();
    expect(scope()).toBe("write");
    await db.deleteFrom("members").where("id", "=", "m").execute();
    expect(scope()).toBeUndefined();
  });

  it("sees a new key immediately even if it was looked up before it existed", async () => {
    const { id } = await newOrganization();
    expect(find("sk_live_guess")).toBeNull();
    const { key } = await store.createKey(id, "live", "write", now);
    now += 100;
    expect(find(key)).toMatchObject({ orgId: id });
  });

  it("sees changes even after the clock was set back", async () => {
    const { key } = await newOrganization();
    expect(find(key.key)).not.toBeNull();
    await store.revokeKey(key.id, now);
    now -= 3_600_000;
    expect(find(key.key)).toBeNull();
    now += 3_600_000;
  });

  it("OPT-005 EXP-006 sees what was applied to an agent and what was undone, only in its organization and mode", async () => {
    const { id, key } = await newOrganization();
    const other = await newOrganization();
    const { db } = store.database;
    const agent = { org_id: id, mode: "live", agent_id: "id", agent_key: "a" };
    const rules = (orgId = id, mode: "live" | "test" = "live") => {
      now += 100;
      expect(find(key.key)).not.toBeNull();
      return directory.rulesOf(orgId, mode).agents.get("a");
    };
    expect(rules()).toBeUndefined();
    await db
      .insertInto("optimizations")
      .values({
        ...agent,
        id: "o",
        optimization_type: "model_switch",
        payload: '{"model":"m"}',
        source: "suggestion",
        applied_by: "u",
        applied_at: now,
        undone_at: null,
      })
      .execute();
    await db
      .insertInto("experiments")
      .values({
        ...agent,
        id: "e",
        name: "n",
        control_model: null,
        treatment_model: "t",
        traffic_pct: 10,
        primary_metric: "error_rate",
        max_duration_days: 1,
        auto_promote: 0,
        status: "running",
        created_at: now,
        ends_at: 5,
        ended_at: null,
        end_reason: null,
        winner: null,
        results: null,
        updated_at: now,
      })
      .execute();
    const split = { experimentId: "e", treatmentModel: "t", trafficPct: 10, endsAtMs: 5 };
    expect(rules()).toEqual({ split, model: "m", maxOutputTokens: null, cachesPrompt: false });
    expect([rules(other.id), rules(id, "test")]).toEqual([undefined, undefined]);
    await db.updateTable("optimizations").set({ undone_at: now }).where("id", "=", "o").execute();
    expect(rules()).toMatchObject({ split, model: null });
    await db.updateTable("experiments").set({ status: "paused" }).where("id", "=", "e").execute();
    expect(rules()).toBeUndefined();
    expect(directory.rulesOf(id, "live")).toBe(directory.rulesOf(other.id, "test"));
  });

  it("does not grow with the number of guessed keys", async () => {
    const { key } = await newOrganization();
    const guesses = 300_000;
    const kept = await keptObjects(() => {
      for (let guess = 0; guess < guesses; guess++) directory.findByDigest(`guess ${guess}`, now);
    });
    expect(kept).toBeLessThan(guesses / 3);
    expect(find(key.key)).not.toBeNull();
  });

  it("lists an organization's prices newest first, also those of one millisecond", async () => {
    const { id } = await newOrganization();
    const set = async (effective_from: number, input_per_million_cents: number) =>
      store.database.db
        .insertInto("price_overrides")
        .values({
          id: newId(),
          org_id: id,
          provider: "openai",
          model: "m",
          prices: JSON.stringify({ input_per_million_cents, output_per_million_cents: 0 }),
          effective_from,
          created_by: "cli",
        })
        .execute();
    for (const [effectiveFromMs, cents] of [
      [1000, 1],
      [2000, 2],
      [2000, 3],
    ] as const) {
      await set(effectiveFromMs, cents);
    }
    now += 100;
    directory.findByDigest("", now);
    const newestFirst = [3, 2, 1].map(cents => expect.stringContaining(`_cents":${cents},`));
    expect(directory.pricesOf(id).map(({ prices }) => prices)).toEqual(newestFirst);
    expect((await store.pricesOf(id)).map(({ prices }) => prices)).toEqual(newestFirst);
  });

  it("SEC-003 never writes the text of a key to disk", async () => {
    const { key } = await newOrganization();
    const folder = path("");
    for (const file of readdirSync(folder)) {
      expect(readFileSync(`${folder}/${file}`).includes(key.key)).toBe(false);
      expect(readFileSync(`${folder}/${file}`).includes(key.key.slice(8))).toBe(false);
    }
    expect(readdirSync(folder)).toContain("control.db-wal");
  });

  it("keeps the time of the first revocation, and reports a missing key", async () => {
    const { key } = await newOrganization();
    expect([
      await store.revokeKey(key.id, 1),
      await store.revokeKey(key.id, 2),
      await store.revokeKey("none", 3),
    ]).toEqual([true, true, false]);
  });
});

describe("the control store", () => {
  it("MON-013 books a rerating once, and sums the adjustments of an event", async () => {
    const event = {
      id: "e",
      org_id: "o",
      created_at: 1,
      provider: "openai",
      model: "m",
      cost_basis: "priced",
      cost_microcents: microcents(100),
    } as const;
    const to = (costMicrocents: number, id = "e") => ({
      event: { ...event, id },
      rerated: { costMicrocents, price_version: "p", card: "{}", additional_cards: null },
    });
    await Promise.all([1, 2].map(() => store.bookReratings("o", [to(105), to(105, "f")], now)));
    await store.bookReratings("o", [to(103)], now);
    await store.bookReratings("o", [to(103), { event, rerated: null }], now);
    expect(Object.fromEntries(await store.adjustments())).toEqual({ e: 3, f: 5 });
    const rows = await store.database.db.selectFrom("adjustments").select("amount_microcents").execute();
    expect(rows.map(row => row.amount_microcents)).toEqual([5, 5, -2]);
  });

  it("changes only the given fields, and only of an existing row", async () => {
    const { id } = await newOrganization();
    await store.updateOrganization(id, { burst_per_minute: 7 });
    expect(await store.updateOrganization(id, { tier: "lite" })).toMatchObject({
      burst_per_minute: 7,
      tier: "lite",
      status: "active",
    });
    expect(await store.updateOrganization("none", { tier: "lite" })).toBeNull();
  });
});
