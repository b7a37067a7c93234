import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Event } from "@tollgate/core/event";
import type { Tier } from "@tollgate/core/limits/tiers";
import type { PriceOverrides } from "@tollgate/core/pricing/overrides";
import type { ProviderId } from "@tollgate/core/provider-id";
import type { BodyRoom } from "@tollgate/core/wire/body-room";
import { REQUEST_TIMEOUT_MS } from "@tollgate/core/wire/request-bodies";
import { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import type { ClusterNode } from "@tollgate/gateway/node-state";
import { startGateway } from "@tollgate/gateway/start-gateway";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { verifyLedger } from "@tollgate/storage/ledger/verify-ledger";
import { writeMigratedFile } from "./write-migrated-file.ts";

export interface TestGatewayOptions {
  readonly tier?: Tier;
  /** The providers' addresses; one that is not listed cannot be reached. */
  readonly baseUrls?: Partial<Record<ProviderId, string>>;
  readonly providerTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  readonly bodyRoom?: BodyRoom;
  readonly onDisconnect?: "abort" | "drain";
  readonly priceOverrides?: PriceOverrides;
  readonly now?: () => number;
  /** Unseen output of a cut call is estimated from its duration, so tests can stop this clock. */
  readonly uptimeMs?: () => number;
  readonly budgetPatienceMs?: number;
  readonly node?: ClusterNode;
  /** Reuses the files of an earlier one. */
  readonly dataDir?: string;
}

/** A real gateway on a free port, with its own files and one organization, inside the test's process. */
export async function startTestGateway(options: TestGatewayOptions = {}) {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "tollgate-test-"));
  const controlPath = join(dataDir, "control.db");
  const ledgerPath = join(dataDir, "ledger.db");
  if (!existsSync(controlPath)) await writeMigratedFile(controlPath);
  const store = await ControlStore.open({ kind: "sqlite", path: controlPath });
  const organization = await store.createOrganization("test", options.tier ?? "enterprise", Date.now());
  const live = await store.createKey(organization.id, "live", "write", Date.now());
  const test = await store.createKey(organization.id, "test", "write", Date.now());
  const logged: string[] = [];
  const nowhere = "http://127.0.0.1:9";
  const gateway = await startGateway({
    host: "127.0.0.1",
    port: 0,
    ledgerPath,
    controlPath,
    durability: "normal",
    providerTimeoutMs: options.providerTimeoutMs ?? 10_000,
    requestTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    ...(options.bodyRoom ? { bodyRoom: options.bodyRoom } : {}),
    onDisconnect: options.onDisconnect ?? "abort",
    baseUrls: { openai: nowhere, anthropic: nowhere, google: nowhere, xai: nowhere, ...options.baseUrls },
    priceOverrides: options.priceOverrides ?? null,
    upgradeUrl: "http://127.0.0.1:3000/settings/plan",
    trustedProxies: TrustedProxies.none,
    log: (level, message, fields) => logged.push(JSON.stringify({ level, message, ...fields })),
    simulatorPaceMs: 0,
    ...(options.now ? { now: options.now } : {}),
    ...(options.uptimeMs ? { uptimeMs: options.uptimeMs } : {}),
    ...(options.node ? { node: options.node } : {}),
    ...(options.budgetPatienceMs === undefined ? {} : { budgetPatienceMs: options.budgetPatienceMs }),
  });
  const reader = new LedgerReader(ledgerPath);
  const events: Event[] = [];
  let newestSeq = 0;
  let isStopped = false;

  return {
    url: gateway.url,
    dataDir,
    store,
    orgId: organization.id,
    liveKey: live.key,
    liveKeyId: live.id,
    testKey: test.key,
    /** Everything that was logged, one JSON text per line. */
    logged,
    reader,
    /** All events so far, oldest first. */
    events(): Event[] {
      // Each is read once: events never change, and some tests ask thousands of times.
      for (const { seq, event } of reader.after(newestSeq, 1_000_000)) {
        newestSeq = seq;
        events.push(event);
      }
      return [...events];
    },
    verify: () => verifyLedger(reader),
    /** Headers of a live call with a provider key; more can be added. */
    headers: (more: Record<string, string> = {}): Record<string, string> => ({
      authorization: `Bearer ${live.key}`,
      "x-provider-key": "provider-key-for-tests",
      "content-type": "application/json",
      ...more,
    }),
    post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
      return fetch(gateway.url + path, {
        method: "POST",
        headers: this.headers(headers),
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
    },
    async stop(keep: "remove files" | "keep files" = "remove files") {
      if (!isStopped) {
        isStopped = true;
        await gateway.stop(0);
        reader.close();
        await store.close();
      }
      if (keep === "remove files") rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export type TestGateway = Awaited<ReturnType<typeof startTestGateway>>;
