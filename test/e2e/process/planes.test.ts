import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { connect } from "node:net";
import { getPriority } from "node:os";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
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

/** Everything that a bare socket gets. */
async function rawAnswer(url: string, head: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = "";
  socket.on("data", data => {
    text += data.toString("latin1");
  });
  socket.write(`${head}Connection: close\r\n\r\n`);
  await new Promise(resolve => socket.once("close", resolve));
  return text;
}

const caughtUp = () =>
  eventually("the control plane has caught up", async () => (await totalCalls()) === made);

describe("two planes, two processes", () => {
  it("OPS-001 OPS-006 run beside each other, and the addresses of both are told once both answer", async () => {
    const [one, other] = [tollgate.gatewayPid(), tollgate.controlPid()];
    expect([one === null, other === null, one === other]).toEqual([false, false, false]);
    const health = await fetch(`${tollgate.addressOf("web")}/api/health`);
    expect([health.status, (await fetch(`${gateway}/health`)).status]).toEqual([200, 200]);
    expect(tollgate.stdout).toContain(gateway);
    expect(tollgate.stdout).toContain(tollgate.addressOf("web"));
  });

  it("REL-006 the control plane gives way to calls, and still gets its share of a busy machine", () => {
    const gatewayNiceness = getPriority(tollgate.gatewayPid() ?? 0);
    const controlNiceness = getPriority(tollgate.controlPid() ?? 0);
    expect(controlNiceness).toBeGreaterThan(gatewayNiceness);
    expect(controlNiceness).toBeLessThanOrEqual(gatewayNiceness + 5);
  });

  it("WEB-014 answer 400 or 404 to a Host that is none, in JSON, and show nothing of themselves", async () => {
    for (const [plane, path] of [
      ["web", "/api/health"],
      ["gateway", "/v1/nothing"],
    ] as const) {
      for (const host of ["[", "a b", "a:99999", "%"]) {
        const answer = await rawAnswer(
          tollgate.addressOf(plane),
          `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n`,
        );
        expect([plane, host, /^HTTP\/1.1 (\d+)/.exec(answer)?.[1]]).toEqual([
          plane,
          host,
          expect.stringMatching(/^40[04]$/),
        ]);
        expect(answer).not.toContain("packages/");
      }
    }
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
      await eventually("it ended", () => !isAlive(pid));
      await eventually(
        "it is back",
        async () =>
          (await fetch(`${tollgate.addressOf("web")}/api/health`).catch(() => null))?.status === 200,
      );
    }
    await caughtUp();
  });

  it("ING-001 ING-007 shows an ingested event, and a call that came again by telemetry once", async () => {
    const send = (path: string, body: unknown) =>
      fetch(gateway + path, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const event = { id: "from-elsewhere", model: "gpt-4o-mini", input_tokens: 10, output_tokens: 5 };
    expect((await send("/v1/events", { events: [event, event] })).status).toBe(200);
    made++;
    // The client's own instrumentation tells of the call that the gateway has already recorded.
    const answer = await fetch(gateway + chat.path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "x-provider-key": "k", "content-type": "application/json" },
      body: JSON.stringify(chat.body),
    });
    const { id } = (await answer.json()) as { id: string };
    made++;
    const exporter = new OTLPTraceExporter({
      url: `${gateway}/v1/traces`,
      headers: { authorization: `Bearer ${key}` },
    });
    const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
    for (const responseId of [id, "only-by-telemetry"]) {
      const attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4o-mini",
        "gen_ai.response.id": responseId,
        "gen_ai.usage.input_tokens": 1000,
        "gen_ai.usage.output_tokens": 100,
      };
      provider.getTracer("client").startSpan("chat gpt-4o-mini", { attributes }).end();
    }
    await provider.shutdown();
    made++;
    await caughtUp();
    const web = tollgate.addressOf("web");
    const found = await fetch(`${web}/api/events/from-elsewhere`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(await found.json()).toMatchObject({ id: "from-elsewhere", source: "ingest" });
    const listed = await fetch(`${web}/api/events?limit=3`, { headers: { authorization: `Bearer ${key}` } });
    const { events } = (await listed.json()) as { events: { source: string; cost_microcents: number }[] };
    expect(events.map(({ source }) => source).sort()).toEqual(["gateway", "ingest", "otlp"]);
    expect(events.find(({ source }) => source === "otlp")?.cost_microcents).toBe(2100);
  });

  it("REL-005 `ledger verify` finds ledger, rollups and budgets equal after all of it", async () => {
    const verified = await svc(dataDir, ["ledger", "verify", "--json"]);
    expect(verified.json()).toMatchObject({ ok: true, events: made, differences: [] });
  });
});
