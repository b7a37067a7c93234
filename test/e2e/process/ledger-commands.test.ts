import { Database } from "bun:sqlite";
import { beforeAll, describe, expect, it, onTestFinished } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { costExplanationResource } from "@tollgate/core/contract/events";
import { builtProgram } from "../../../scripts/built-program.ts";
import { chat } from "../../support/clients/call-endpoints.ts";
import { list, object } from "../../support/clients/parsed-json.ts";
import { expectExplained } from "../../support/expect-explained.ts";
import { commandLab } from "../../support/labs/command-lab.ts";
import { plainEnvironment, svc } from "../../support/processes/tollgate-process.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const { folder, dataDir, json, organization, call, addressOf } = commandLab();
const prices = folder("prices.json");

beforeAll(() => {
  writeFileSync(
    prices,
    JSON.stringify([
      { provider: "openai", model: "gpt-77", input_per_million_cents: 100, output_per_million_cents: 1000 },
    ]),
  );
});

describe("svc", () => {
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
    const wire = await fetch(`${addressOf("gateway")}/v1/models`, {
      headers: { authorization: `Bearer ${await someKey()}` },
    });
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
    const changed = {
      changed: 1,
      difference_microcents: 0,
      test_difference_microcents: owed,
      by_model: [{ model: "gpt-77", mode: "test", after_microcents: owed }],
    };
    const none = { changed: 0, difference_microcents: 0, test_difference_microcents: 0 };
    expect(await rerate()).toMatchObject({ ...changed, applied: false });
    expect(await rerate()).toMatchObject({ ...changed, applied: false });
    expect(await rerate("--apply", "--force")).toMatchObject({ ...changed, applied: true });
    expect(await rerate("--apply", "--force")).toMatchObject({ ...none, applied: true });
    expect(object(await json(["ledger", "verify"]))).toMatchObject({
      ok: true,
      adjustments_microcents: 0,
      test_adjustments_microcents: owed,
    });
    const [after] = list(await json(["ledger", "tail", "--limit", "1"]));
    expect(after).toEqual(event ?? {});
  });

  it("MON-013 prices rerate warns of prices that Tollgate does not run with, and does not book them", async () => {
    const org = await organization("Other prices", "pro");
    expect(await call(org.test_key, { ...chat.body, model: "gpt-77" })).toBe(200);
    const range = ["prices", "rerate", "--from", "2020-01-01", "--to", "2100-01-01", "--org", org.id];
    const shown = await svc(dataDir, range, { SVC_PRICES_FILE: prices });
    expect([shown.exitCode, shown.stderr]).toEqual([
      0,
      expect.stringContaining("WARNING: Tollgate was last started with another SVC_PRICES_FILE"),
    ]);
    expect(shown.stdout).toMatch(/1 differ by \$0\.00 .*live, .* test\ngpt-77 \(test\): 1 events/);
    const refused = await svc(dataDir, [...range, "--apply"], { SVC_PRICES_FILE: prices });
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining("nothing was booked")]);
    expect(await json(range, { SVC_PRICES_FILE: prices })).toMatchObject({ changed: 1, other_prices: true });
    const same = await svc(dataDir, [...range, "--apply"]);
    expect([same.exitCode, same.stderr]).toEqual([0, expect.not.stringContaining("WARNING")]);
  });

  it("MON-021 prices rerate and ledger verify say how many calls have no price, and of which models", async () => {
    const org = await organization("No price", "pro");
    for (const model of ["gpt-77", "gpt-78", "gpt-79", "gpt-78"]) {
      expect(await call(org.test_key, { ...chat.body, model })).toBe(200);
    }
    const range = ["prices", "rerate", "--from", "2020-01-01", "--to", "2100-01-01", "--org", org.id];
    expect(await json([...range, "--apply", "--force"], { SVC_PRICES_FILE: prices })).toMatchObject({
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
    await json(["prices", "rerate", ...range, "--apply", "--force"], { SVC_PRICES_FILE: prices });
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
      const answer = await fetch(`${addressOf("gateway")}/v1/events`, {
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
    const result = await svc(dataDir, ["ledger", "verify", "--json"]);
    expect(result.exitCode).toBe(1);
    expect(object(result.json())).toMatchObject({
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
