import { ArmSums, NEW_SESSION, type SessionSums } from "@tollgate/core/experiments/arm-sums";
import type { Evidence } from "@tollgate/core/experiments/assess";
import type { PrimaryMetric } from "@tollgate/core/experiments/experiment";
import { LatencyCounts } from "@tollgate/core/experiments/latency-counts";
import { type Arms, SequentialTest } from "@tollgate/core/experiments/sequential-test";
import { emptyArms } from "@tollgate/core/experiments/stored-arms";
import { TAU, Tally } from "@tollgate/core/experiments/tally";
import { fromRow, parseEnumValue } from "@tollgate/storage/database/from-row";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { sumOf } from "@tollgate/storage/read-model/sum-of";
import { sql } from "kysely";
import type { ExperimentRow } from "./experiment-row.ts";

/** Outcomes read per page. */
const OUTCOMES = 5000;

/** All evidence of an experiment. Its size depends on the distinct latencies, not on the calls. */
export async function readEvidence(db: ControlDb, experiment: ExperimentRow): Promise<Evidence> {
  const metric = metricOf(experiment);
  const stored = await db
    .selectFrom("experiment_tallies")
    .select("tally")
    .where("experiment_id", "=", experiment.id)
    .executeTakeFirst();
  const qualityTest = new SequentialTest(TAU.quality_score ** 2);
  return {
    tally: stored === undefined ? Tally.of(metric) : Tally.parse(stored.tally),
    latencies: await readLatencies(db, experiment.id),
    outcomes:
      metric === "quality_score"
        ? await followOutcomes(db, experiment, qualityTest)
        : await sumOutcomes(db, experiment),
    qualityTest,
  };
}

function metricOf(row: ExperimentRow): PrimaryMetric {
  return fromRow("experiments", row).primary_metric;
}

async function readLatencies(db: ControlDb, experimentId: string): Promise<Arms<LatencyCounts>> {
  const rows = await db
    .selectFrom("experiment_latencies")
    .select(["arm", "latency_ms", "calls"])
    .where("experiment_id", "=", experimentId)
    .execute();
  const of = (arm: string) =>
    new LatencyCounts(rows.flatMap(row => (row.arm === arm ? [[row.latency_ms, row.calls] as const] : [])));
  return { control: of("control"), treatment: of("treatment") };
}

/** Outcomes since the start, of sessions with calls in the experiment; only those that report success or failure. */
function outcomesOf(db: ControlDb, experiment: ExperimentRow) {
  const query = db
    .selectFrom("outcomes")
    // In this order on SQLite: there are fewer outcomes since the start than sessions in the experiment.
    .crossJoin("experiment_sessions")
    .whereRef("experiment_sessions.session_id", "=", "outcomes.session_id")
    .where("experiment_sessions.experiment_id", "=", experiment.id)
    .where("outcomes.org_id", "=", experiment.org_id)
    .where("outcomes.mode", "=", experiment.mode)
    .where("outcomes.success", "is not", null)
    .where("outcomes.created_at", ">=", experiment.created_at);
  return experiment.ended_at === null ? query : query.where("outcomes.created_at", "<=", experiment.ended_at);
}

async function sumOutcomes(db: ControlDb, experiment: ExperimentRow): Promise<Arms<ArmSums>> {
  const rows = await db
    .selectFrom(
      outcomesOf(db, experiment)
        .select([
          "experiment_sessions.arm",
          "outcomes.session_id",
          sql<number>`count(*)`.as("samples"),
          sumOf(sql`outcomes.success`).as("successes"),
        ])
        .groupBy(["experiment_sessions.arm", "outcomes.session_id"])
        .as("by_session"),
    )
    .select([
      "arm",
      sql<number>`count(*)`.as("sessions"),
      sumOf(sql`samples`).as("samples"),
      sumOf(sql`successes`).as("sum"),
      sumOf(sql`successes * successes`).as("squares"),
      sumOf(sql`successes * samples`).as("products"),
      sumOf(sql`samples * samples`).as("sizes"),
    ])
    .groupBy("arm")
    .execute();
  const of = (arm: string) => {
    const row = rows.find(found => found.arm === arm);
    if (row === undefined) return new ArmSums();
    const { samples, sessions, sum, squares, products, sizes } = row;
    return ArmSums.parse([samples, sessions, sum, squares, products, sizes].map(String));
  };
  return { control: of("control"), treatment: of("treatment") };
}

/** One by one in order of arrival, because the sequential test is evaluated after each. */
async function followOutcomes(
  db: ControlDb,
  experiment: ExperimentRow,
  test: SequentialTest,
): Promise<Arms<ArmSums>> {
  const sums = emptyArms();
  const sessions = new Map<string, SessionSums>();
  let last: { readonly created_at: number; readonly id: string } | null = null;
  for (;;) {
    let query = outcomesOf(db, experiment)
      .select([
        "experiment_sessions.arm",
        "outcomes.id",
        "outcomes.session_id",
        "outcomes.success",
        "outcomes.created_at",
      ])
      .orderBy("outcomes.created_at")
      .orderBy("outcomes.id")
      .limit(OUTCOMES);
    const after: { readonly created_at: number; readonly id: string } | null = last;
    if (after !== null) {
      query = query.where(({ or, and, eb }) =>
        or([
          eb("outcomes.created_at", ">", after.created_at),
          and([eb("outcomes.created_at", "=", after.created_at), eb("outcomes.id", ">", after.id)]),
        ]),
      );
    }
    const rows = await query.execute();
    for (const { arm: name, session_id, success } of rows) {
      if (session_id === null) continue;
      const arm = parseEnumValue("experiment_sessions", "arm", experiment.id, name);
      const key = `${arm} ${session_id}`;
      const before = sessions.get(key) ?? NEW_SESSION;
      const sample = success === 1 ? 1 : 0;
      sums[arm].add(sample, before);
      sessions.set(key, { samples: before.samples + 1, sum: before.sum + sample });
      test.look(sums);
    }
    if (rows.length < OUTCOMES) return sums;
    last = rows.at(-1) ?? null;
  }
}
