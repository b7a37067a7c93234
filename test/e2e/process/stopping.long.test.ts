import { afterEach, describe, expect, it } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { verifyLedger } from "@tollgate/storage/ledger/verify-ledger";
import { builtProgram } from "../../../scripts/built-program.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import {
  isAlive,
  printedKeys,
  type RunningTollgate,
  startTollgate,
} from "../../support/processes/tollgate-process.ts";
import { servePacedProvider } from "../../support/servers/paced-provider.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const folder = temporaryFolder();
const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function start(
  dataDir: string,
  settings: Record<string, string> = {},
  program?: readonly string[],
): RunningTollgate {
  const tollgate = startTollgate(dataDir, settings, program);
  cleanups.push(() => {
    tollgate.kill("SIGKILL");
    return tollgate.ended();
  });
  return tollgate;
}

/** A Tollgate with a provider that sends its next chunk when `goOn` is called. */
async function withSlowProvider(name: string, program?: readonly string[]) {
  let goOn = () => {};
  const until = new Promise<void>(resolve => {
    goOn = resolve;
  });
  const provider = servePacedProvider(() => until);
  cleanups.push(() => provider.stop());
  const dataDir = folder(name);
  const settings = { SVC_OPENAI_BASE_URL: provider.url };
  const tollgate = start(dataDir, settings, program);
  const url = await tollgate.ready();
  const key = printedKeys(tollgate.stdout).live[0];
  const call = (prompt: string, stream: boolean) =>
    fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "x-provider-key": "k", "x-session-id": prompt },
      body: JSON.stringify({ model: "gpt-4o-mini", stream, messages: [{ role: "user", content: prompt }] }),
    });
  return { dataDir, settings, tollgate, url, provider, goOn: () => goOn(), call };
}

function ledgerOf(dataDir: string) {
  const reader = new LedgerReader(join(dataDir, "ledger.db"));
  const events = reader.after(0, 1000).map(({ event }) => event);
  const state = { events, open: reader.openIntents(), verification: verifyLedger(reader) };
  reader.close();
  return state;
}

/** It reports stopping over an existing connection, and accepts no other. */
function isStopping(url: string): Promise<void> {
  return eventually("it is stopping", async () => {
    const answer = await fetch(`${url}/health`).catch(() => null);
    return answer === null || answer.status === 503;
  });
}

const streamNames = ["s0", "s1", "s2", "s3", "s4"];

describe("stopping", () => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    it(`REL-013 ${signal}: streams in flight finish, new calls are refused, and it exits with 0`, async () => {
      const { dataDir, tollgate, url, provider, goOn, call } = await withSlowProvider(`finish-${signal}`);
      const streams = await Promise.all(streamNames.map(name => call(name, true)));
      const plain = call("plain", false);
      await eventually("the provider has all calls", () => provider.served.length === 6);
      tollgate.kill(signal);
      await isStopping(url);
      expect([503, null]).toContain(
        await call("late", false).then(
          ({ status }) => status,
          () => null,
        ),
      );
      expect(isAlive(tollgate.pid)).toBe(true);
      goOn();
      for (const stream of streams) expect(await stream.text()).toEndWith("data: [DONE]\n\n");
      expect((await plain).status).toBe(200);
      expect(await tollgate.ended()).toBe(0);
      const { events, open, verification } = ledgerOf(dataDir);
      expect(events.map(event => `${event.session_id} ${event.status}`).sort()).toEqual(
        ["plain", ...streamNames].map(name => `${name} success`),
      );
      expect([open, verification.ok, provider.served.includes("late")]).toEqual([0, true, false]);
    });
  }

  for (const signal of ["SIGINT", "SIGHUP"] as const) {
    it(`REL-013 ${signal} that arrives twice counts once: a terminal signals all processes, and so does npm`, async () => {
      const { tollgate, url, goOn, call } = await withSlowProvider(`twice-${signal}`);
      const stream = await call("s", true);
      const gatewayPid = tollgate.gatewayPid();
      for (const pid of [tollgate.pid, tollgate.pid, gatewayPid]) if (pid) process.kill(pid, signal);
      const text = stream.text();
      await isStopping(url);
      goOn();
      expect(await text).toEndWith("data: [DONE]\n\n");
      expect(await tollgate.ended()).toBe(0);
    });
  }

  it("REL-013 started with nohup, it goes on when the terminal closes, and so do calls in flight", async () => {
    const { tollgate, url, goOn, call } = await withSlowProvider("nohup", ["nohup", builtProgram()]);
    const stream = await call("s", true);
    for (const pid of [tollgate.gatewayPid(), tollgate.controlPid(), tollgate.pid])
      process.kill(pid ?? 0, "SIGHUP");
    expect((await fetch(`${url}/health`)).status).toBe(200);
    goOn();
    expect(await stream.text()).toEndWith("data: [DONE]\n\n");
    expect(tollgate.stderr).not.toContain("restarting");
    expect(await tollgate.stop()).toBe(0);
  });

  it("REL-003 a second signal exits immediately; the next start settles open calls as interrupted", async () => {
    const { dataDir, settings, tollgate, provider, call } = await withSlowProvider("at-once");
    const streams = await Promise.all(streamNames.map(name => call(name, true)));
    await eventually("the provider has all calls", () => provider.served.length === 5);
    // Two signals within half a second count as one, and a busy machine may deliver the first one late.
    let hasEnded = false;
    const ended = tollgate.ended().finally(() => {
      hasEnded = true;
    });
    while (!hasEnded) {
      tollgate.kill("SIGTERM");
      await Promise.race([ended, Bun.sleep(600)]);
    }
    expect(await ended).not.toBe(0);
    await Promise.allSettled(streams.map(stream => stream.text()));
    expect(ledgerOf(dataDir)).toMatchObject({ events: [], open: 5 });

    const next = start(dataDir, settings);
    await next.ready();
    const { events, open, verification } = ledgerOf(dataDir);
    expect(events.map(event => `${event.session_id} ${event.status}`).sort()).toEqual(
      streamNames.map(name => `${name} interrupted`),
    );
    for (const event of events) {
      expect(event).toMatchObject({ usage_source: "estimated", cost_basis: "estimated", stream: true });
      expect(event.cost_microcents).toBeGreaterThan(0);
    }
    expect([open, verification.ok, next.stderr.includes('"calls":5')]).toEqual([0, true, true]);
  });
});

