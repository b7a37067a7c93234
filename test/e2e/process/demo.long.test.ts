import { describe, expect, it, onTestFinished } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@tollgate/sdk/client";
import { Browser } from "../../support/clients/browser-session.ts";
import { chat } from "../../support/clients/call-endpoints.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { startInTest } from "../../support/processes/start-in-test.ts";
import { printedKeys, svc } from "../../support/processes/tollgate-process.ts";
import { serveProvider } from "../../support/servers/serve-provider.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const folder = temporaryFolder();
const start = startInTest();

interface Added {
  readonly org_id: string;
  readonly key: string;
  readonly status: string;
  readonly calls: number;
  readonly email: string;
  readonly sign_in_url: string;
}

describe("svc demo", () => {
  it("OPS-014 adds an organization with simulated traffic, from which alerts, an experiment, verdicts and proposals follow; connects to nothing else; and removes it", async () => {
    const dataDir = folder("data");
    const connections = folder("connections");
    const preload = join(import.meta.dir, "../../support/servers/watch-connections.ts");
    const watched = { BUN_OPTIONS: `--preload=${preload}`, CONNECTIONS_FILE: connections };
    const provider = serveProvider("openai");
    onTestFinished(() => provider.stop());
    const tollgate = start(dataDir, {
      ...watched,
      SVC_OPENAI_BASE_URL: `http://localhost:${portOf(provider.url)}`,
    });
    const gateway = await tollgate.ready();
    const web = tollgate.addressOf("web");
    const hosts = () =>
      existsSync(connections) ? readFileSync(connections, "utf8").split("\n").filter(Boolean) : [];
    const before = hosts().length;

    const demo = await svc(dataDir, ["demo", "--calls", "3000", "--json"], watched);
    expect([demo.exitCode, demo.stderr]).toEqual([0, expect.stringContaining("of about")]);
    const added = demo.json() as Added;
    expect(added).toMatchObject({
      status: "ready",
      email: `demo-${added.org_id.slice(0, 8)}@localhost.localdomain`,
    });
    const client = createClient({ baseUrl: web, apiKey: added.key });

    const { requests } = await client.call("verify.requests.list");
    const ends = requests.map(({ candidate_model, verdict, end_reason }) => [
      candidate_model,
      verdict?.verdict ?? end_reason,
    ]);
    expect(Object.fromEntries(ends)).toEqual({
      // On a busy machine the candidate may be slower than the other model, which is a warning.
      "gpt-4o-mini": expect.stringMatching(/^holds/),
      "gpt-4.1-nano": "degrades",
      "gemini-2.5-flash": "max_pairs",
    });
    const { summary, by_model } = await client.call("analytics.get");
    expect([summary.total_calls > 3500, summary.unpriced_calls > 50, by_model.length > 10]).toEqual([
      true,
      true,
      true,
    ]);
    expect((await client.call("agents.list")).agents.length).toBe(14);
    const { alerts } = await client.call("alerts.list");
    const kinds = new Set(alerts.map(({ type }) => type));
    for (const kind of ["error_rate", "budget_warning"] as const) expect(kinds).toContain(kind);
    const budgets = (await client.call("budgets.status")).budgets;
    const loop = budgets.find(({ enforcement_mode }) => enforcement_mode === "hard_block");
    expect(loop?.percentage_used).toBeGreaterThan(95);
    const { experiments } = await client.call("experiments.list");
    expect(experiments).toMatchObject([{ status: "running", is_significant: true, winner: "treatment" }]);
    expect((await client.call("suggestions.list")).suggestion_count).toBeGreaterThan(3);
    const { proposals } = await client.call("loop_views.proposals");
    expect(proposals.some(({ source, status }) => source === "verdict" && status === "open")).toBe(true);
    const { outcomes } = await client.call("outcomes.list", { limit: 200 });
    expect(outcomes.length).toBeGreaterThan(50);
    await eventually("the applied switch shows what it saves", async () => {
      const { attributed_savings } = await client.call("loop_views.headline");
      return (attributed_savings.amount.value ?? 0) > 0;
    });

    // Only test traffic: the same organization has no live call, and its home nothing at all.
    const owner = new Browser();
    await owner.send(added.sign_in_url);
    const account = await (await owner.send(`${web}/api/account`)).json();
    expect(account).toMatchObject({
      memberships: [{ organization: { id: added.org_id, name: "Demo" }, role: "owner" }],
    });
    const totalOf = async (browser: Browser, mode: string) => {
      const answer = await browser.send(`${web}/api/analytics?mode=${mode}`);
      return ((await answer.json()) as { summary: { total_calls: number } }).summary.total_calls;
    };
    expect(await totalOf(owner, "live")).toBe(0);
    const home = new Browser();
    await home.send(/http\S+magic-link\S+/.exec(tollgate.stdout)?.[0] ?? "no link was printed");
    expect([await totalOf(home, "live"), await totalOf(home, "test")]).toEqual([0, 0]);

    // A second time it is still the same one, with a new link, also for the dashboard.
    const again = (await svc(dataDir, ["demo", "--json"], watched)).json() as Added;
    expect(again).toMatchObject({ org_id: added.org_id, status: "ready", email: added.email });
    expect((await owner.send(`${web}/api/account`)).status).toBe(200);
    await owner.send(again.sign_in_url);
    expect((await owner.send(`${web}/api/account`)).status).toBe(200);
    expect((await new Browser().send(again.sign_in_url)).headers.get("location")).toStartWith("/sign-in?");
    const joined = await (await home.post(`${web}/api/demo`)).json();
    expect(joined).toMatchObject({ status: "ready", organization: { id: added.org_id } });

    // The command connected to this machine's gateway, and neither it nor the planes to anything else.
    const during = hosts().slice(before);
    expect([during.length > 0, [...new Set(during)]]).toEqual([true, ["127.0.0.1"]]);
    expect(provider.count).toBe(0);

    expect((await svc(dataDir, ["demo", "remove", "--json"], watched)).json()).toEqual({ removed: true });
    expect((await svc(dataDir, ["demo", "remove", "--json"], watched)).json()).toEqual({ removed: false });
    const listed = (await svc(dataDir, ["org", "list", "--json"], watched)).json() as { name: string }[];
    expect(listed.map(({ name }) => name)).toEqual(["default"]);
    await eventually("the gateway refuses its key", async () => {
      const headers = { authorization: `Bearer ${added.key}` };
      return (await fetch(`${gateway}/v1/models`, { headers })).status === 401;
    });
    expect((await owner.send(`${web}/api/account`)).status).toBe(403);
    const verified = await svc(dataDir, ["ledger", "verify", "--json"], watched);
    expect(verified.exitCode).toBe(0);
    // All events are the demo's, and counted, except those of pairs that were still being compared: four of three calls.
    const { events } = verified.json() as { readonly events: number };
    expect(added.calls).toBeWithin(events - 4 * 3, events + 1);

    // The check would have noticed: a call that leaves the gateway is on the list.
    await fetch(gateway + chat.path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${printedKeys(tollgate.stdout).live[0]}`,
        "x-provider-key": "k",
        "content-type": "application/json",
      },
      body: JSON.stringify(chat.body),
    });
    expect([provider.count, hosts().slice(before).includes("localhost")]).toEqual([1, true]);
    expect(tollgate.stderr).toBe("");
  });

  it("prints one link if it runs twice at the same time, and a new one afterwards", async () => {
    const dataDir = folder("twice");
    const tollgate = start(dataDir);
    await tollgate.ready();
    const both = await Promise.all(
      ["--json", "--json"].map(option => svc(dataDir, ["demo", "--calls", "1000", option])),
    );
    const [first, second] = both
      .map(({ json }) => json() as Added)
      .toSorted((a, b) => Number(b.sign_in_url !== null) - Number(a.sign_in_url !== null));
    expect(first?.sign_in_url).toContain("magic-link");
    expect(second).toMatchObject({ org_id: first?.org_id, status: "ready", email: null, sign_in_url: null });
    const owner = new Browser();
    await owner.send(first?.sign_in_url ?? "");
    expect((await owner.send(`${tollgate.addressOf("web")}/api/account`)).status).toBe(200);
    const later = (await svc(dataDir, ["demo", "--json"])).json() as Added;
    expect(later.email).toBe(first?.email ?? "");
    expect(later.sign_in_url).toContain("magic-link");
  });

  it("stops adding as soon as it is removed", async () => {
    const dataDir = folder("removed");
    const tollgate = start(dataDir);
    await tollgate.ready();
    const added = (await svc(dataDir, ["demo", "--no-wait", "--json"])).json() as Added;
    expect(added.status).toBe("adding");
    const another = await svc(dataDir, ["demo", "--no-wait"]);
    expect(another.stdout).toContain("Another `demo` has added it at the same time and prints the link");
    const events = async () =>
      ((await svc(dataDir, ["ledger", "tail", "--limit", "1", "--json"])).json() as unknown[]).length;
    await eventually("it has begun", async () => (await events()) > 0);
    expect((await svc(dataDir, ["demo", "remove", "--json"])).json()).toEqual({ removed: true });
    const client = createClient({ baseUrl: tollgate.addressOf("web"), apiKey: added.key, retries: 0 });
    expect(await client.call("analytics.get").catch(fault => fault.status)).toBe(401);
    expect(tollgate.stderr).toBe("");
  });
});

const portOf = (url: string) => new URL(url).port;
