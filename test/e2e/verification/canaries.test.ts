import { afterAll, expect, it } from "bun:test";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startVerificationLab } from "../../support/labs/verification-lab.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const canary = (kind: string) => `canary-${kind}-${randomBytes(12).toString("hex")}`;
const secrets = {
  prompt: canary("prompt"),
  production: canary("production"),
  candidate: canary("candidate"),
  judge: canary("judge"),
  key: canary("key"),
};

/** Answers as requested; the judge sometimes rambles, and the candidate fails and echoes its input. */
function answerOf(model: string, calls: number): Response {
  const say = (content: string) =>
    Response.json({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model,
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
      usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
    });
  switch (model) {
    case "gpt-4o":
      return say(secrets.production);
    case "gpt-4o-mini":
      if (calls % 3 !== 0) return say(secrets.candidate);
      return Response.json({ error: { message: JSON.stringify(secrets) } }, { status: 500 });
    default:
      return say(calls % 5 === 0 ? secrets.judge : '{"better":"tie","degree":"slight"}');
  }
}

const asked = new Map<string, number>();
const provider = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { model } = (await request.json()) as { model: string };
    const calls = (asked.get(model) ?? 0) + 1;
    asked.set(model, calls);
    return answerOf(model, calls);
  },
});
const lab = await startVerificationLab({ baseUrls: { openai: `http://127.0.0.1:${provider.port}` } });
await lab.begin({ mode: "live" });
afterAll(async () => {
  await lab.stop();
  await provider.stop(true);
});

it("nothing of a pair is stored: no prompt, answer, judgement or key in a file, log, metric or event", async () => {
  const call = () =>
    lab.call(secrets.prompt, { key: lab.gateway.liveKey, headers: { "x-provider-key": secrets.key } });
  const graders = () => new Set(lab.results().map(({ grader }) => grader));
  await eventually("rules, the judge and a rambling judge have graded", async () => {
    await call();
    return graders().has("failure") && graders().has("judge") && (asked.get("gpt-4.1") ?? 0) >= 6;
  });
  const metrics = await (await fetch(`${lab.gateway.url}/metrics`)).text();
  await lab.gateway.stop("keep files");
  const files = readdirSync(lab.gateway.dataDir, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name)));
  expect(files.length).toBeGreaterThan(1);
  for (const content of [...files, Buffer.from(metrics), Buffer.from(lab.gateway.logged.join("\n"))]) {
    for (const secret of Object.values(secrets)) {
      expect(content.includes(secret)).toBe(false);
      expect(content.includes(Buffer.from(secret).toString("base64").slice(0, -4))).toBe(false);
    }
  }
});
