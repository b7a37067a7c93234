import { afterAll } from "bun:test";
import { AlertWatch } from "@tollgate/control/features/alerts/watch-alerts";
import type { AlertType } from "@tollgate/core/alerts/alert-types";
import { type AlertPreferences, defaultAlertPreferences } from "@tollgate/core/alerts/preferences";
import type { ThresholdAction, ThresholdMetric } from "@tollgate/core/alerts/threshold";
import type { Event, Mode } from "@tollgate/core/event";
import { microcents } from "@tollgate/core/money/money";
import type { Engine } from "@tollgate/storage/database/open-control-database";
import type { NewAgent } from "@tollgate/storage/ledger/registered-agents";
import type { ReadModel } from "@tollgate/storage/read-model/read-model";
import { organizationRow } from "../rows/organization-row.ts";
import { sampleSettlement } from "../rows/sample-event.ts";
import { fakeClock } from "../waiting/fake-clock.ts";
import { readModelLab } from "./read-model-lab.ts";

export const NOON = "2026-11-15T12:00:00.000Z";
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const costing = (amount: number) => ({ cost_microcents: microcents(amount) });
export const failed = { status: "error" } as const;

/** Ledgers with their read models and alert watchers, advanced step by step on the test's clock. */
export function alertLab() {
  const open = readModelLab();
  const stopping = new AbortController();
  afterAll(() => stopping.abort());

  return async (engine: Engine) => {
    const { database, ledger, reader, follower, model } = await open(engine);
    const { db } = database;
    const clock = fakeClock(NOON);
    const agents = new Map<string, NewAgent>();
    const control = {
      db,
      engine,
      readModel: model,
      now: clock.now,
      newId: () => Bun.randomUUIDv7(),
      wakeSender: () => {},
    };
    const orgId = crypto.randomUUID();
    await db
      .insertInto("organizations")
      .values(organizationRow({ id: orgId, created_at: clock.now() }))
      .execute();

    const logged: string[] = [];
    const log = (_level: string, message: string) => logged.push(message);
    const newWatch = (change: Partial<ReadModel> = {}) =>
      AlertWatch.open({
        control: { ...control, readModel: { ...model, ...change } },
        database,
        ledger: reader,
        readModel: follower,
        log,
      });

    /** As if the gateway had settled them and the read model followed. By default now, live and successful. */
    async function add(...changes: Partial<Event>[]): Promise<void> {
      const registered: NewAgent[] = [];
      const settlements = changes.map(change => {
        const event = { org_id: orgId, created_at: clock.now(), ...costing(0), ...change };
        const agent_key = event.agent_key ?? "default";
        const mode = event.mode ?? "live";
        if (!agents.has(`${mode} ${agent_key}`)) {
          const id = crypto.randomUUID();
          // As in the gateway: an imported call may be older than the agent.
          const isImported = (event.source ?? "gateway") !== "gateway";
          const first_seen_at = isImported ? clock.now() : event.created_at;
          const agent = { id, org_id: orgId, mode, agent_key, first_seen_at };
          agents.set(`${mode} ${agent_key}`, agent);
          registered.push(agent);
        }
        return sampleSettlement(crypto.randomUUID(), event);
      });
      await ledger.append(settlements, registered);
      await follower.catchUp();
    }

    return {
      clock,
      db,
      orgId,
      logged,
      add,
      newWatch,
      agentId: (agentKey: string, mode: Mode = "live") => agents.get(`${mode} ${agentKey}`)?.id ?? "",
      /** Oldest first; optionally of one type: a jump in cost is also one in usage. */
      async alerts({ type, mode = "live" }: { type?: AlertType; mode?: Mode } = {}) {
        const rows = await db
          .selectFrom("alerts")
          .selectAll()
          .where("mode", "=", mode)
          .$if(type !== undefined, query => query.where("type", "=", type ?? ""))
          .orderBy("triggered_at")
          .orderBy("id")
          .execute();
        return rows.map(row => ({ ...row, metadata: JSON.parse(row.metadata) as Record<string, unknown> }));
      },
      async prefer(change: (known: AlertPreferences) => Partial<AlertPreferences>): Promise<void> {
        const preferences = JSON.stringify({
          ...defaultAlertPreferences,
          ...change(defaultAlertPreferences),
        });
        await db
          .insertInto("alert_preferences")
          .values({ org_id: orgId, preferences, updated_at: clock.now() })
          .onConflict(conflict => conflict.column("org_id").doUpdateSet({ preferences }))
          .execute();
      },
      async setThreshold(
        metric: ThresholdMetric,
        value: number,
        action: ThresholdAction = "email",
        agentKey: string | null = null,
      ): Promise<string> {
        const id = crypto.randomUUID();
        await db
          .insertInto("alert_thresholds")
          .values({
            id,
            org_id: orgId,
            mode: "live",
            agent_id: agentKey === null ? null : (agents.get(`live ${agentKey}`)?.id ?? null),
            agent_key: agentKey,
            metric,
            threshold_value: value,
            action,
            created_at: clock.now(),
            updated_at: clock.now(),
          })
          .execute();
        return id;
      },
      pausedAgents: async () =>
        (
          await db
            .selectFrom("agent_settings")
            .select("agent_key")
            .where("paused_at", "is not", null)
            .orderBy("agent_key")
            .execute()
        ).map(row => row.agent_key),
    };
  };
}

/** Evaluates everything once. */
export async function look(watch: AlertWatch): Promise<void> {
  await watch.catchUp();
  await watch.tick();
}

export function times<Value>(count: number, value: Value): Value[] {
  return new Array<Value>(count).fill(value);
}
