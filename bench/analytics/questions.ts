import { DAY_MS } from "@tollgate/core/time/durations";
import type { Position } from "@tollgate/storage/read-model/page";
import type { EventFilter } from "@tollgate/storage/read-model/queries/event-queries";
import type { ReadModel } from "@tollgate/storage/read-model/read-model";
import type { Window } from "@tollgate/storage/read-model/window";
import { agentKeys, ORGANIZATION } from "../data/sample-traffic.ts";

/** One query, on the read model and as plain SQL on the raw events. */
export interface Question {
  readonly name: string;
  ask(turn: number): Promise<unknown>;
  /** On the ledger's table `events`; null if no simple statement answers it. */
  readonly rawSql: string | null;
}

const PAGE = 50;

/** `models`: the names of the models that were called, most used first. */
export async function questions(
  model: ReadModel,
  end: number,
  models: readonly string[],
): Promise<Question[]> {
  const modelAt = (turn: number) => models[turn % models.length] ?? "";
  const scope = { orgId: ORGANIZATION, mode: "live" } as const;
  const { rows: agents } = await model.agentPage(scope, end, {}, 500);
  const agentAt = (turn: number) => agents[turn % agents.length]?.id ?? "";
  // Never the same window twice: `to` moves, as it does for users who refresh.
  const back = (days: number, turn: number): Window => ({
    from: end - turn * 61_234 - days * DAY_MS,
    to: end - turn * 61_234,
  });
  const ours = `org_id = '${ORGANIZATION}' AND mode = 'live'`;
  const within = (days: number) => `${ours} AND created_at >= ${end - days * DAY_MS} AND created_at < ${end}`;
  const sums = "count(*), sum(status IN ('error', 'timeout', 'interrupted')), sum(cost_microcents)";
  const found: Question[] = [];
  const add = (name: string, ask: Question["ask"], rawSql: string | null) =>
    found.push({ name, ask, rawSql });

  for (const days of [7, 30, 90]) {
    add(
      `usage, ${days} days`,
      turn => model.usage(scope, back(days, turn)),
      `SELECT model, created_at / ${DAY_MS} AS day, ${sums}, sum(latency_ms) FROM events WHERE ${within(days)} GROUP BY 1, 2`,
    );
  }
  add(
    "usage of an agent, 90 days",
    turn => model.usage(scope, back(90, turn), agentAt(turn)),
    `SELECT model, created_at / ${DAY_MS} AS day, ${sums} FROM events WHERE ${within(90)} AND agent_key = '${agentKeys[5]}' GROUP BY 1, 2`,
  );
  for (const days of [7, 90]) {
    add(
      `usage by agent, ${days} days`,
      turn => model.usageByAgent(scope, back(days, turn)),
      `SELECT agent_key, ${sums} FROM events WHERE ${within(days)} GROUP BY 1`,
    );
  }
  for (const [groupBy, interval, days] of [
    ["agent", "hour", 7],
    ["model", "day", 30],
    ["customer", "hour", 1],
    ["customer", "day", 30],
    ["config_version", "day", 90],
  ] as const) {
    add(
      `by ${groupBy} and ${interval}, ${days} days and those before`,
      turn => {
        const window = back(days, turn);
        const previous = { from: 2 * window.from - window.to, to: window.from };
        return model.breakdown(scope, {
          groupBy,
          interval,
          window,
          previous,
          filter: {},
          nowMs: end,
          limit: 10,
          offset: 0,
        });
      },
      null,
    );
  }
  add(
    "kinds of cost by day, 90 days",
    turn => model.costKinds(scope, { interval: "day", window: back(90, turn), filter: {}, nowMs: end }),
    null,
  );
  add(
    "agents, with their last hour",
    turn => model.agentPage(scope, end - turn * 61_234, {}, 500),
    `SELECT agent_key, max(created_at), sum(created_at > ${end - 3_600_000}) FROM events WHERE ${ours} GROUP BY 1`,
  );
  add("one agent", turn => model.agent(scope, agentAt(turn), end), null);

  const sessions = (await model.sessions(scope, back(90, 0), 200)).rows;
  const filters: [string, (turn: number) => EventFilter, string][] = [
    ["events", () => ({}), ""],
    ["events of an agent", turn => ({ agentKey: agentKeys[turn % 200] ?? "" }), "AND agent_key = 'agent-5'"],
    ["events of a model", turn => ({ model: modelAt(turn) }), `AND model = '${modelAt(5)}'`],
    ["failed events", () => ({ status: "error" }), "AND status = 'error'"],
    ["successful events", () => ({ status: "success" }), "AND status = 'success'"],
    [
      "events of a session",
      turn => ({ sessionId: sessions[turn % sessions.length]?.key ?? "" }),
      "AND session_id = 'session-5'",
    ],
    [
      "events of a customer",
      turn => ({ customerId: `customer-${turn * 17}` }),
      "AND customer_id = 'customer-5'",
    ],
    [
      "events of a config version",
      turn => ({ configVersion: `agent-${(turn % 100) * 2}-v1` }),
      "AND config_version = 'agent-4-v1'",
    ],
    [
      "events of an agent and a model",
      turn => ({ agentKey: agentKeys[turn % 200] ?? "", model: modelAt(turn * 7) }),
      `AND agent_key = 'agent-5' AND model = '${modelAt(29)}'`,
    ],
    [
      "failed events of an agent and a model",
      turn => ({ agentKey: agentKeys[turn % 200] ?? "", model: modelAt(3), status: "timeout" }),
      `AND agent_key = 'agent-5' AND model = '${modelAt(3)}' AND status = 'timeout'`,
    ],
  ];
  for (const [name, filter, condition] of filters) {
    const raw = (before: number) =>
      `SELECT * FROM events WHERE ${ours} AND created_at < ${before} ${condition} ORDER BY created_at DESC, seq DESC LIMIT ${PAGE}`;
    add(name, turn => model.events(scope, filter(turn), PAGE), raw(end));
    const deep = (turn: number): Position => ({ at: end - 60 * DAY_MS - turn * 1_000_003, seq: 1 });
    add(
      `${name}, 60 days back`,
      turn => model.events(scope, filter(turn), PAGE, deep(turn)),
      raw(end - 60 * DAY_MS),
    );
  }
  const someEvents = (await model.events(scope, {}, 200)).rows;
  add("one event", turn => model.event(scope, someEvents[turn % someEvents.length]?.event.id ?? ""), null);

  const subjects = (column: string) =>
    `SELECT ${column}, ${sums}, min(created_at), max(created_at) FROM events WHERE ${within(30)} AND ${column} IS NOT NULL GROUP BY 1 ORDER BY max(created_at) DESC LIMIT ${PAGE}`;
  const deep = (turn: number): Position => ({ at: end - 20 * DAY_MS - turn * 1_000_003, seq: 1 });
  add("sessions, 30 days", turn => model.sessions(scope, back(30, turn), PAGE), subjects("session_id"));
  add("sessions, 20 days back", turn => model.sessions(scope, back(30, turn), PAGE, deep(turn)), null);
  add("customers, 30 days", turn => model.customers(scope, back(30, turn), PAGE), subjects("customer_id"));
  add(
    "config versions, 30 days",
    turn => model.configVersions(scope, back(30, turn), PAGE),
    subjects("config_version"),
  );
  add(
    "a customer's days, 90 days",
    turn => model.customerDays(scope, `customer-${turn * 17}`, back(90, turn)),
    `SELECT created_at / ${DAY_MS}, ${sums} FROM events WHERE ${within(90)} AND customer_id = 'customer-5' GROUP BY 1`,
  );
  return found;
}
