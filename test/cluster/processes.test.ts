import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { existsSync } from "node:fs";
import { createClient } from "@tollgate/sdk/client";
import { chat } from "../support/clients/call-endpoints.ts";
import { temporaryFolder } from "../support/labs/temporary-folder.ts";
import { printedKeys, type RunningTollgate, startTollgate, svc } from "../support/labs/tollgate-process.ts";
import { freshPostgres, type TestDatabase } from "../support/servers/postgres.ts";
import { eventually } from "../support/waiting/eventually.ts";

const inFolder = temporaryFolder();
let postgres: TestDatabase;
let shared: Record<string, string>;
let control: RunningTollgate;
let key: string;
const started: RunningTollgate[] = [];

interface Node {
  readonly name: string;
  readonly tollgate: RunningTollgate;
  readonly url: string;
}

async function startNode(name: string): Promise<Node> {
  const tollgate = startTollgate(inFolder(name), { ...shared, SVC_ROLE: "gateway", SVC_NODE_ID: name });
  started.push(tollgate);
  return { name, tollgate, url: await tollgate.ready() };
}

/** The id of the event; null: it was not answered. */
async function call({ url }: Node): Promise<string | null> {
  const answer = await fetch(url + chat.path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "x-provider-key": "k", "content-type": "application/json" },
    body: JSON.stringify(chat.body),
  }).catch(() => null);
  return answer?.ok ? answer.headers.get("x-gateway-event-id") : null;
}

async function recordedIds(): Promise<string[]> {
  const client = createClient({ baseUrl: control.addressOf("web"), apiKey: key, retries: 0 });
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.call("events.list", { limit: 100, ...(cursor && { cursor }) });
    ids.push(...page.events.map(({ id }) => id));
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  return ids;
}

const knowsTheKey = (node: Node) =>
  eventually("the node knows the key", async () => (await call(node)) !== null);

beforeAll(async () => {
  postgres = await freshPostgres();
  shared = { SVC_DATABASE_URL: postgres.url, SVC_SECRET: "a secret that is long enough" };
  control = startTollgate(inFolder("control"), { ...shared, SVC_ROLE: "control" });
  started.push(control);
  await eventually("the control plane is up", () => {
    if (control.stderr.includes("not valid")) throw new Error(control.stderr);
    return existsSync(control.addresses) && printedKeys(control.stdout).test.length === 1;
  });
  key = printedKeys(control.stdout).test[0] ?? "";
}, 600_000);

afterAll(async () => {
  for (const one of started) await one.end();
  await postgres.drop();
});

describe("gateways on machines of their own", () => {
  it("REL-010 REL-017 a killed node loses and doubles no event, and the other one goes on", async () => {
    const [one, other] = await Promise.all([startNode("node-1"), startNode("node-2")]);
    await Promise.all([knowsTheKey(one), knowsTheKey(other)]);
    const answered: string[] = [];
    const load = async (node: Node, calls: number) => {
      for (let made = 0; made < calls; made++) {
        const id = await call(node);
        if (id !== null) answered.push(id);
      }
    };
    const running = [load(one, 60), load(one, 60), load(other, 60)];
    await eventually("some calls were answered", () => answered.length > 20);
    await one.tollgate.end();
    await Promise.all(running);
    const fromOther = answered.length;
    const again = await startNode("node-1");
    await load(again, 5);
    expect(answered.length).toBe(fromOther + 5);
    await eventually("every answered call is recorded", async () => {
      const recorded = new Set(await recordedIds());
      return answered.every(id => recorded.has(id));
    });
    const recorded = await recordedIds();
    expect(new Set(recorded).size).toBe(recorded.length);

    const listed = (await svc(inFolder("control"), ["nodes", "--json"], shared)).json() as {
      id: string;
      status: string;
      unshipped_events: number;
    }[];
    expect(listed.map(({ id, status, unshipped_events }) => [id, status, unshipped_events])).toEqual([
      ["node-1", "alive", 0],
      ["node-2", "alive", 0],
    ]);
    const verified = await svc(inFolder("control"), ["ledger", "verify"], { ...shared, SVC_ROLE: "control" });
    expect([verified.exitCode, verified.stderr]).toEqual([0, ""]);
    const removed = await svc(inFolder("control"), ["nodes", "remove", "node-2"], shared);
    expect([removed.exitCode, removed.stderr]).toEqual([2, "node node-2 is alive: stop it first\n"]);
  }, 600_000);

  it("say what is missing for their role", async () => {
    const alone = await svc(inFolder("alone"), ["org", "list"], { SVC_ROLE: "gateway" });
    expect(alone.stderr).toContain("SVC_DATABASE_URL must be set for SVC_ROLE=gateway");
    const unsigned = await svc(inFolder("alone"), ["org", "list"], {
      SVC_ROLE: "control",
      SVC_DATABASE_URL: postgres.url,
    });
    expect(unsigned.stderr).toContain("SVC_SECRET must be set for SVC_ROLE=control");
    const other = startTollgate(inFolder("node-1"), {
      ...shared,
      SVC_ROLE: "gateway",
      SVC_NODE_ID: "another",
    });
    started.push(other);
    expect(await other.ended()).not.toBe(0);
  }, 600_000);
});