describe("the supervisor", () => {
  it("restarts a killed gateway, at the same address", async () => {
    const tollgate = start(folder("again"));
    const url = await tollgate.ready();
    for (let time = 0; time < 2; time++) {
      const pid = tollgate.gatewayPid();
      if (pid === null) throw new Error("there is no gateway process");
      process.kill(pid, "SIGKILL");
      await eventually("another one runs", () => ![pid, null].includes(tollgate.gatewayPid()));
      await eventually(
        "it answers",
        async () => (await fetch(`${url}/health`).catch(() => null))?.ok === true,
      );
      await eventually("the address is there again", () => existsSync(tollgate.addresses));
    }
    expect(tollgate.stdout.match(/sk_live_/g)?.length).toBe(1);
    expect(await tollgate.stop()).toBe(0);
  });

  it("killed with SIGKILL, it leaves no gateway behind", async () => {
    const tollgate = start(folder("orphan"));
    await tollgate.ready();
    const pid = tollgate.gatewayPid();
    if (pid === null) throw new Error("there is no gateway process");
    tollgate.kill("SIGKILL");
    await eventually("the gateway has ended", () => !isAlive(pid));
  });

  it("ends with npm, or with the tests that started it, even if they are killed with SIGKILL", async () => {
    const script = `
      import { startTollgate } from ${JSON.stringify(join(import.meta.dir, "../../support/processes/tollgate-process.ts"))};
      const tollgate = startTollgate(${JSON.stringify(folder("owner"))});
      await tollgate.ready();
      console.log(JSON.stringify([tollgate.pid, tollgate.gatewayPid(), tollgate.controlPid()]));
      await new Promise(() => {});`;
    const owner = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" });
    cleanups.push(() => owner.kill("SIGKILL"));
    const { value } = await owner.stdout.getReader().read();
    const pids: number[] = JSON.parse(new TextDecoder().decode(value));
    expect(pids.map(isAlive)).toEqual([true, true, true]);
    owner.kill("SIGKILL");
    await eventually("all have ended", () => !pids.some(isAlive));
  });

  it("killed with SIGKILL while its planes start, it leaves neither behind", async () => {
    let made = 0;
    await eventually("it was killed before they were up", async () => {
      const tollgate = start(folder(`orphans-${made++}`));
      const planes = () => [tollgate.gatewayPid(), tollgate.controlPid()].filter(pid => pid !== null);
      await eventually("both planes are starting", () => planes().length === 2);
      const pids = planes();
      tollgate.kill("SIGKILL");
      await eventually("both have ended", () => !pids.some(isAlive));
      await tollgate.ended();
      return tollgate.stdout === "";
    });
  });

  it("REL-003 killed with SIGKILL and restarted immediately, it waits for the first one's remaining processes, and starts", async () => {
    const dataDir = folder("again");
    const first = start(dataDir);
    await first.ready();
    first.kill("SIGKILL");
    await eventually("the main process is gone", () => !isAlive(first.pid));
    rmSync(first.addresses, { force: true });
    const second = start(dataDir);
    const url = await second.ready();
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });
});
