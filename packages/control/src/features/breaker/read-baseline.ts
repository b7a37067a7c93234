import { BASELINE_MS, SwitchWatch, WATCH_MS, type WatchedCall } from "@tollgate/core/breaker/switch-watch";
import { ArmSums } from "@tollgate/core/experiments/arm-sums";
import { askedModel } from "@tollgate/core/suggestions/switched-saving";
import { listOfTexts } from "@tollgate/storage/database/list-of";
import type { Engine } from "@tollgate/storage/database/open-control-database";
import type { ControlDb, StoredRow } from "@tollgate/storage/database/schema";
import type { GatewayCallEvent } from "@tollgate/storage/ledger/event-parts";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { isError } from "@tollgate/storage/ledger/status-codes";
import { factsWith } from "@tollgate/storage/read-model/fact-lists";
import { sql } from "kysely";
import { switchedModel } from "../actuations/switched-model.ts";
import { sumFailedOutcomes } from "./sum-failed-outcomes.ts";

/** Maximum number of calls read from the ledger; for a busier agent every n-th, spread over the whole week. */
const MAX_CALLS = 20_000;

type Switch = Pick<
  StoredRow<"optimizations">,
  "org_id" | "mode" | "agent_id" | "agent_key" | "payload" | "applied_at"
>;

/** An agent's calls in the week before a switch, restricted to those that the switch would have changed. */
export async function readBaseline(
  db: ControlDb,
  engine: Engine,
  ledger: LedgerReader,
  switched: Switch,
): Promise<SwitchWatch> {
  const agent = await db
    .selectFrom("agents")
    .innerJoin("scopes", "scopes.id", "agents.scope")
    .select(["agents.id", "agents.scope"])
    .where("scopes.org_id", "=", switched.org_id)
    .where("scopes.mode", "=", switched.mode)
    .where("agents.agent_id", "=", switched.agent_id)
    .executeTakeFirst();
  if (agent === undefined) return SwitchWatch.of([], new ArmSums());
  const model = switchedModel(switched.payload);
  const events = ledger
    .gatewayCallsBySeqs(await readSeqs(db, engine, agent, switched.applied_at))
    .filter(event => event.arm !== "treatment" && event.model !== model && askedModel(event) !== model);
  const sessions = [...new Set(events.flatMap(({ session_id }) => session_id ?? []))];
  const failed = await sumFailedOutcomes(
    db,
    sql`
      SELECT outcomes.session_id, count(*) AS samples, sum(1 - outcomes.success) AS failed
      FROM outcomes JOIN sessions
        ON sessions.session_id = outcomes.session_id AND sessions.scope = ${agent.scope}
      WHERE outcomes.org_id = ${switched.org_id} AND outcomes.mode = ${switched.mode}
        AND outcomes.session_id IN ${listOfTexts(engine, sessions)}
        AND outcomes.success IS NOT NULL
        AND outcomes.created_at < ${switched.applied_at}
        -- Later ones cannot be seen of sessions after the switch either.
        AND outcomes.created_at < sessions.first_at + ${WATCH_MS}
      GROUP BY outcomes.session_id`,
  );
  return SwitchWatch.of(events.map(toWatchedCall), failed);
}

export function toWatchedCall({ session_id, latency_ms, status }: GatewayCallEvent): WatchedCall {
  return { sessionId: session_id, latencyMs: latency_ms, isError: isError(status) };
}

async function readSeqs(
  db: ControlDb,
  engine: Engine,
  agent: { readonly id: number; readonly scope: number },
  switchedAt: number,
): Promise<number[]> {
  const week = { from: switchedAt - BASELINE_MS, to: switchedAt };
  const facts = db
    .selectFrom(factsWith(engine, agent.scope, "agent", sql`= ${agent.id}`, week).as("facts"))
    .where("created_at", ">=", week.from)
    .where("created_at", "<", week.to);
  const { calls } = await facts
    .select(({ fn }) => fn.countAll<number>().as("calls"))
    .executeTakeFirstOrThrow();
  const every = Math.ceil(Number(calls) / MAX_CALLS);
  const some = every <= 1 ? facts : facts.where(sql<boolean>`seq % ${sql.lit(every)} = 0`);
  return (await some.select("seq").execute()).map(({ seq }) => seq);
}
