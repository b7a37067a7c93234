import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { connect } from "node:net";
import { getPriority } from "node:os";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { chat } from "../../support/clients/call-endpoints.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import {
  isAlive,
  printedKeys,
  type RunningTollgate,
  startTollgate,
  svc,
} from "../../support/processes/tollgate-process.ts";
import { serveProvider } from "../../support/servers/serve-provider.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const folder = temporaryFolder();
const dataDir = folder("data");
const provider = serveProvider("openai");
let tollgate: RunningTollgate;
let gateway: string;
let key: string;
/** Events of the first organization, and of the others. */
let made = 0;
let elsewhere = 0;

beforeAll(async () => {
  tollgate = startTollgate(dataDir, { SVC_OPENAI_BASE_URL: provider.url, SVC_CONTROL_NICENESS: "10" });
  gateway = await tollgate.ready();
  key = printedKeys(tollgate.stdout).test[0] ?? "";
});
afterAll(async () => {
  await tollgate.stop();
  await provider.stop();
});

function post(plane: "gateway" | "web", path: string, withKey: string, body: unknown): Promise<Response> {
  return fetch(tollgate.addressOf(plane) + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${withKey}`,
      "x-provider-key": "k",
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
}

async function call(): Promise<number> {
  const [status = 0] = await statuses(key, 1);
  return status;
}

/** Statuses of sequential calls. */
async function statuses(withKey: string, calls: number): Promise<number[]> {
  const seen: number[] = [];
  for (let done = 0; done < calls; done++) {
    const answer = await post("gateway", chat.path, withKey, chat.body);
    await answer.text();
    seen.push(answer.status);
    if (answer.status !== 200) continue;
    if (withKey === key) made++;
    else elsewhere++;
  }
  return seen;
}

async function createOrganization(tier: string, ...limits: string[]) {
  const created = await svc(dataDir, ["org", "create", "--name", "other", "--tier", tier, "--json"]);
  const org = created.json() as { id: string; live_key: string; test_key: string };
  if (limits.length > 0) await svc(dataDir, ["org", "update", org.id, ...limits]);
  return org;
}

/** Makes calls over several connections; returns the statuses seen. */
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

/** The raw response from a socket. */
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
  it("OPS-006 run side by side, and both addresses are printed once both answer", async () => {
    const [one, other] = [tollgate.gatewayPid(), tollgate.controlPid()];
    expect([one === null, other === null, one === other]).toEqual([false, false, false]);
    const health = await fetch(`${tollgate.addressOf("web")}/api/health`);
    expect([health.status, (await fetch(`${gateway}/health`)).status]).toEqual([200, 200]);
    expect(tollgate.stdout).toContain(gateway);
    expect(tollgate.stdout).toContain(tollgate.addressOf("web"));
  });

  it("REL-006 the control plane yields to calls, but still gets its share of a busy machine", () => {
    const gatewayNiceness = getPriority(tollgate.gatewayPid() ?? 0);
    const controlNiceness = getPriority(tollgate.controlPid() ?? 0);
    expect(controlNiceness).toBeGreaterThan(gatewayNiceness);
    expect(controlNiceness).toBeLessThanOrEqual(gatewayNiceness + 10);
  });

  it("WEB-014 answer 400 or 404 in JSON to an invalid Host, and reveal nothing", async () => {
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

  /** The frozen one exists and never answers; the killed one stays gone, because its supervisor is frozen too. */
  const absences = {
    frozen: {
      begin: (pid: number) => process.kill(pid, "SIGSTOP"),
      end: (pid: number) => process.kill(pid, "SIGCONT"),
    },
    killed: {
      begin(pid: number) {
        process.kill(tollgate.pid, "SIGSTOP");
        process.kill(pid, "SIGKILL");
      },
      end: () => process.kill(tollgate.pid, "SIGCONT"),
    },
  } as const;

  for (const [how, { begin, end }] of Object.entries(absences)) {
    it(`REL-006 REL-007 with the control plane ${how}, no call fails, keys, budgets and limits hold, and it catches up`, async () => {
      const budgeted = await createOrganization("enterprise");
      const budget = { period: "daily", limit_microcents: 1, enforcement_mode: "hard_block" };
      expect((await post("web", "/api/budgets", budgeted.test_key, budget)).status).toBe(201);
      const bursting = await createOrganization("starter");
      const counted = await createOrganization("enterprise", "--monthly-calls", "2");
      await load(80);
      await caughtUp();
      const pid = tollgate.controlPid() ?? 0;
      begin(pid);
      try {
        // The control plane does not answer now; this request waits, or is refused.
        const asked = fetch(`${tollgate.addressOf("web")}/api/health`).then(
          () => "answered",
          () => "refused",
        );
        expect(await load(400)).toEqual(new Set([200]));
        expect((await post("gateway", chat.path, "x", chat.body)).status).toBe(401);
        // A call's cost counts toward the budget, although nothing is derived from it.
        expect(await statuses(budgeted.test_key, 2)).toEqual([200, 429]);
        const refused = await post("gateway", chat.path, budgeted.test_key, chat.body);
        expect(await refused.json()).toMatchObject({ limit: 1, current_spending: expect.any(Number) });
        const burst = await Promise.all(Array.from({ length: 11 }, () => statuses(bursting.test_key, 1)));
        expect(burst.flat().sort()).toEqual([...new Array(10).fill(200), 429]);
        expect(await statuses(counted.live_key, 3)).toEqual([200, 200, 429]);
        if (how === "killed") expect(await asked).toBe("refused");
        else expect(await Promise.race([asked, "waiting"])).toBe("waiting");
      } finally {
        end(pid);
      }
      await eventually("the control plane answers", async () => {
        const answer = await fetch(`${tollgate.addressOf("web")}/api/health`).catch(() => null);
        return answer?.status === 200;
      });
      await caughtUp();
    });
  }

  it("REL-006 calls take no longer with the control plane frozen", async () => {
    const pid = tollgate.controlPid() ?? 0;
    const times = { running: [] as number[], frozen: [] as number[] };
    // Alternately, so that other load on the machine affects both alike.
    for (let turn = 0; turn < 12; turn++) {
      const state = turn % 2 === 0 ? "running" : "frozen";
      if (state === "frozen") process.kill(pid, "SIGSTOP");
      try {
        for (let made = 0; made < 25; made++) {
          const began = performance.now();
          expect(await call()).toBe(200);
          times[state].push(performance.now() - began);
        }
      } finally {
        if (state === "frozen") process.kill(pid, "SIGCONT");
      }
    }
    const quartile = (values: readonly number[], quarter: 1 | 3) =>
      values.toSorted((a, b) => a - b)[Math.floor((values.length * quarter) / 4)] ?? 0;
    // A call that waited for the control plane would time out: many times the duration of a call. A slow spell of the
    // machine may cover most turns of one kind, but not nearly all.
    expect(quartile(times.frozen, 1)).toBeLessThan(5 * quartile(times.running, 3));
    await caughtUp();
  });

  it("REL-007 a control plane that is killed repeatedly derives nothing twice and skips nothing", async () => {
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

  it("ING-001 ING-007 shows an ingested event, and counts a call reported again by telemetry once", async () => {
    const send = (path: string, body: unknown) =>
      fetch(gateway + path, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const event = { id: "from-elsewhere", model: "gpt-4o-mini", input_tokens: 10, output_tokens: 5 };
    expect((await send("/v1/events", { events: [event, event] })).status).toBe(200);
    made++;
    // The client's own instrumentation reports the call that the gateway has already recorded.
    const answer = await fetch(gateway + chat.path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "x-provider-key": "k", "content-type": "application/json" },
      body: JSON.stringify(chat.body),
    });
    const { id, usage } = (await answer.json()) as {
      id: string;
      usage: { prompt_tokens: number; completion_tokens: number };
    };
    made++;
    const exporter = new OTLPTraceExporter({
      url: `${gateway}/v1/traces`,
      headers: { authorization: `Bearer ${key}` },
    });
    const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
    for (const [responseId, input, output] of [
      [id, usage.prompt_tokens, usage.completion_tokens],
      ["only-by-telemetry", 1000, 100],
    ] as const) {
      const attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4o-mini",
        "gen_ai.response.id": responseId,
        "gen_ai.usage.input_tokens": input,
        "gen_ai.usage.output_tokens": output,
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

  it("REL-005 `ledger verify` finds ledger, rollups and budgets consistent after all of it", async () => {
    const verified = await svc(dataDir, ["ledger", "verify", "--json"]);
    expect(verified.json()).toMatchObject({ ok: true, events: made + elsewhere, differences: [] });
  });
});
