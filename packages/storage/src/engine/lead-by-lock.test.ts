import { afterAll, expect, it } from "bun:test";
import { join } from "node:path";
import { freshPostgres } from "../../../../test/support/servers/postgres.ts";
import { eventually } from "../../../../test/support/waiting/eventually.ts";
import { leadByLock } from "./lead-by-lock.ts";

const script = join(import.meta.dir, "../../../../test/support/programs/lead.ts");
const undo: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const step of undo.reverse()) await step();
});

async function place(): Promise<string> {
  const { url, drop } = await freshPostgres();
  undo.push(drop);
  return url;
}

function candidate(url: string) {
  const stop = new AbortController();
  const state = { leads: false, terms: 0, isStandby: false, isStuck: false };
  const running = leadByLock(url, stop.signal, {
    async work(signal) {
      state.leads = true;
      state.terms++;
      await new Promise<void>(resolve => signal.addEventListener("abort", () => resolve()));
      state.leads = false;
    },
    isStuck: () => state.isStuck,
    onStandby: () => {
      state.isStandby = true;
    },
  });
  const end = () => {
    stop.abort();
    return running;
  };
  undo.push(end);
  return { state, end };
}

function inProcess(url: string) {
  const child = Bun.spawn([process.execPath, script, url], { stdout: "pipe", stderr: "inherit" });
  undo.push(async () => {
    child.kill("SIGKILL");
    await child.exited;
  });
  const said: string[] = [];
  void (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream()))
      said.push(...text.split("\n"));
  })();
  return { child, said };
}

it("one leads, and the next one takes over when it stops or is killed", async () => {
  const url = await place();
  const { child, said } = inProcess(url);
  await eventually("the first leads", () => said.includes("leads"));
  const second = candidate(url);
  await eventually("the second stands by", () => second.state.isStandby);
  expect(second.state.leads).toBe(false);
  child.kill("SIGKILL");
  await eventually("the second leads", () => second.state.leads);
  const third = candidate(url);
  await eventually("the third stands by", () => third.state.isStandby);
  await second.end();
  await eventually("the third leads", () => third.state.leads);
  expect(second.state.leads).toBe(false);
});

it("one that makes no progress lets another lead, and leads if there is no other", async () => {
  const url = await place();
  const first = candidate(url);
  await eventually("the first leads", () => first.state.leads);
  const second = candidate(url);
  await eventually("the second stands by", () => second.state.isStandby);
  first.state.isStuck = true;
  await eventually("the second leads", () => second.state.leads);
  expect(first.state.leads).toBe(false);
  await second.end();
  await eventually("the first leads again", () => first.state.leads);
});

it("a frozen one loses the lead, and ends its work when it continues", async () => {
  const url = await place();
  const { child, said } = inProcess(url);
  await eventually("the first leads", () => said.includes("leads"));
  const second = candidate(url);
  child.kill("SIGSTOP");
  await eventually("the second leads", () => second.state.leads);
  child.kill("SIGCONT");
  await eventually("the first has ended its work", () => said.includes("ended"));
  // After a pause of this process, again.
  await eventually("the second leads", () => second.state.leads);
});
