import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { pruneReports } from "@tollgate/control/features/reports/prune-reports";
import { microcents } from "@tollgate/core/money/money";
import { DAY_MS } from "@tollgate/core/time/durations";
import { canonicalJson } from "@tollgate/core/wire/canonical-json";
import { refusal } from "../../support/clients/refusal.ts";
import { expectEnvelopes } from "../../support/expect-envelopes.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { openToolClient, type ToolClient } from "../../support/labs/tool-clients.ts";
import { storedRows } from "../../support/rows/stored-rows.ts";
import { verdictRow } from "../../support/rows/verdict-row.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const databases = controlDatabases();
const HOSTILE = `<script>alert(1)</script>"'&\u202e\n`;

const sha256 = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");

describe.each(systemEngines)("report snapshots on %s", engine => {
  let lab: ControlLab;
  let org: Awaited<ReturnType<ControlLab["organization"]>>;
  let toolClient: ToolClient;
  beforeAll(async () => {
    lab = await startControlLab(await databases.place(engine));
    org = await lab.organization();
    await org.addEvents(
      { agent_key: "writer", cost_microcents: microcents(70_000), created_at: lab.clock.now() - DAY_MS },
      { agent_key: HOSTILE, cost_microcents: microcents(20_000), created_at: lab.clock.now() - DAY_MS },
    );
    await org.client.call("budgets.create", {
      period: "daily",
      limit_microcents: 1_000_000,
      enforcement_mode: "alert_only",
    });
    await org.addEvents({
      agent_key: "writer",
      cost_basis: "unpriced",
      cost_microcents: microcents(0),
      created_at: lab.clock.now(),
    });
    await lab.db.insertInto("verdicts").values(verdictRow(lab, org.id)).execute();
    toolClient = await openToolClient("hosted, new client", lab.url, org.liveKey);
  });
  afterAll(async () => {
    await toolClient.close();
    await lab.stop();
  });

  const read = async (token: string) => {
    const answer = await lab.send(`/api/reports/${token}`);
    return { status: answer.status, text: await answer.text() };
  };

  it("LOOP-008 LOOP-025 LOOP-032 is read without a credential, and stays the same bytes whatever happens afterwards", async () => {
    const made = await org.client.call("reports.create", { title: "November", days: 30 });
    expect(made.share_token).toMatch(/^[0-9a-f]{32}$/);
    expect(made.url).toBe(`http://tollgate.test/r/${made.share_token}`);
    const first = await read(made.share_token);
    expect(first.status).toBe(200);
    const body = JSON.parse(first.text);
    expect(body.snapshot_hash).toBe(made.snapshot_hash);
    expect(sha256(canonicalJson(body.snapshot))).toBe(made.snapshot_hash);
    expect(body.methodology_version).toBe(body.snapshot.methodology_version);
    expect(body.snapshot.headline.measured_spend.amount.value).toBe(9000);
    expect(body.snapshot.spend_by_agent.map((line: { agent: string }) => line.agent)).toEqual([
      "writer",
      `<script>alert(1)</script>"'&`,
    ]);
    expect(body.snapshot.verdicts).toHaveLength(1);
    expect(body.snapshot.budgets).toMatchObject([{ unpriced_calls: { value: 1 } }]);
    expectEnvelopes("snapshot", body.snapshot);

    await org.addEvents({ agent_key: "writer", cost_microcents: microcents(1_000_000) });
    await org.client.call("agents.update", { id: org.agentId("writer"), name: "renamed" });
    await lab.db.deleteFrom("verdicts").where("org_id", "=", org.id).execute();
    lab.clock.advance(DAY_MS);
    expect(await read(made.share_token)).toEqual(first);
    const again = await org.client.call("reports.create", { title: "November", days: 30 });
    expect(again.snapshot_hash).not.toBe(made.snapshot_hash);
  });

  it("LOOP-003 LOOP-008 the tool shows the stored snapshot with a hash that still fits, changes nothing, and 404s", async () => {
    const made = await org.client.call("reports.create", { title: HOSTILE });
    const before = await storedRows(lab);
    const { structured, text } = await toolClient.call("svc_get_report_snapshot", {
      share_token: made.share_token.toUpperCase(),
    });
    expect(sha256(canonicalJson(structured.snapshot))).toBe(made.snapshot_hash);
    expect(structured.snapshot_hash).toBe(made.snapshot_hash);
    expect(text).toContain(made.snapshot_hash);
    expectEnvelopes("svc_get_report_snapshot", structured);
    const unknown = await toolClient.call("svc_get_report_snapshot", { share_token: "0".repeat(32) });
    expect([unknown.isError, unknown.facts.status]).toEqual([true, 404]);
    expect(await storedRows(lab)).toEqual(before);
  });

  it("LOOP-025 LOOP-032 a revoked, an expired and an unknown token are the same 404, in the API and as a page", async () => {
    const revoked = await org.client.call("reports.create", {});
    const expiring = await org.client.call("reports.create", { expires_in_days: 1 });
    expect((await org.client.call("reports.revoke", { id: revoked.id })).status).toBe("revoked");
    const at = (await org.client.call("reports.revoke", { id: revoked.id })).revoked_at;
    lab.clock.advance(DAY_MS);
    expect((await org.client.call("reports.revoke", { id: revoked.id })).revoked_at).toBe(at);
    const missing = await read("f".repeat(32));
    expect(missing).toEqual({ status: 404, text: '{"error":"There is no such report"}' });
    const page = await (await lab.send(`/r/${"f".repeat(32)}`)).text();
    for (const token of [revoked.share_token, expiring.share_token, "%00", "x"]) {
      if (token !== "%00") expect(await read(token)).toEqual(missing);
      const answer = await lab.send(`/r/${token}`);
      expect([token, answer.status, await answer.text()]).toEqual([token, 404, page]);
    }
    const { reports } = await org.client.call("reports.list", {});
    const status = new Map(reports.map(one => [one.id, one.status]));
    expect([status.get(revoked.id), status.get(expiring.id)]).toEqual(["revoked", "expired"]);
    expect(JSON.stringify(reports)).not.toContain(revoked.share_token);
  });

  it("stores the digest of a token, never the token, and keeps organizations and modes apart", async () => {
    const made = await org.client.call("reports.create", {});
    expect(JSON.stringify(await storedRows(lab))).not.toContain(made.share_token);
    const other = await lab.organization();
    for (const client of [other.client, org.testClient]) {
      expect((await client.call("reports.list", {})).reports).toEqual([]);
      expect((await refusal(client.call("reports.revoke", { id: made.id }))).status).toBe(404);
    }
    expect((await read(made.share_token)).status).toBe(200);
    const pages = await org.client.call("reports.list", { limit: 1 });
    const next = await org.client.call("reports.list", { cursor: pages.next_cursor ?? "" });
    expect(next.reports.map(({ id }) => id)).not.toContain(pages.reports[0]?.id ?? "");
  });

  it("LOOP-032 shows savings that are not known as a dash with the reason, not as nothing saved", async () => {
    const other = await lab.organization();
    const at = lab.clock.now();
    await other.addEvents({ agent_key: "writer", created_at: at - 3 * DAY_MS });
    const applied = (optimization_type: string, payload: object) => ({
      ...{ id: crypto.randomUUID(), org_id: other.id, mode: "live" as const, optimization_type },
      ...{ agent_id: other.agentId("writer"), agent_key: "writer", payload: JSON.stringify(payload) },
      ...{ source: "suggestion", applied_by: "somebody", applied_at: at - 2 * DAY_MS, undone_at: null },
    });
    await lab.db
      .insertInto("optimizations")
      .values([
        applied("model_switch", { model: "gpt-4o-mini" }),
        applied("token_guardrails", { max_output_tokens: 500 }),
      ])
      .execute();
    await other.addEvents({
      ...{ agent_key: "writer", model: "gpt-4o-mini", requested_model: "nobody-knows" },
      created_at: at - DAY_MS,
    });
    const savings = async () => {
      const { share_token } = await other.client.call("reports.create", {});
      return { token: share_token, lines: JSON.parse((await read(share_token)).text).snapshot.savings };
    };
    await eventually("the effects are followed", async () => (await savings()).lines.length === 2);
    const { token, lines } = await savings();
    expect(lines.map((line: { saved: { value: unknown } }) => line.saved.value)).toEqual([null, null]);
    const html = await (await lab.send(`/r/${token}`)).text();
    for (const reason of ["no known price", "not measured"]) {
      expect(html).toContain(`<td class="number">— (${reason})</td>`);
    }
  });

  it("LOOP-032 the page shows the stored report, escapes what users wrote, and loads nothing inline", async () => {
    const made = await org.client.call("reports.create", { title: HOSTILE });
    const answer = await lab.send(`/r/${made.share_token}`);
    const html = await answer.text();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(answer.headers.get("content-security-policy")).not.toContain("unsafe-inline");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(html).not.toMatch(/<script|<style|style=|\son\w+=/);
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;");
    expect(html).toContain(made.snapshot_hash);
    const style = await lab.send("/report/page.css");
    expect(style.headers.get("content-type")).toContain("text/css");
    expect(await style.text()).toContain("size: A4");
  });

  it("LOOP-032 is deleted 90 days after it expired or was revoked, and not before", async () => {
    const owner = await lab.organization();
    const make = async (days: number) =>
      (await owner.client.call("reports.create", { expires_in_days: days })).id;
    const [revoked, short, long] = [await make(300), await make(1), await make(2)];
    await owner.client.call("reports.revoke", { id: revoked });
    const { db } = lab;
    const prunedAt = async (days: number) => {
      await pruneReports(db, lab.clock.now() + days * DAY_MS + 1);
      const rows = await db
        .selectFrom("report_snapshots")
        .select("id")
        .where("org_id", "=", owner.id)
        .execute();
      return rows.map(({ id }) => id).toSorted();
    };
    expect(await prunedAt(89)).toEqual([revoked, short, long].toSorted());
    expect(await prunedAt(90)).toEqual([short, long].toSorted());
    expect(await prunedAt(91)).toEqual([long]);
    expect(await prunedAt(92)).toEqual([]);
  });
});

it("strangers who read reports are limited by their address", async () => {
  const lab = await startControlLab(undefined, undefined, { requestsPerMinute: 3 });
  try {
    const statuses: number[] = [];
    for (let call = 0; call < 5; call++) {
      const path = call % 2 === 0 ? "/api/reports" : "/r";
      statuses.push((await lab.send(`${path}/${"0".repeat(32)}`)).status);
    }
    expect(statuses).toEqual([404, 404, 404, 429, 429]);
  } finally {
    await lab.stop();
  }
});
