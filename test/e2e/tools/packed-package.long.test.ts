import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { readConfig } from "@tollgate/cli/config/config";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { record } from "../../support/labs/tool-clients.ts";
import { budgetStatus, startScriptedWebApi } from "../../support/servers/scripted-web-api.ts";

const root = join(import.meta.dir, "../../..");
let lab: ControlLab;
let org: Awaited<ReturnType<ControlLab["organization"]>>;
/** An empty folder into which the packed package was installed, without a network. */
let folder: string;
let program: string;

beforeAll(async () => {
  lab = await startControlLab();
  org = await lab.organization();
  await org.addEvents({ created_at: lab.clock.now() - 1 }, { created_at: lab.clock.now() - 2 });
  folder = mkdtempSync(join(tmpdir(), "tollgate-tools-"));
  const packed = join(folder, "packed");
  await done([process.execPath, join(root, "scripts/pack-tools.ts"), packed], root);
  await done(["npm", "pack", "--pack-destination", folder], packed);
  const [tarball] = readdirSync(folder).filter(name => name.endsWith(".tgz"));
  expect(tarball).toBe("tollgate-svc-mcp-0.2.5.tgz");
  const home = join(folder, "home");
  await Bun.write(join(home, "package.json"), "{}");
  await done(["npm", "install", "--offline", "--no-audit", "--no-fund", join(folder, String(tarball))], home);
  program = join(home, "node_modules/.bin/svc-mcp");
});
afterAll(async () => {
  await lab.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function done(command: readonly string[], cwd: string): Promise<void> {
  const child = Bun.spawn([...command], { cwd, stdout: "pipe", stderr: "pipe" });
  const said = await new Response(child.stderr).text();
  expect([command[0], await child.exited, said]).toEqual([command[0], 0, said]);
}

interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The installed program by name, as npx would start it: `#!/usr/bin/env node`. */
async function run(flags: readonly string[], env: Record<string, string>, input = ""): Promise<Ran> {
  const child = Bun.spawn([program, ...flags], {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, stdout, stderr };
}

const good = () => ({ SVC_API_KEY: org.liveKey, SVC_API_URL: `${lab.url}/api` });

describe("the packed package", () => {
  /** By name, as npx would start it (`#!/usr/bin/env node`), and with Bun. */
  for (const runtime of ["Node", "Bun"] as const) {
    it(`TOOL-013 runs on plain ${runtime}, with nothing else installed, and writes only protocol messages to stdout`, async () => {
      const home = join(folder, "home/node_modules");
      expect(readdirSync(home).filter(name => !name.startsWith("."))).toEqual(["@tollgate"]);
      const manifest = await Bun.file(join(home, "@tollgate/svc-mcp/package.json")).json();
      expect(record(manifest).engines).toEqual({ node: ">=20" });
      const messages = [
        {
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: {
            protocolVersion: "2025-06-18",
            capabilities: {},
            clientInfo: { name: "t", version: "1" },
          },
        },
        { jsonrpc: "2.0", method: "notifications/initialized" },
        { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "svc_get_budget_status" } },
      ];
      const lines = [...messages.map(message => JSON.stringify(message)), "this is no message"];
      const child = Bun.spawn(runtime === "Bun" ? [process.execPath, program] : [program], {
        env: { PATH: process.env.PATH ?? "", ...good() },
        stdin: "pipe",
        stdout: "pipe",
        stderr: "pipe",
      });
      child.stdin.write(`${lines.join("\n")}\n`);
      await child.stdin.flush();
      let stdout = "";
      for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
        stdout += piece;
        if (stdout.split("\n").length > 2) break;
      }
      child.stdin.end();
      await child.exited;
      const answers = stdout
        .trim()
        .split("\n")
        .map(line => record(JSON.parse(line)));
      expect(answers.map(({ jsonrpc, id }) => [jsonrpc, id])).toEqual([
        ["2.0", 1],
        ["2.0", 2],
      ]);
      expect(record(record(answers[1]?.result).structuredContent).organization_id).toBe(org.id);
    });
  }

  it("TOOL-007 --test exits with 0 if key and connection work, and otherwise prints the reason", async () => {
    const fine = await run(["--test"], good());
    expect(fine).toMatchObject({ exitCode: 0, stderr: "" });
    expect(fine.stdout).toContain("OK");
    const badKey = await run(["--test"], { ...good(), SVC_API_KEY: "sk_live_unknown" });
    expect(badKey).toMatchObject({ exitCode: 1, stdout: "" });
    expect(badKey.stderr).toContain("the API key is invalid or expired");
    const away = await run(["--test"], { ...good(), SVC_API_URL: "http://127.0.0.1:9/api" });
    expect(away).toMatchObject({ exitCode: 1, stdout: "" });
    expect(away.stderr).toContain("http://127.0.0.1:9/api cannot be reached");
  });

  it("TOOL-006 without SVC_API_KEY it stops with a message that SVC_API_KEY is not set", async () => {
    for (const flags of [[], ["--test"]]) {
      const ran = await run(flags, {});
      expect(ran).toMatchObject({ exitCode: 1, stdout: "" });
      expect(ran.stderr).toStartWith("SVC_API_KEY is not set");
    }
  });

  it("TOOL-060 a malformed key is reported at startup, without repeating it", async () => {
    const ran = await run([], { SVC_API_KEY: "sk-proj-secret" });
    expect(ran).toMatchObject({ exitCode: 1, stdout: "" });
    expect(ran.stderr).toStartWith("SVC_API_KEY has the wrong form");
    expect(ran.stderr).not.toContain("secret");
  });

  it("TOOL-003 prints its version and help without a key; an unknown flag is an error", async () => {
    expect(await run(["--version"], {})).toEqual({ exitCode: 0, stdout: "0.2.5\n", stderr: "" });
    const help = await run(["--help"], {});
    expect(help.exitCode).toBe(0);
    for (const word of ["--test", "SVC_API_KEY", "SVC_API_URL"]) expect(help.stdout).toContain(word);
    expect(await run(["--tset"], good())).toMatchObject({ exitCode: 2, stdout: "" });
  });

  it("answers the official client with the web API's numbers", async () => {
    const client = new Client({ name: "test", version: "1" });
    await client.connect(
      new StdioClientTransport({ command: program, env: { PATH: process.env.PATH ?? "", ...good() } }),
    );
    const { structuredContent } = await client.callTool({ name: "svc_get_cost_summary", arguments: {} });
    const board = await org.client.call("dashboard.get");
    expect(record(structuredContent).cost).toEqual(JSON.parse(JSON.stringify(board.cost)));
    expect(board.cost.total_calls).toBe(2);
    await client.close();
  });
});

describe("the web API as the package sees it", () => {
  it("TOOL-005 SVC_API_URL replaces the whole address, including the path", async () => {
    const api = startScriptedWebApi(() => Response.json(budgetStatus));
    const client = new Client({ name: "test", version: "1" });
    const env = {
      PATH: process.env.PATH ?? "",
      SVC_API_KEY: "sk_test_x",
      SVC_API_URL: `${api.url}/team/api/v1/`,
    };
    await client.connect(new StdioClientTransport({ command: program, env }));
    await client.callTool({ name: "svc_get_budget_status", arguments: {} });
    expect(api.paths).toEqual(["GET /team/api/v1/budgets/status"]);
    await client.close();
    await api.stop();
  });

  it("TOOL-005 without SVC_API_URL it calls {web_url}/api, where a start without settings listens", async () => {
    // No port can be chosen here, so the network requests are recorded instead.
    const asked = join(folder, "asked");
    const preload = join(folder, "note-requests.mjs");
    await Bun.write(
      preload,
      `import { appendFileSync } from "node:fs";
       globalThis.fetch = async request => {
         appendFileSync(${JSON.stringify(asked)}, request.url + "\\n");
         return Response.json(${JSON.stringify(budgetStatus)});
       };`,
    );
    const client = new Client({ name: "test", version: "1" });
    const env = {
      PATH: process.env.PATH ?? "",
      SVC_API_KEY: "sk_test_x",
      NODE_OPTIONS: `--import=${preload}`,
    };
    await client.connect(new StdioClientTransport({ command: program, env }));
    await client.callTool({ name: "svc_get_budget_status", arguments: {} });
    await client.close();
    const { host, webPort } = readConfig({});
    expect(await Bun.file(asked).text()).toBe(`http://${host}:${webPort}/api/budgets/status\n`);
    const unset = await run(["--help"], {});
    expect(unset.stdout).toContain("http://127.0.0.1:3000/api unless set");
  });
});
