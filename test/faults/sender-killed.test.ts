import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { chat } from "../support/clients/call-endpoints.ts";
import { temporaryFolder } from "../support/labs/temporary-folder.ts";
import {
  isAlive,
  printedKeys,
  type RunningTollgate,
  startTollgate,
  svc,
} from "../support/processes/tollgate-process.ts";
import { startWebhookReceiver } from "../support/servers/webhook-receiver.ts";
import { eventually } from "../support/waiting/eventually.ts";

/** The supervisor's back-off doubles each time. */
const KILLS = 4;
const CALLS_A_ROUND = 50;
const secret = "a secret between two";

const folder = temporaryFolder();
const dataDir = folder("data");
let tollgate: RunningTollgate;
let key: string;
/** The next delivery kills its sender before it is answered. */
let killAtNext = false;

const receiver = startWebhookReceiver(secret, () => {
  const pid = killAtNext ? tollgate.controlPid() : null;
  if (pid === null) return undefined;
  killAtNext = false;
  process.kill(pid, "SIGKILL");
  return undefined;
});

beforeAll(async () => {
  tollgate = startTollgate(dataDir, { SVC_ALLOWED_PRIVATE_TARGETS: "127.0.0.1" });
  await tollgate.ready();
  key = printedKeys(tollgate.stdout).test[0] ?? "";
});
afterAll(async () => {
  await tollgate.stop();
  await receiver.stop();
});

const api = (path: string, body?: unknown) =>
  fetch(`${tollgate.addressOf("web")}/api/${path}`, {
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  });

/** Resolves with the event's id. */
async function call(): Promise<string> {
  const answer = await fetch(`${tollgate.addressOf("gateway")}${chat.path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "x-provider-key": "k", "content-type": "application/json" },
    body: JSON.stringify(chat.body),
  });
  await answer.text();
  expect(answer.status).toBe(200);
  return answer.headers.get("x-gateway-event-id") ?? "";
}

async function calls(count: number): Promise<string[]> {
  const ids: string[] = [];
  const worker = async () => {
    for (let done = 0; done < count / 10; done++) ids.push(await call());
  };
  await Promise.all(Array.from({ length: 10 }, worker));
  return ids;
}

async function isBack(): Promise<boolean> {
  return (await api("health").catch(() => null))?.status === 200;
}

describe("a sender that is killed", () => {
  it("REL-007 REL-008 HOOK-009 delivers every event at least once, with the same id, the same bytes and a valid signature", async () => {
    const { id: orgId } = (await (await api("organization")).json()) as { id: string };
    const registered = await api(`webhooks/generic/${orgId}`, {
      url: receiver.url,
      events: ["event.created"],
      secret,
    });
    expect(registered.status).toBe(201);

    const events: string[] = [];
    for (let round = 0; round < KILLS; round++) {
      const pid = tollgate.controlPid() ?? 0;
      killAtNext = true;
      events.push(...(await calls(CALLS_A_ROUND)));
      await eventually("the sender was killed between send and record", () => !isAlive(pid));
      await eventually("it is back", isBack);
    }
    expect(new Set(events).size).toBe(KILLS * CALLS_A_ROUND);

    const eventOf = (body: string) => (JSON.parse(body) as { data: { id: string } }).data.id;
    const delivered = () => new Set(receiver.received.map(({ body }) => eventOf(body)));
    await eventually("every event has arrived", () => delivered().size === events.length);
    const { received } = receiver;
    expect(received.filter(({ isSigned }) => !isSigned)).toEqual([]);
    expect(delivered()).toEqual(new Set(events));
    // Repeats are allowed, differences are not: one id, one body, one event.
    const bodies = new Map<string, Set<string>>();
    for (const { id, body } of received) bodies.set(id, (bodies.get(id) ?? new Set()).add(body));
    expect([...bodies.values()].filter(({ size }) => size > 1)).toEqual([]);
    expect(bodies.size).toBe(events.length);
    expect(received.length).toBeGreaterThan(events.length);
  }, 600_000);

  it("REL-005 leaves the ledger and all derived data consistent", async () => {
    const verified = await svc(dataDir, ["ledger", "verify", "--json"]);
    expect(verified.json()).toMatchObject({ ok: true, differences: [] });
  });
});
