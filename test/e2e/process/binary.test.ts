import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { builtProgram } from "../../../scripts/built-program.ts";
import { Browser } from "../../support/clients/browser-session.ts";
import { chat } from "../../support/clients/call-endpoints.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import {
  type FinishedCommand,
  plainEnvironment,
  printedKeys,
  type RunningTollgate,
  startTollgate,
  svc,
} from "../../support/processes/tollgate-process.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const folder = temporaryFolder();
const dataDir = folder("data");
/** Outside the checkout, in an empty folder: anything not in the file does not exist. */
const binary = folder("elsewhere/tollgate");
let tollgate: RunningTollgate;

beforeAll(async () => {
  expect(readdirSync(dirname(builtProgram()))).toEqual(["tollgate"]);
  mkdirSync(folder("elsewhere"));
  copyFileSync(builtProgram(), binary);
  tollgate = startTollgate(dataDir, {}, [binary]);
  await tollgate.ready();
});
afterAll(() => tollgate.end());

const run = (args: readonly string[], inDir = dataDir): Promise<FinishedCommand> =>
  svc(inDir, args, {}, [binary]);
const keys = () => printedKeys(tollgate.stdout);
const bearer = (key: unknown) => ({ authorization: `Bearer ${key}` });

describe("the built binary", () => {
  it("starts both planes, prices a call, and shows it in the ledger and in the web API", async () => {
    expect([tollgate.gatewayPid(), tollgate.controlPid()]).not.toContain(null);
    const answer = await fetch(tollgate.addressOf("gateway") + chat.path, {
      method: "POST",
      headers: { ...bearer(keys().test[0]), "x-provider-key": "k", "content-type": "application/json" },
      body: JSON.stringify(chat.body),
    });
    await answer.text();
    const cost = Number(answer.headers.get("x-gateway-cost"));
    expect([answer.status, cost > 0]).toEqual([200, true]);
    const tail = (await run(["ledger", "tail", "--limit", "1", "--json"])).json();
    expect(tail).toMatchObject([{ cost_microcents: cost, cost_basis: "priced", mode: "test" }]);
    await eventually("the web API has the call", async () => {
      const analytics = await fetch(`${tollgate.addressOf("web")}/api/analytics`, {
        headers: bearer(keys().test[0]),
      });
      return (await analytics.text()).includes(`"total_cost_microcents":${cost}`);
    });
  });

  it("contains every page and every file that pages load", async () => {
    const web = tollgate.addressOf("web");
    for (const page of ["/", "/settings/plan", "/sign-in", "/docs"]) {
      const html = await (await fetch(web + page)).text();
      const loaded = [...html.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css|svg))"/g)].map(
        match => match[1] ?? "",
      );
      expect([page, loaded.length > 0]).toEqual([page, true]);
      const scripts = loaded.filter(path => path.startsWith("/dashboard/") && path.endsWith(".js"));
      for (const path of scripts) {
        const imports = (await (await fetch(web + path)).text()).matchAll(/from "(\.\/[^"]+)"/g);
        loaded.push(...[...imports].map(match => new URL(match[1] ?? "", web + path).pathname));
      }
      for (const path of loaded) {
        const file = await fetch(web + path);
        expect([path, file.status, (await file.text()).length > 0]).toEqual([path, 200, true]);
      }
    }
    const openapi = await fetch(`${web}/api/openapi.json`, { headers: bearer(keys().test[0]) });
    expect(openapi.status).toBe(200);
  });

  it("signs in its owner, with the link and then with the password", async () => {
    const web = tollgate.addressOf("web");
    const browser = new Browser();
    await browser.send(/http\S+magic-link\S+/.exec(tollgate.stdout)?.[0] ?? "no link was printed");
    const password = "seven quiet lanterns 7";
    expect((await browser.post(`${web}/api/account/password`, { password })).status).toBe(204);
    const owner = { email: "admin@localhost.localdomain", password };
    expect((await new Browser().post(`${web}/api/auth/sign-in/email`, owner)).status).toBe(200);
  });

  it("runs verify, doctor, backup and restore", async () => {
    const reported = await fetch(`${tollgate.addressOf("gateway")}/v1/events`, {
      method: "POST",
      headers: { ...bearer(keys().live[0]), "content-type": "application/json" },
      body: JSON.stringify({ events: Array(60).fill({ model: "gpt-4o-mini", input_tokens: 10 }) }),
    });
    expect(await reported.json()).toMatchObject({ accepted: 60 });
    await eventually("everything is derived", async () => (await run(["ledger", "verify"])).exitCode === 0);
    expect((await run(["doctor", "--json"])).json()).toMatchObject({ errors: 0 });
    const backup = folder("backup");
    expect((await run(["backup", backup])).exitCode).toBe(0);
    expect(await run(["restore", backup], folder("restored"))).toMatchObject({ exitCode: 0 });
    expect(
      (await run(["ledger", "tail", "--limit", "100", "--json"], folder("restored"))).json(),
    ).toHaveLength(61);
    expect((await run(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);

    // Long reads of the profile use a thread, which has to be in the binary, too.
    const [organization] = (await run(["org", "list", "--json"])).json() as { id: string }[];
    lengthenProfile(organization?.id ?? "");
    const scan = await fetch(`${tollgate.addressOf("web")}/api/cost-leak-scan`, {
      headers: bearer(keys().live[0]),
    });
    expect([scan.status, tollgate.stderr]).toEqual([200, ""]);
  });

  it("serves the tools over stdio", async () => {
    const client = new Client({ name: "test", version: "1" });
    const env = { SVC_API_KEY: keys().live[0] ?? "", SVC_API_URL: `${tollgate.addressOf("web")}/api` };
    await client.connect(new StdioClientTransport({ command: binary, args: ["mcp"], env }));
    expect((await client.listTools()).tools.length).toBe(23);
    const { isError } = await client.callTool({ name: "svc_get_budget_status", arguments: {} });
    expect(isError ?? false).toBe(false);
    await client.close();
    const test = await svc(dataDir, ["mcp", "--test"], env, [binary]);
    expect(test).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("OK") });
  });

  it("is not affected by files in its working directory", async () => {
    writeFileSync(folder("elsewhere/.env"), "SVC_NONSENSE=1\n");
    writeFileSync(folder("elsewhere/bunfig.toml"), 'preload = ["./absent.ts"]\n');
    const child = Bun.spawn([binary, "prices", "list", "--json"], {
      cwd: folder("elsewhere"),
      env: plainEnvironment({ SVC_DATA_DIR: dataDir }),
      stdout: "pipe",
    });
    const listed = await new Response(child.stdout).text();
    expect([await child.exited, JSON.parse(listed).length > 100]).toEqual([0, true]);
  });

  it("stops cleanly", async () => {
    expect(await tollgate.stop()).toBe(0);
  });
});

/** More rows than a scan reads on the main thread: copies of one day's row, with unknown models. */
function lengthenProfile(orgId: string): void {
  const database = new Database(join(dataDir, "control.db"));
  database.run("PRAGMA busy_timeout = 60000");
  const columns = database
    .query<{ name: string }, []>("PRAGMA table_info(profile_days)")
    .all()
    .map(({ name }) => name);
  const copied = columns.map(name => (name === "model" ? "1000000 + n.value" : name)).join(", ");
  database.run(
    `INSERT INTO profile_days (${columns.join(", ")})
     WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 20000)
     SELECT ${copied} FROM n, (
       SELECT * FROM profile_days WHERE scope = (SELECT id FROM scopes WHERE org_id = ? AND mode = 'live')
       ORDER BY day LIMIT 1
     )`,
    [orgId],
  );
  database.close();
}
