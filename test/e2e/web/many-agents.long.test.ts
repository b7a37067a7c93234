import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { ProtectedOperationId } from "@tollgate/control/kernel/handler";
import type { AnyOperation } from "@tollgate/core/contract/operation";
import { operations } from "@tollgate/core/contract/operations";
import type { Event } from "@tollgate/core/event";
import { surfaces } from "@tollgate/tools/surfaces";
import { argumentsOf } from "../../../bench/tools/tool-arguments.ts";
import { type SampleIds, sampleRequests } from "../../support/clients/sample-requests.ts";
import { toRequest } from "../../support/clients/to-request.ts";
import { next, watch } from "../../support/clients/watch.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { fillOrganization } from "../../support/labs/fill-organization.ts";
import { sampleSettlement } from "../../support/rows/sample-event.ts";
import { eventually } from "../../support/waiting/eventually.ts";

/** A line of 90 bytes for each would exceed a megabyte. */
const AGENTS = 12_000;
const MODELS = 1000;
const BATCH = 1000;
const MAX_BYTES = 1_000_000;

let lab: ControlLab;
let organization: Awaited<ReturnType<typeof fillOrganization>>;
let ids: SampleIds;
let sums: { readonly calls: number; readonly cost: number };

beforeAll(async () => {
  lab = await startControlLab();
  organization = await fillOrganization(lab);
  ({ ids } = organization);
  // None of these calls is sent to any receiver.
  await organization.client.call("webhooks.update", { id: ids.webhook, events: ["budget.exceeded"] });
  const before = await organization.client.call("analytics.get", { days: 30 });
  let { total_calls: calls, total_cost_microcents: cost } = before.summary;
  for (let made = 0; made < AGENTS; made += BATCH) {
    const events = Array.from({ length: BATCH }, (_, index) => eventOf(ids.org, made + index));
    await lab.ledger.append(
      events,
      events.map(({ event }) => ({
        id: crypto.randomUUID(),
        org_id: ids.org,
        mode: "live",
        agent_key: event.agent_key,
        first_seen_at: event.created_at,
      })),
    );
    calls += events.length;
    cost += events.reduce((sum, { event }) => sum + event.cost_microcents, 0);
  }
  sums = { calls, cost };
  await eventually("everything is derived", async () => {
    const { summary } = await organization.client.call("analytics.get", {});
    return summary.total_calls === calls;
  });
}, 600_000);
afterAll(() => lab.stop());

/** One call of a separate agent; the last agents cost most. */
function eventOf(orgId: string, number: number) {
  const change: Partial<Event> = {
    org_id: orgId,
    agent_key: `agent-${String(number).padStart(5, "0")}`,
    model: `model-${number % MODELS}`,
    session_id: `session-${number}`,
    customer_id: `customer-${number}`,
    config_version: `version-${number}`,
    created_at: lab.clock.now() - 3_600_000,
    usage: { input: 1000 + number, output: 100 },
  };
  return sampleSettlement(crypto.randomUUID(), change);
}

const send = (operation: AnyOperation, input: Readonly<Record<string, unknown>>) =>
  lab.send(toRequest(operation, input).path, { key: organization.liveKey });

/** The largest possible request: the whole fleet, the longest page. */
async function largest(operation: AnyOperation, input: Readonly<Record<string, unknown>>) {
  const { agent_id: _, ...ofFleet } = input;
  const isPaged = operation.query !== undefined && "limit" in operation.query.shape;
  for (const limit of isPaged ? [500, 200] : []) {
    const answer = await send(operation, { ...ofFleet, limit });
    if (answer.status !== 400) return answer;
  }
  return await send(operation, ofFleet);
}

/** Only people read these; they are short. */
const forPeople: readonly string[] = ["account.sessions.list", "demo.get"];

