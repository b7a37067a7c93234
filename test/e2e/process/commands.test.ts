import { Database } from "bun:sqlite";
import { describe, expect, it, onTestFinished } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { commands } from "@tollgate/cli/commands";
import { list, object } from "../../support/clients/parsed-json.ts";
import { commandLab } from "../../support/labs/command-lab.ts";
import { svc } from "../../support/processes/tollgate-process.ts";
import { freshPostgres } from "../../support/servers/postgres.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const { folder, dataDir, json, organization, call, addressOf } = commandLab();

describe("svc", () => {
  it("OPS-010 org create prints id, name, tier and two keys that work immediately", async () => {
    const org = object(await json(["org", "create", "--name", "Acme", "--tier", "pro"]));
    expect(Object.keys(org).sort()).toEqual(["id", "live_key", "name", "test_key", "tier"]);
    expect([org.name, org.tier]).toEqual(["Acme", "pro"]);
    expect(await call(org.test_key)).toBe(200);
    const models = await fetch(`${addressOf("gateway")}/v1/models`, {
      headers: { authorization: `Bearer ${org.live_key}` },
    });
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

  for (const args of [
    ["org", "list"],
    ["key", "list", "--org", "x"],
    ["user", "list"],
    ["ledger", "verify"],
    ["ledger", "tail"],
    ["event", "cost", "x"],
    ["key", "create", "--org", "x"],
  ]) {
    it(`${args.join(" ")} creates nothing where there is no installation`, async () => {
      const { exitCode, stderr } = await svc(folder("mistyped"), args);
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringMatching(/^there is no (installation|ledger) in /),
      ]);
      expect(existsSync(folder("mistyped"))).toBe(false);
    });
  }

  it("ledger tail says that no organization has the id", async () => {
    const { exitCode, stderr } = await svc(dataDir, ["ledger", "tail", "--org", "bogus"]);
    expect([exitCode, stderr]).toEqual([2, "no organization has that id\n"]);
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
      const result = await svc(dataDir, [...args, "--json"]);
      expect(result.exitCode).not.toBe(0);
      expect(result.stderr).not.toMatch(/^\s+at /m);
      const { error, ...rest } = object(result.json());
      expect([String(error).length > 5, rest]).toEqual([true, {}]);
      expect(result.stdout).toBe(`${JSON.stringify({ error })}\n`);
      expect(result.stderr).toStartWith(`${error}\n`);
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
    const web = addressOf("web");
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
      const result = await svc(dir, [...name.split(" "), ...args, "--json"]);
      expect([name, result.exitCode, result.stderr.includes("rror:")]).toEqual([name, 0, false]);
      expect(result.stdout).toBe(`${JSON.stringify(result.json())}\n`);
    }
  });
});
