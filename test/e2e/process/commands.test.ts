import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commands } from "@tollgate/cli/commands";
import { programs } from "@tollgate/cli/programs";
import { costExplanationResource } from "@tollgate/core/contract/events";
import type { Mode } from "@tollgate/core/event";
import type { Tier } from "@tollgate/core/limits/tiers";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { builtProgram } from "../../../scripts/built-program.ts";
import { chat } from "../../support/clients/call-endpoints.ts";
import { expectExplained } from "../../support/expect-explained.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import {
  plainEnvironment,
  type RunningTollgate,
  startTollgate,
  svc,
} from "../../support/labs/tollgate-process.ts";
import { freshPostgres } from "../../support/servers/postgres.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const folder = temporaryFolder();
const dataDir = folder("data");
const prices = folder("prices.json");
let tollgate: RunningTollgate;
let url: string;

beforeAll(async () => {
  writeFileSync(
    prices,
    JSON.stringify([
      { provider: "openai", model: "gpt-77", input_per_million_cents: 100, output_per_million_cents: 1000 },
    ]),
  );
  tollgate = startTollgate(dataDir);
  url = await tollgate.ready();
});
afterAll(() => tollgate.stop());

const object = (value: unknown): Record<string, unknown> => {
  if (typeof value !== "object" || value === null) throw new Error(`not an object: ${JSON.stringify(value)}`);
  return { ...value };
};
const list = (value: unknown): Record<string, unknown>[] => {
  if (!Array.isArray(value)) throw new Error("not an array");
  return value.map(object);
};

/** One JSON value, one line, and nothing else. */
async function json(args: readonly string[], settings: Record<string, string> = {}): Promise<unknown> {
  const outcome = await svc(dataDir, [...args, "--json"], settings);
  expect([args[0], outcome.exitCode, outcome.stderr.includes("Error")]).toEqual([args[0], 0, false]);
  expect(outcome.stdout.trimEnd().split("\n").length).toBe(1);
  return outcome.json();
}

/** Like `org create`, but without a process: most tests here are about another command. */
async function organization(name: string, tier: Tier) {
  const store = await ControlStore.open({ kind: "sqlite", path: join(dataDir, "control.db") });
  const { id } = await store.createOrganization(name, tier, Date.now());
  const keyOf = async (mode: Mode) => (await store.createKey(id, mode, "write", Date.now())).key;
  const made = { id, live_key: await keyOf("live"), test_key: await keyOf("test") };
  await store.close();
  return made;
}

async function call(
  key: unknown,
  body: unknown = chat.body,
  headers: Record<string, string> = {},
): Promise<number> {
  const answer = await fetch(url + chat.path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "x-provider-key": "k",
      "content-type": "application/json",
      ...headers,
    },
    body: JSON.stringify(body),
  });
  await answer.text();
  return answer.status;
}