describe(`an organization with ${AGENTS} agents`, () => {
  const readable = Object.values<AnyOperation>(operations).filter(
    ({ id, method, scope, produces }) =>
      method === "GET" && scope !== null && produces === undefined && !forPeople.includes(id),
  );

  it("SEC-011 gets answers below a megabyte from every operation", async () => {
    const requests = sampleRequests(ids);
    const sizes: Record<string, number> = {};
    for (const operation of readable) {
      const answer = await largest(operation, requests[operation.id as ProtectedOperationId]);
      expect({ id: operation.id, status: answer.status }).toEqual({ id: operation.id, status: 200 });
      sizes[operation.id] = (await answer.arrayBuffer()).byteLength;
    }
    expect(Object.entries(sizes).filter(([, bytes]) => bytes > MAX_BYTES)).toEqual([]);
  }, 600_000);

  it("SEC-011 gets answers below a megabyte from every read tool", async () => {
    for (const tool of surfaces.hosted.filter(({ annotations }) => annotations.readOnlyHint)) {
      const args = argumentsOf(tool)?.(0, { agentIds: [ids.agent] });
      const answer = await lab.send("/mcp", {
        key: organization.liveKey,
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: tool.name, arguments: args ?? {} },
        }),
      });
      expect(answer.status).toBe(200);
      expect((await answer.arrayBuffer()).byteLength).toBeLessThan(MAX_BYTES);
    }
  }, 600_000);

  it("SEC-011 gets totals over all agents, even if only some are listed", async () => {
    const { client } = organization;
    const { summary, by_model } = await client.call("analytics.get", {});
    const total = { calls: summary.total_calls, cost: summary.total_cost_microcents };
    expect(total).toEqual(sums);
    expect(by_model).toHaveLength(200);
    expect(by_model.reduce((sum, line) => sum + line.call_count, 0)).toBe(sums.calls);
    expect(by_model.reduce((sum, line) => sum + line.cost_microcents, 0)).toBe(sums.cost);

    const board = await client.call("dashboard.get", {});
    expect({ calls: board.cost.total_calls, cost: board.cost.total_cost_microcents }).toEqual(sums);
    expect(board.agents.total).toBe(AGENTS + 1);
    const { active, idle, error, archived } = board.agents;
    expect(active + idle + error + archived).toBe(AGENTS + 1);
    expect(board.agents_list).toHaveLength(200);
    expect(board.agents_list[0]?.agent_key).toBe(`agent-${AGENTS - 1}`);

    const first = await client.call("roi_audit.get", { limit: 500 });
    expect(first.fleet_summary).toMatchObject({
      total_agents: AGENTS + 1,
      total_calls: sums.calls,
      total_cost_microcents: sums.cost,
    });
    const more = await client.call("roi_audit.get", { limit: 1_000_000 });
    expect(more.agents).toEqual(first.agents);
    const second = await client.call("roi_audit.get", { limit: 500, offset: 500 });
    const costs = [...first.agents, ...second.agents].map(({ cost_microcents }) => cost_microcents);
    expect(costs).toEqual(costs.toSorted((a, b) => b - a));
    expect(new Set([...first.agents, ...second.agents].map(({ agent_id }) => agent_id)).size).toBe(1000);

    const scan = await client.call("cost_leak_scan.run", { include_low_severity: true });
    expect(scan.total_agents_scanned + scan.agents_left_out).toBe(AGENTS + 1);
    const suggestions = await client.call("suggestions.list", {});
    expect(suggestions.agents_examined + suggestions.agents_left_out).toBe(AGENTS + 1);
  }, 600_000);

  it("SEC-011 pages through all agents, each once", async () => {
    const seen = new Set<string>();
    let cursor: string | null = null;
    let pages = 0;
    do {
      const page: { agents: readonly { id: string }[]; total: number; next_cursor: string | null } =
        // Above the maximum page of 500.
        await organization.client.call("agents.list", {
          limit: 1_000_000,
          ...(cursor === null ? {} : { cursor }),
        });
      for (const { id } of page.agents) seen.add(id);
      expect(page.total).toBe(AGENTS + 1);
      cursor = page.next_cursor;
      pages++;
    } while (cursor !== null);
    expect(seen.size).toBe(AGENTS + 1);
    expect(pages).toBe(Math.ceil((AGENTS + 1) / 500));
  }, 600_000);

  it("SEC-011 gets the most recently active agents on the live channel, and each new call's", async () => {
    const watching = await watch(lab.url, { key: organization.liveKey });
    const first = await next(watching, "agents", () => watching.subscribe(["agents", "topology"]));
    expect(first.data.agents).toHaveLength(500);
    await eventually("the topology is told", () => watching.of("topology").length > 0);
    expect(watching.of("topology")[0]?.data.nodes).toHaveLength(500);
    const newcomer = sampleSettlement(crypto.randomUUID(), {
      org_id: ids.org,
      agent_key: "newcomer",
      created_at: lab.clock.now(),
    });
    await lab.ledger.append(
      [newcomer],
      [
        {
          id: crypto.randomUUID(),
          org_id: ids.org,
          mode: "live",
          agent_key: "newcomer",
          first_seen_at: lab.clock.now(),
        },
      ],
    );
    await eventually("the new agent is told", () =>
      watching.of("agents").some(({ data }) => data.agents.some(agent => agent.agent_key === "newcomer")),
    );
    expect(watching.of("agents").every(({ data }) => data.agents.length <= 500)).toBe(true);
    await watching.close();
  }, 600_000);
});
