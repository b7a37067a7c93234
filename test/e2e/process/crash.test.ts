import { afterAll, expect, it } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "@tollgate/core/event";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { builtProgram } from "../../../scripts/built-program.ts";
import { simulationRuns } from "../../support/full-size.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { plainEnvironment, svc } from "../../support/processes/tollgate-process.ts";
import { freePort } from "../../support/servers/free-port.ts";
import { servePacedProvider } from "../../support/servers/paced-provider.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const KILLS = simulationRuns(50);
const CALLERS = 16;
const dataDir = temporaryFolder()("data");
const cleanups: (() => unknown)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

/** Reproducible by seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Only the data plane, because the supervisor would back off before each restart. */
async function startGatewayProcess(settings: Record<string, string>) {
  const ready = Promise.withResolvers<void>();
  const child = Bun.spawn([builtProgram(), "gateway"], {
    env: plainEnvironment(settings),
    stdio: ["ignore", "ignore", "ignore"],
    ipc: () => ready.resolve(),
  });
  cleanups.push(() => child.kill("SIGKILL"));
  void child.exited.then(code => ready.reject(new Error(`the gateway ended with ${code}`)));
  await ready.promise;
  return child;
}

it(`REL-003 REL-004 ${KILLS} kill -9 under load lose and duplicate no event`, async () => {
  const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000_000);
  console.log(`crash test: CRASH_SEED=${seed}`);
  const random = randomFrom(seed);
  const provider = servePacedProvider(() => Bun.sleep(Math.floor(random() * 40)));
  cleanups.push(() => provider.stop());
  mkdirSync(dataDir);
  const store = await ControlStore.open({ kind: "sqlite", path: join(dataDir, "control.db") });
  const { id: orgId } = await store.createOrganization("crash", "enterprise", 0);
  await store.updateOrganization(orgId, { burst_per_minute: 1_000_000 });
  const { key } = await store.createKey(orgId, "live", "write", 0);
  await store.close();
  const port = freePort();
  const settings = {
    SVC_DATA_DIR: dataDir,
    SVC_OPENAI_BASE_URL: provider.url,
    SVC_GATEWAY_PORT: String(port),
  };

  let child = await startGatewayProcess(settings);
  const reader = new LedgerReader(join(dataDir, "ledger.db"));
  cleanups.push(() => reader.close());

  // The provider gets none of our headers, so the prompt contains the id too.
  const fullyRead = new Set<string>();
  let made = 0;
  let isRunning = true;
  const caller = async () => {
    while (isRunning) {
      const id = `call-${made++}`;
      const stream = random() < 0.5;
      try {
        const answer = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "x-provider-key": "k", "x-session-id": id },
          body: JSON.stringify({ model: "gpt-4o-mini", stream, messages: [{ role: "user", content: id }] }),
        });
        const text = await answer.text();
        const isWhole = stream ? text.endsWith("data: [DONE]\n\n") : text.endsWith("}");
        if (answer.status === 200 && isWhole) fullyRead.add(id);
      } catch {
        await Bun.sleep(20);
      }
    }
  };
  const callers = Promise.all(Array.from({ length: CALLERS }, caller));

  const byCall = new Map<string, Event[]>();
  let cursor = 0;
  /** Everything that was served, or fully read, by a gateway that is dead now. */
  const check = (served: readonly string[], read: readonly string[]) => {
    for (const { seq, event } of reader.after(cursor, 1_000_000)) {
      cursor = seq;
      const id = event.session_id ?? "";
      byCall.set(id, [...(byCall.get(id) ?? []), event]);
    }
    expect(served.filter(id => byCall.get(id)?.length !== 1)).toEqual([]);
    expect(read.filter(id => byCall.get(id)?.[0]?.status !== "success")).toEqual([]);
  };

  for (let kill = 0; kill < KILLS; kill++) {
    const before = provider.served.length;
    const isAtOnce = random() < 0.2;
    await eventually("calls are under way", () => isAtOnce || provider.served.length > before + CALLERS);
    await Bun.sleep(Math.floor(random() * 100));
    child.kill("SIGKILL");
    await child.exited;
    const served = [...provider.served];
    const read = [...fullyRead];
    child = await startGatewayProcess(settings);
    check(served, read);
  }
  isRunning = false;
  await callers;
  check(provider.served, [...fullyRead]);

  const events = [...byCall.values()].flat();
  expect(events.filter(event => byCall.get(event.session_id ?? "")?.length !== 1)).toEqual([]);
  const interrupted = events.filter(event => event.status === "interrupted");
  expect(interrupted.length).toBeGreaterThan(KILLS);
  for (const event of interrupted) {
    expect([event.usage_source, event.cost_basis, event.cost_microcents > 0]).toEqual([
      "estimated",
      "estimated",
      true,
    ]);
  }
  expect(fullyRead.size).toBeGreaterThan(KILLS);
  expect(reader.openIntents()).toBe(0);
  const verification = await svc(dataDir, ["ledger", "verify", "--json"]);
  expect([verification.exitCode, verification.json()]).toMatchObject([
    0,
    { ok: true, events: events.length },
  ]);
}, 600_000);
