import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { chat } from "../../support/call-endpoints.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { eventually } from "../../support/test-gateway.ts";
import {
  isAlive,
  printedKeys,
  type RunningTollgate,
  startTollgate,
  svc,
} from "../../support/tollgate-process.ts";

const folder = temporaryFolder();
const dataDir = folder("data");
let tollgate: RunningTollgate;
let gateway: string;
let key: string;
let made = 0;

beforeAll(async () => {
  tollgate = startTollgate(dataDir);
  gateway = await tollgate.ready();
  key = printedKeys(tollgate.stdout).test[0] ?? "";
});
afterAll(() => tollgate.stop());

async function call(): Promise<number> {
  const answer = await fetch(gateway + chat.path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "x-provider-key": "k", "content-type": "application/json" },
    body: JSON.stringify(chat.body),
  });
  await answer.text();
  if (answer.status === 200) made++;
  return answer.status;
}

/** Calls in a row on several connections; the statuses that were seen. */
async function load(calls: number): Promise<Set<number>> {
  const statuses = new Set<number>();
  const worker = async () => {
    for (let done = 0; done < calls / 8; done++) statuses.add(await call());
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return statuses;
}

async function totalCalls(): Promise<number> {
  const answer = await fetch(`${tollgate.addressOf("web")}/api/analytics`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { summary } = (await answer.json()) as { summary: { total_calls: number } };
  return summary.total_calls;
}

const caughtUp = () =>
  eventually("the control plane has caught up", async () => (await totalCalls()) === made, 15_000);

describe("two planes, two processes", () => {
  it("OPS-001 OPS-006 run beside each other, and the addresses of both are told once both answer", async () => {
    const [one, other] = [tollgate.gatewayPid(), tollgate.controlPid()];
    expect([one === null, other === null, one === other]).toEqual([false, false, false]);
    const health = await fetch(`${tollgate.addressOf("web")}/api/health`);
    expect([health.status, (await fetch(`${gateway}/health`)).status]).toEqual([200, 200]);
    expect(tollgate.stdout).toContain(gateway);
    expect(tollgate.stdout).toContain(tollgate.addressOf("web"));
  });

  it("REL-006 REL-007 a frozen control plane delays and loses no call, and catches up when it wakes", async () => {
    const pid = tollgate.controlPid() ?? 0;
    await load(80);
    await caughtUp();
    process.kill(pid, "SIGSTOP");
    try {
      expect(await load(400)).toEqual(new Set([200]));
      // Keys are still checked while it sleeps.
      const refused = await fetch(gateway + chat.path, {
        method: "POST",
        headers: { authorization: "Bearer x" },
      });
      expect(refused.status).toBe(401);
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await caughtUp();
  });

  it("REL-006 REL-007 a killed control plane is started again, and derives nothing twice and skips nothing", async () => {
    for (let round = 0; round < 3; round++) {
      const pid = tollgate.controlPid() ?? 0;
      const busy = load(160);
      process.kill(pid, "SIGKILL");
      expect(await busy).toEqual(new Set([200]));
      await eventually("it ended", () => !isAlive(pid), 5_000);
      await eventually(
        "it is back",
        async () =>
          (await fetch(`${tollgate.addressOf("web")}/api/health`).catch(() => null))?.status === 200,
        15_000,
      );
    }
    await caughtUp();
  });

  it("REL-005 `ledger verify` finds ledger, rollups and budgets equal after all of it", async () => {
    const verified = await svc(dataDir, ["ledger", "verify", "--json"]);
    expect(verified.json()).toMatchObject({ ok: true, events: made, differences: [] });
  });
});