describe("svc", () => {
  it("OPS-010 org create prints id, name, tier and two keys that work immediately", async () => {
    const org = object(await json(["org", "create", "--name", "Acme", "--tier", "pro"]));
    expect(Object.keys(org).sort()).toEqual(["id", "live_key", "name", "test_key", "tier"]);
    expect([org.name, org.tier]).toEqual(["Acme", "pro"]);
    expect(await call(org.test_key)).toBe(200);
    const models = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${org.live_key}` } });
    expect(models.status).toBe(200);
  });

  it("OPS-011 LIM-015 org update changes the given fields, which a running gateway applies within a second", async () => {
    const org = await organization("Changing", "enterprise");
    const update = (...args: string[]) => json(["org", "update", String(org.id), ...args]);
    expect(await call(org.test_key)).toBe(200);
    expect(object(await update("--burst-per-minute", "1", "--monthly-calls", "7"))).toMatchObject({
      id: org.id,
      tier: "enterprise",
      status: "active",
      burst_per_minute: 1,
      monthly_calls: 7,
    });
    await eventually("it is obeyed", async () => (await call(org.test_key)) === 429);
    expect(object(await update("--tier", "lite"))).toMatchObject({ tier: "lite", status: "active" });
    await eventually("it is obeyed", async () => (await call(org.test_key)) === 200);
    expect(object(await update("--status", "suspended"))).toMatchObject({
      tier: "lite",
      status: "suspended",
    });
    await eventually("it is obeyed", async () => (await call(org.test_key)) === 403);
    for (const [word, isOn] of [
      ["on", true],
      ["off", false],
    ] as const) {
      const updated = await update("--optimization-model-v3", word);
      expect(object(updated)).toMatchObject({ optimization_model_v3: isOn });
    }
  });

  it("OPS-012 key create prints a working key, with the requested mode and scope, and key revoke ends it", async () => {
    const org = await organization("Keys", "pro");
    const created = object(await json(["key", "create", "--org", String(org.id), "--test"]));
    expect(created).toMatchObject({ mode: "test", scope: "write", org_id: org.id });
    expect([String(created.key).startsWith("sk_test_"), await call(created.key)]).toEqual([true, 200]);
    const reader = object(
      await json(["key", "create", "--org", String(org.id), "--test", "--scope", "read"]),
    );
    expect(await call(reader.key)).toBe(403);
    const live = object(await json(["key", "create", "--org", String(org.id)]));
    expect(String(live.key)).toStartWith("sk_live_");
    expect(object(await json(["key", "revoke", String(created.id)]))).toEqual({
      id: created.id,
      revoked: true,
    });
    await eventually("it is obeyed", async () => (await call(created.key)) === 401);
  });

  it("OPS-013 ledger tail shows the newest events first, as many as requested", async () => {
    const org = await organization("Tail", "pro");
    for (let calls = 0; calls < 3; calls++) await call(org.test_key);
    const events = list(await json(["ledger", "tail", "--limit", "2"]));
    expect(events.map(event => event.org_id)).toEqual([org.id, org.id]);
    expect(Number(events[0]?.seq)).toBe(Number(events[1]?.seq) + 1);
    expect(new Date(String(events[0]?.created_at)).toISOString()).toBe(String(events[0]?.created_at));
    expect(list(await json(["ledger", "tail", "--limit", "0"]))).toEqual([]);
  });

  it("ledger tail shows dollars, one organization's events with --org, and all with their organization otherwise", async () => {
    const [one, two] = [await organization("Tail one", "pro"), await organization("Tail two", "pro")];
    await call(one.test_key);
    await call(two.test_key);
    await call(two.test_key, { ...chat.body, model: "gpt-77" });
    const own = list(await json(["ledger", "tail", "--org", String(one.id)]));
    expect(own.map(event => event.org_id)).toEqual([one.id]);
    const ofOne = (await svc(dataDir, ["ledger", "tail", "--org", String(one.id)])).stdout;
    expect(ofOne).toContain(
      `  $0.0000${own[0]?.cost_microcents} (${own[0]?.cost_microcents} microcents), priced  `,
    );
    expect(ofOne).not.toContain("organization");
    const ofAll = (await svc(dataDir, ["ledger", "tail", "--limit", "3"])).stdout.trimEnd().split("\n");
    expect(ofAll.map(line => line.split("organization ")[1])).toEqual([two.id, two.id, one.id].map(String));
    expect(ofAll[0]).toContain("  cost unknown, unpriced  ");
  });

  it("ledger tail --follow shows existing events, oldest first, and then every call as it arrives", async () => {
    const org = await organization("Followed", "pro");
    const other = await organization("Not followed", "pro");
    const callAs = (agent: string, key: unknown) => call(key, chat.body, { "x-agent-id": agent });
    await callAs("first", org.test_key);
    await callAs("second", org.test_key);
    const following = followLedger(["--org", String(org.id), "--limit", "5"]);
    onTestFinished(() => following.end());
    await eventually("the past is shown", () => following.agents().length === 2);
    await callAs("not-ours", other.test_key);
    await callAs("third", org.test_key);
    await eventually("the call is shown", () => following.agents().length > 2);
    expect(following.agents()).toEqual(["first", "second", "third"]);
  });

  it("MON-015 prices list prints every price completely, even into a pipe", async () => {
    const wire = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${await someKey()}` } });
    const served = list(object(await wire.json()).data);
    const listed = list(await json(["prices", "list"]));
    expect(listed).toEqual(
      served.map(model => ({ provider: model.owned_by, model: model.id, ...object(model.pricing) })),
    );
  });

  it("prices list shows one provider, or models by a part of their name", async () => {
    const ofAnthropic = list(await json(["prices", "list", "--provider", "anthropic"]));
    expect(new Set(ofAnthropic.map(price => price.provider))).toEqual(new Set(["anthropic"]));
    const mini = list(await json(["prices", "list", "--model", "4O-Mini"]));
    expect(mini.map(price => price.model)).toContain("gpt-4o-mini");
    expect(mini.length).toBeLessThan(10);
    const text = (await svc(dataDir, ["prices", "list", "--model", "gpt-4o-mini"])).stdout;
    expect(text).toStartWith("dollars per million tokens\n");
    expect(text).toMatch(/openai +gpt-4o-mini +0\.15 in +0\.6 out\n/);
    expect((await svc(dataDir, ["prices", "list", "--model", "none"])).stdout).toBe("no such model\n");
  });

  it("MON-013 MON-014 prices rerate shows the difference, and records it with --apply, only once", async () => {
    const org = await organization("Rerate", "pro");
    expect(await call(org.test_key, { ...chat.body, model: "gpt-77" })).toBe(200);
    const [event] = list(await json(["ledger", "tail", "--limit", "1"]));
    expect(event).toMatchObject({ cost_basis: "unpriced", cost_microcents: 0 });
    const owed = Number(event?.input_tokens) * 10 + Number(event?.output_tokens) * 100;

    const rerate = async (...args: string[]) =>
      object(
        await json(
          [
            "prices",
            "rerate",
            "--from",
            "2020-01-01",
            "--to",
            "2100-01-01",
            "--org",
            String(org.id),
            ...args,
          ],
          { SVC_PRICES_FILE: prices },
        ),
      );
    const changed = { changed: 1, difference_microcents: owed };
    expect(await rerate()).toMatchObject({ ...changed, applied: false });
    expect(await rerate()).toMatchObject({ ...changed, applied: false });
    expect(await rerate("--apply")).toMatchObject({ ...changed, applied: true });
    expect(await rerate("--apply")).toMatchObject({ changed: 0, difference_microcents: 0, applied: true });
    expect(object(await json(["ledger", "verify"]))).toMatchObject({
      ok: true,
      adjustments_microcents: 0,
      test_adjustments_microcents: owed,
    });
    const [after] = list(await json(["ledger", "tail", "--limit", "1"]));
    expect(after).toEqual(event ?? {});
  });

  it("MON-021 prices rerate and ledger verify say how many calls have no price, and of which models", async () => {
    const org = await organization("No price", "pro");
    for (const model of ["gpt-77", "gpt-78", "gpt-79", "gpt-78"]) {
      expect(await call(org.test_key, { ...chat.body, model })).toBe(200);
    }
    const range = ["prices", "rerate", "--from", "2020-01-01", "--to", "2100-01-01", "--org", org.id];
    expect(await json([...range, "--apply"], { SVC_PRICES_FILE: prices })).toMatchObject({
      events: 4,
      changed: 1,
      unpriced_calls: 3,
      unpriced_models: [
        { provider: "openai", model: "gpt-78", calls: 2 },
        { provider: "openai", model: "gpt-79", calls: 1 },
      ],
      omitted_unpriced_models: 0,
    });
    const again = await svc(dataDir, range, { SVC_PRICES_FILE: prices });
    expect(again.stdout).toContain("3 events still have no price");
    expect(again.stdout).toContain("  openai/gpt-78: 2\n  openai/gpt-79: 1\nnothing to change at the prices");
    const { stdout } = await svc(dataDir, ["ledger", "verify"]);
    expect(stdout).toMatch(/^ok: .* live, .* test \(\+ \d+ unpriced calls\)$/m);
  });

  it("MON-020 event cost explains an event line by line, even a rerated one, and adds up to its cost", async () => {
    const org = await organization("Explained", "pro");
    expect(await call(org.test_key)).toBe(200);
    const [event] = list(await json(["ledger", "tail", "--limit", "1"]));
    const id = String(event?.id);
    const explanation = costExplanationResource.parse(await json(["event", "cost", id]));
    expectExplained(explanation);
    expect(explanation).toMatchObject({ event_id: id, total_microcents: Number(event?.cost_microcents) });
    const { stdout } = await svc(dataDir, ["event", "cost", id]);
    expect(stdout).toContain(`input: ${event?.input_tokens} tokens × 1.5 = `);
    expect(stdout).toContain(`= $0.0000${event?.cost_microcents} (${event?.cost_microcents} microcents)\n`);
    expect(stdout).toContain(`${event?.price_version}: openai/gpt-4o-mini, source `);

    await call(org.test_key, { ...chat.body, model: "gpt-77" });
    const [unpriced] = list(await json(["ledger", "tail", "--limit", "1"]));
    const ofUnpriced = ["event", "cost", String(unpriced?.id)];
    expect((await svc(dataDir, ofUnpriced)).stdout).toContain("= unknown: no price is known");
    const range = ["--from", "2020-01-01", "--to", "2100-01-01", "--org", String(org.id)];
    await json(["prices", "rerate", ...range, "--apply"], { SVC_PRICES_FILE: prices });
    const rerated = costExplanationResource.parse(await json(ofUnpriced));
    expectExplained(rerated);
    expect(rerated.lines.at(-1)).toMatchObject({
      type: "adjustment",
      rerated: { to_microcents: rerated.total_microcents },
    });
    expect((await svc(dataDir, ofUnpriced)).stdout).toContain("source file, the oldest price known");
  });

  it("MON-020 event cost finds an ingested event by its sender's id, and asks which one if two have it", async () => {
    const sent = { id: "shared", model: "gpt-4o-mini", provider: "openai", cost_microcents: 5 };
    const orgs = [];
    for (const name of ["One", "Two"]) {
      const org = await organization(name, "pro");
      orgs.push(org);
      const answer = await fetch(`${url}/v1/events`, {
        method: "POST",
        headers: { authorization: `Bearer ${org.test_key}`, "content-type": "application/json" },
        body: JSON.stringify({ events: [sent] }),
      });
      expect([answer.ok, object(await answer.json())]).toMatchObject([true, { accepted: 1 }]);
    }
    const first = ["event", "cost", "shared", "--org", String(orgs[0]?.id)];
    await eventually("the event is explained", async () => (await svc(dataDir, first)).exitCode === 0);
    const explanation = costExplanationResource.parse(await json(first));
    expect(explanation).toMatchObject({ event_id: "shared", cost_basis: "reported", total_microcents: 5 });
    await eventually("both events are known", async () => {
      const { exitCode, stderr } = await svc(dataDir, ["event", "cost", "shared"]);
      return exitCode !== 0 && stderr.includes("several organizations");
    });
  });

  for (const args of [
    ["org", "create", "--tier", "pro"],
    ["org", "create", "--name", "X", "--tier", "gold"],
    ["org", "update", "no-such-id", "--tier", "pro"],
    ["org", "update"],
    ["key", "create", "--org", "no-such-id"],
    ["key", "create", "--scope", "admin", "--org", "x"],
    ["key", "revoke", "no-such-id"],
    ["ledger", "tail", "--limit", "-1"],
    ["event", "cost"],
    ["event", "cost", "no-such-id"],
    ["prices", "rerate", "--from", "yesterday", "--to", "today", "--org", "x"],
    ["prices", "list", "--wrong"],
    ["prices", "list", "--provider", "nobody"],
    ["ledger", "tail", "--follow"],
    ["demo", "--org", "x", "--email", "a@b.c"],
    ["demo", "--calls", "5"],
    ["demo", "remove", "--org", "x"],
    ["demo", "--email", "nobody"],
    ["user", "list", "--org", "no-such-id"],
    ["user", "link"],
    ["start", "--wrong"],
    ["start", "now"],
    ["version", "--wrong"],
    ["--wrong"],
    ["no", "such"],
  ]) {
    it(`OPS-009 OPS-011 OPS-012 fails with a single message, without a stack: ${args.join(" ")}`, async () => {
      const outcome = await svc(dataDir, [...args, "--json"]);
      expect(outcome.exitCode).not.toBe(0);
      expect(outcome.stderr).not.toMatch(/^\s+at /m);
      const { error, ...rest } = object(outcome.json());
      expect([String(error).length > 5, rest]).toEqual([true, {}]);
      expect(outcome.stdout).toBe(`${JSON.stringify({ error })}\n`);
      expect(outcome.stderr).toStartWith(`${error}\n`);
    });
  }

  it("OPS-011 rejects unknown values and custom limits below enterprise, and changes nothing", async () => {
    const org = await organization("Strict", "pro");
    for (const args of [
      ["--tier", "gold"],
      ["--status", "asleep"],
      ["--burst-per-minute", "many"],
      ["--burst-per-minute", "5"],
      ["--monthly-calls", "1.5", "--tier", "enterprise"],
    ]) {
      expect((await svc(dataDir, ["org", "update", String(org.id), ...args])).exitCode).not.toBe(0);
    }
    expect(object(await json(["org", "update", String(org.id), "--status", "active"]))).toMatchObject({
      tier: "pro",
      burst_per_minute: null,
      monthly_calls: null,
    });
  });

  it("OPS-013 ledger verify prints ok and events; REL-005 exits with 1 on a planted difference, and names it", async () => {
    const sound = object(await json(["ledger", "verify"]));
    expect([sound.ok, Number(sound.events) > 0, sound.differences]).toEqual([true, true, []]);

    const database = new Database(join(dataDir, "ledger.db"));
    database.run("PRAGMA busy_timeout = 5000");
    const trigger = database
      .query<{ sql: string }, []>("SELECT sql FROM sqlite_schema WHERE name = 'events_are_never_changed'")
      .get();
    database.run("DROP TRIGGER events_are_never_changed");
    const plant = (amount: number) =>
      database.run("UPDATE events SET cost_microcents = cost_microcents + ? WHERE seq = 1", [amount]);
    plant(1);
    const outcome = await svc(dataDir, ["ledger", "verify", "--json"]);
    expect(outcome.exitCode).toBe(1);
    expect(object(outcome.json())).toMatchObject({
      ok: false,
      // By its own rates, and by what the control plane had derived from it.
      differences: expect.arrayContaining([
        expect.stringContaining("cost is"),
        expect.stringContaining("facts: event"),
      ]),
    });
    expect((await svc(dataDir, ["ledger", "verify"])).stdout).toStartWith("NOT OK");
    plant(-1);
    database.run(trigger?.sql ?? "");
    database.close();
    expect(object(await json(["ledger", "verify"])).ok).toBe(true);
  });

  it("OPS-012 user create creates a member who can sign in to that organization, once with the link", async () => {
    const org = await organization("Signed", "lite");
    const user = object(
      await json([
        "user",
        "create",
        "--org",
        String(org.id),
        "--email",
        "Ada@Example.com",
        "--role",
        "admin",
      ]),
    );
    expect(user).toMatchObject({ org_id: org.id, email: "ada@example.com", role: "admin" });
    const web = tollgate.addressOf("web");
    const link = String(user.sign_in_url);
    const first = await fetch(link, { redirect: "manual" });
    const cookie = (first.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    const account = object(await (await fetch(`${web}/api/account`, { headers: { cookie } })).json());
    expect(object(account.organization).id).toBe(org.id);
    const second = await fetch(link, { redirect: "manual" });
    expect(second.headers.get("set-cookie")).toBeNull();
    const again = object(
      await json(["user", "create", "--org", String(org.id), "--email", "ada@example.com"]),
    );
    expect(again.role).toBe("admin");
    const next = object(
      await json(["user", "create", "--org", String(org.id), "--email", "own@example.com"]),
    );
    expect(next.role).toBe("owner");
    const unknown = await svc(dataDir, ["user", "create", "--org", "none", "--email", "a@b.c"]);
    expect([unknown.exitCode === 0, unknown.stderr]).toEqual([false, "no organization has that id\n"]);
  });

  it("OPS-014 demo prints a sign-in link for the given owner, once", async () => {
    const printed = await svc(dataDir, ["demo", "--no-wait", "--email", "Me@Example.com"]);
    expect(printed.stdout).toMatch(
      /as me@example\.com, open this link, which works once:\nhttp\S+magic-link/,
    );
    // The second time, members keep their passwords.
    const again = object(await json(["demo", "--no-wait"]));
    expect(again).toMatchObject({ email: null, sign_in_url: null });
    expect(await json(["demo", "remove"])).toEqual({ removed: true });
  });

  it("OPS-009 every command with --json prints one JSON value on stdout, and nothing else there", async () => {
    const org = String((await organization("Every", "pro")).id);
    const [backupDir, elsewhere, empty] = [folder("backup"), folder("elsewhere"), folder("empty")];
    mkdirSync(empty);
    const key = object(await json(["key", "create", "--org", org, "--test"]));
    expect(await call(key.key)).toBe(200);
    const [event] = list(await json(["ledger", "tail", "--limit", "1"]));
    const control = new Database(join(dataDir, "control.db"));
    control.run("PRAGMA busy_timeout = 5000");
    control.run("INSERT INTO nodes VALUES ('dead', 'host', '1', 0, 0, 0, NULL)");
    control.close();
    // In the order of the commands: a backup is taken before it is restored.
    const postgres = await freshPostgres();
    onTestFinished(() => postgres.drop());
    const invocations: Record<string, { args: string[]; dir?: string }> = {
      "org create": { args: ["--name", "One", "--tier", "lite"] },
      "org update": { args: [org, "--tier", "lite"] },
      "org list": { args: [] },
      "key create": { args: ["--org", org] },
      "key revoke": { args: [String(key.id)] },
      "key list": { args: ["--org", org] },
      "user create": { args: ["--org", org, "--email", "one@example.com"] },
      "user list": { args: ["--org", org] },
      "user link": { args: ["one@example.com"] },
      "verification grant": { args: ["--org", org, "--count", "1", "--reference", "one"] },
      "verification balance": { args: ["--org", org] },
      "prices list": { args: [] },
      "prices rerate": { args: ["--from", "2020-01-01", "--to", "2100-01-01", "--org", org] },
      "ledger tail": { args: [] },
      "ledger verify": { args: [] },
      backup: { args: [backupDir] },
      restore: { args: [backupDir], dir: elsewhere },
      migrate: { args: ["--to", postgres.url], dir: elsewhere },
      doctor: { args: [] },
      "event cost": { args: [String(event?.id)] },
      "ledger create": { args: [], dir: empty },
      nodes: { args: [] },
      "nodes remove": { args: ["dead"] },
      demo: { args: ["--no-wait"] },
      "demo remove": { args: [] },
    };
    expect(Object.keys(invocations).sort()).toEqual(commands.map(({ name }) => name).sort());
    for (const [name, { args, dir = dataDir }] of Object.entries(invocations)) {
      const outcome = await svc(dir, [...name.split(" "), ...args, "--json"]);
      expect([name, outcome.exitCode, outcome.stderr.includes("rror:")]).toEqual([name, 0, false]);
      expect(outcome.stdout).toBe(`${JSON.stringify(outcome.json())}\n`);
    }
  });

  it("OPS-009 help is JSON with --json, of all commands and of one; without a command it fails", async () => {
    const listed = [...programs.filter(({ isInternal }) => !isInternal), ...commands];
    const described = listed.map(({ name, usage, summary }) => ({ name, usage, summary }));
    for (const [args, exitCode, value] of [
      [["help"], 0, { commands: described }],
      [["--help"], 0, { commands: described }],
      [[], 2, { commands: described }],
      [["org", "create", "--help"], 0, described.find(({ name }) => name === "org create")],
    ] as const) {
      const outcome = await svc(dataDir, [...args, "--json"]);
      expect([args, outcome.exitCode, outcome.json()]).toEqual([args, exitCode, value]);
    }
    const text = await svc(dataDir, []);
    expect([text.exitCode, text.stdout.includes("org create")]).toEqual([2, true]);
    const server = await svc(dataDir, ["start", "--json"]);
    expect([server.exitCode, server.json()]).toEqual([2, { error: expect.stringContaining("--json") }]);
  });
});

/** `ledger tail --follow`, and the agents of the calls that it has shown. */
function followLedger(args: readonly string[]) {
  const child = Bun.spawn([builtProgram(), "ledger", "tail", "--follow", ...args], {
    env: plainEnvironment({ SVC_DATA_DIR: dataDir }),
    stdout: "pipe",
  });
  let shown = "";
  const reading = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) shown += text;
  })();
  return {
    agents: () => [...shown.matchAll(/ agent (\S+) .*\n/g)].map(match => match[1]),
    async end() {
      child.kill("SIGKILL");
      await reading;
    },
  };
}

async function someKey(): Promise<string> {
  return (await organization("Some", "pro")).live_key;
}
