import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { monthOf } from "@tollgate/core/time/month";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { chat } from "../../support/clients/call-endpoints.ts";
import { jsonBody } from "../../support/clients/json-body.ts";
import { multiplyEvent } from "../../support/labs/multiply-event.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { startTestGateway } from "../../support/labs/test-gateway.ts";
import { sampleSettlement } from "../../support/rows/sample-event.ts";
import { type ServedProvider, serveProvider } from "../../support/servers/serve-provider.ts";
import { fakeClock } from "../../support/waiting/fake-clock.ts";

let openai: ServedProvider;
beforeAll(() => {
  openai = serveProvider("openai", { records: false });
});
afterAll(() => openai.stop());

const folder = temporaryFolder();
let folders = 0;

/** A data directory with an organization that has made this many calls this month, and its key. */
async function prepared(tier: "starter" | "lite" | "pro", calls: number, at: number) {
  const dataDir = folder(`month-${folders++}`);
  mkdirSync(dataDir);
  const store = await ControlStore.open({ kind: "sqlite", path: join(dataDir, "control.db") });
  const { id: orgId } = await store.createOrganization("full", tier, at);
  const live = (await store.createKey(orgId, "live", "write", at)).key;
  const test = (await store.createKey(orgId, "test", "write", at)).key;
  await store.close();
  const ledgerPath = join(dataDir, "ledger.db");
  const ledger = new Ledger(ledgerPath, "normal");
  await ledger.append([sampleSettlement("event 0", { org_id: orgId, created_at: at })]);
  ledger.close();
  multiplyEvent(ledgerPath, calls);
  return { dataDir, live: { authorization: `Bearer ${live}` }, test: { authorization: `Bearer ${test}` } };
}

describe("the monthly limit", () => {
  for (const [id, tier, limit] of [
    ["LIM-001", "starter", 10_000],
    ["LIM-002", "lite", 50_000],
    ["LIM-003", "pro", 100_000],
  ] as const) {
    it(`${id} LIM-008 ${tier}: call ${limit} of a month is admitted, the next is 429`, async () => {
      const clock = fakeClock("2026-11-15T12:00:00.000Z");
      const { dataDir, live } = await prepared(tier, limit - 1, clock.now() - 86_400_000);
      const gateway = await startTestGateway({ dataDir, now: clock.now, baseUrls: { openai: openai.url } });
      try {
        expect((await gateway.post(chat.path, chat.body, live)).status).toBe(200);
        const answer = await gateway.post(chat.path, chat.body, live);
        expect([answer.status, await jsonBody(answer)]).toEqual([
          429,
          {
            error: `monthly limit of ${limit} calls exceeded`,
            limit,
            current: limit,
            reset_at: "2026-12-01T00:00:00.000Z",
            retry_after: 15.5 * 86_400,
          },
        ]);
        expect(answer.headers.get("retry-after")).toBe(String(15.5 * 86_400));
        expect(answer.headers.get("ratelimit-limit")).toBe(String(limit));
      } finally {
        await gateway.stop();
      }
    });
  }

  for (const [last, first] of [
    ["2026-11-30T23:59:59.999Z", "2026-12-01T00:00:00.000Z"],
    ["2026-12-31T23:59:59.999Z", "2027-01-01T00:00:00.000Z"],
    ["2028-02-29T23:59:59.999Z", "2028-03-01T00:00:00.000Z"],
  ] as const) {
    it(`LIM-008 refuses until the month's last instant, ${last}, and counts from 0 at ${first}`, async () => {
      const clock = fakeClock(last);
      const { dataDir, live, test } = await prepared("starter", 10_000, clock.now() - 86_400_000);
      const gateway = await startTestGateway({ dataDir, now: clock.now, baseUrls: { openai: openai.url } });
      try {
        const answer = await gateway.post(chat.path, chat.body, live);
        expect(await jsonBody(answer)).toMatchObject({ reset_at: first, retry_after: 1, current: 10_000 });
        expect((await gateway.post(chat.path, chat.body, test)).status).toBe(200);
        clock.set(first);
        expect((await gateway.post(chat.path, chat.body, live)).status).toBe(200);
        const counts = Object.fromEntries(gateway.reader.monthlyCalls().map(row => [row.month, row.calls]));
        expect(counts).toEqual({ [monthOf(Date.parse(last))]: 10_000, [first.slice(0, 7)]: 1 });
        expect(gateway.verify()).toMatchObject({ ok: true });
      } finally {
        await gateway.stop();
      }
    });
  }

  it("LIM-008 LIM-007 a restart loses neither the month's calls nor the last minute's", async () => {
    const clock = fakeClock("2026-12-31T23:58:00.000Z");
    const { dataDir, live } = await prepared("starter", 9_988, clock.now() - 86_400_000);
    const start = () => startTestGateway({ dataDir, now: clock.now, baseUrls: { openai: openai.url } });
    let gateway = await start();
    const call = async () => {
      const answer = await gateway.post(chat.path, chat.body, live);
      return answer.status === 429 ? jsonBody(answer) : answer.status;
    };
    const restart = async () => {
      await gateway.stop("keep files");
      gateway = await start();
    };
    try {
      for (let calls = 0; calls < 6; calls++) expect(await call()).toBe(200);
      await restart();
      for (let calls = 0; calls < 4; calls++) expect(await call()).toBe(200);
      await restart();
      expect(await call()).toMatchObject({ limit: 10, current: 10, reset_at: "2026-12-31T23:59:00.000Z" });
      clock.advance(60_000);
      expect([await call(), await call()]).toEqual([200, 200]);
      await restart();
      expect(await call()).toMatchObject({
        limit: 10_000,
        current: 10_000,
        reset_at: "2027-01-01T00:00:00.000Z",
      });
      clock.advance(60_000);
      expect(await call()).toBe(200);
    } finally {
      await gateway.stop();
    }
  });
});
