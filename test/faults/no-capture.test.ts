import { expect, it, onTestFinished } from "bun:test";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "@tollgate/cli/config/config";
import type { AnyOperation } from "@tollgate/core/contract/operation";
import { operations } from "@tollgate/core/contract/operations";
import { callEndpoints } from "../support/clients/call-endpoints.ts";
import { temporaryFolder } from "../support/labs/temporary-folder.ts";
import { startInTest } from "../support/processes/start-in-test.ts";
import { printedKeys, svc } from "../support/processes/tollgate-process.ts";
import { serveProvider } from "../support/servers/serve-provider.ts";
import { eventually } from "../support/waiting/eventually.ts";

const folder = temporaryFolder();
const start = startInTest();

it("SEC-002 prompts and answers are stored nowhere, by neither plane, and no web API answer contains one", async () => {
  const [prompt, answered] = ["prompt", "answer"].map(kind => `${kind}-${randomBytes(12).toString("hex")}`);
  const dataDir = folder("data");
  const openai = serveProvider("openai", {
    // The simulator's answer quotes the question; this one has its own text.
    answer: request =>
      new URL(request.url).pathname === "/v1/chat/completions"
        ? Response.json({
            id: "c",
            object: "chat.completion",
            created: 1,
            model: "gpt-4o-mini",
            choices: [
              { index: 0, finish_reason: "stop", message: { role: "assistant", content: `${answered}` } },
            ],
            usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
          })
        : undefined,
  });
  const anthropic = serveProvider("anthropic");
  onTestFinished(async () => {
    await Promise.all([openai.stop(), anthropic.stop()]);
  });
  const tollgate = start(dataDir, { SVC_OPENAI_BASE_URL: openai.url, SVC_ANTHROPIC_BASE_URL: anthropic.url });
  const gateway = await tollgate.ready();
  const web = tollgate.addressOf("web");
  const headers = {
    authorization: `Bearer ${printedKeys(tollgate.stdout).live[0]}`,
    "x-provider-key": "k",
    "content-type": "application/json",
  };
  for (const { path, body } of callEndpoints) {
    const asking = "messages" in body ? { messages: [{ role: "user", content: prompt }] } : { input: prompt };
    const answer = await fetch(gateway + path, {
      method: "POST",
      headers,
      body: JSON.stringify({ ...body, ...asking }),
    });
    expect([path, answer.status]).toEqual([path, 200]);
    await answer.text();
  }
  const read = async (path: string) => (await fetch(web + path, { headers })).text();
  await eventually("everything was derived", async () => {
    const { summary } = JSON.parse(await read("/api/analytics")) as { summary: { total_calls: number } };
    return summary.total_calls === callEndpoints.length;
  });
  for (const { method, path, scope } of Object.values<AnyOperation>(operations)) {
    if (method !== "GET" || scope === null || path.includes(":")) continue;
    expectNeither(path, await read(path));
  }
  expectNeither("the log", tollgate.stdout + tollgate.stderr);
  await tollgate.stop();
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter(entry =>
    entry.isFile(),
  );
  expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(["ledger.db", "control.db"]));
  for (const { parentPath, name } of files) expectNeither(name, readFileSync(join(parentPath, name)));

  function expectNeither(where: string, content: string | Buffer): void {
    for (const text of [prompt, answered])
      expect([where, content.includes(`${text}`)]).toEqual([where, false]);
  }
});

it("SEC-002 capturing cannot be enabled: no variable, no option of a command, no field of an organization", async () => {
  expect(() => readConfig({ SVC_CAPTURE: "1" })).toThrow("SVC_CAPTURE is not a known variable");
  const created = await svc(folder("other"), ["org", "create", "--name", "x", "--tier", "pro", "--json"]);
  const { id } = created.json() as { id: string };
  const refused = await svc(folder("other"), ["org", "update", id, "--capture", "on"]);
  expect([refused.exitCode === 0, refused.stderr]).toEqual([false, expect.stringContaining("--capture")]);
  const fields = Object.keys(operations["organization.update"].body.shape);
  expect(fields.filter(name => /capture|prompt|content|store/.test(name))).toEqual([]);
});
