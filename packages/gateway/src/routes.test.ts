import { afterAll, describe, expect, it } from "bun:test";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { BodyRoom } from "@tollgate/core/wire/body-room";
import { RequestBodies } from "@tollgate/core/wire/request-bodies";
import { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { Directory } from "@tollgate/storage/config/directory";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { temporaryFolder } from "../../../test/support/labs/temporary-folder.ts";
import { Budgets } from "./budgets/budgets.ts";
import { AnswerPace } from "./call/answer-pace.ts";
import { Deadlines } from "./call/deadlines.ts";
import { InFlight } from "./call/in-flight.ts";
import type { Gateway } from "./gateway.ts";
import { LedgerState } from "./ledger-state.ts";
import { Agents } from "./limits/agents.ts";
import { CallLimits } from "./limits/call-limits.ts";
import { Metrics } from "./metrics.ts";
import { RefusalLog } from "./refusals/refusal-log.ts";
import { gatewayRoutes } from "./routes.ts";

const path = temporaryFolder();
const store = await ControlStore.open({ kind: "sqlite", path: path("control.db") });
const organization = await store.createOrganization("o", "starter", 0);
const { key } = await store.createKey(organization.id, "live", "read", 0);
const ledger = new Ledger(path("ledger.db"), "normal");
const directory = new Directory(path("control.db"));
const catalogue = createCatalogue();
const metrics = new Metrics();
const bodyRoom = BodyRoom.ofMachine(0);
const gateway: Gateway = {
  ledger,
  ledgerState: new LedgerState(ledger, () => {}),
  directory,
  catalogue,
  prices: { of: () => catalogue },
  limits: new CallLimits(() => 0),
  sharedBurst: null,
  oldConfigGuard: null,
  agents: new Agents(ledger, "", () => 0),
  budgets: new Budgets(directory, ledger, { of: () => catalogue }, metrics),
  answerPace: new AnswerPace(),
  deadlines: new Deadlines(1000),
  bodies: new RequestBodies(1000, bodyRoom),
  bodyRoom,
  inFlight: new InFlight(),
  sampler: { sample: () => null },
  metrics,
  refusals: new RefusalLog(ledger, Date.now, () => {}),
  log: () => {},
  transports: { live: () => Promise.reject(new Error()), test: () => Promise.reject(new Error()) },
  onDisconnect: "abort",
  upgradeUrl: "",
  trustedProxies: TrustedProxies.none,
  node: null,
  now: Date.now,
  uptimeMs: () => performance.now(),
  newId: () => Bun.randomUUIDv7(),
};
afterAll(async () => {
  gateway.deadlines.close();
  gateway.ledgerState.close();
  gateway.directory.close();
  ledger.close();
  await store.close();
});

const routes = gatewayRoutes(gateway);

async function statusOf(path: string, peer: string | null, headers: Record<string, string> = {}) {
  const request = new Request(`http://localhost:8787${path}`, { headers });
  const server = { requestIP: () => (peer === null ? null : { address: peer }) };
  return (await routes[path]?.GET?.(request, server))?.status;
}

const metricsFor = (peer: string | null, headers: Record<string, string> = {}) =>
  statusOf("/metrics", peer, { host: "localhost:8787", ...headers });

describe("GET /metrics", () => {
  for (const peer of ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"]) {
    it(`OPS-016 needs no key from loopback: ${peer}`, async () => {
      expect(await metricsFor(peer)).toBe(200);
    });
  }

  for (const peer of ["10.0.0.1", "192.168.1.5", "::ffff:10.0.0.1", "2001:db8::1", "1270.0.0.1", "", null]) {
    it(`OPS-016 needs a key from elsewhere, and any valid key is enough: ${peer}`, async () => {
      expect(await metricsFor(peer)).toBe(401);
      expect(await metricsFor(peer, { authorization: "Bearer sk_live_unknown" })).toBe(401);
      expect(await metricsFor(peer, { authorization: `Bearer ${key}` })).toBe(200);
    });
  }

  it("OPS-016 does not trust a header that claims its origin", async () => {
    const claims = { "x-forwarded-for": "127.0.0.1", forwarded: "for=127.0.0.1", "x-real-ip": "::1" };
    expect(await metricsFor("10.0.0.1", claims)).toBe(401);
  });

  it("SEC-009 needs a key through a local proxy, and for a page on another host name", async () => {
    for (const headers of [
      { "x-forwarded-for": "127.0.0.1" },
      { forwarded: "for=127.0.0.1" },
      { "x-real-ip": "::1" },
      { host: "evil.example:8787" },
    ]) {
      expect([headers, await metricsFor("127.0.0.1", headers)]).toEqual([headers, 401]);
      const withKey = { ...headers, authorization: `Bearer ${key}` };
      expect([headers, await metricsFor("127.0.0.1", withKey)]).toEqual([headers, 200]);
    }
  });
});

describe("GET /health", () => {
  it("REL-013 reports that it is stopping while the last calls finish", async () => {
    expect(await statusOf("/health", null)).toBe(200);
    gateway.inFlight.draining = true;
    expect(await statusOf("/health", null)).toBe(503);
    gateway.inFlight.draining = false;
  });
});
