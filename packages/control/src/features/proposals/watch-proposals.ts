import { describeFault, type Log } from "@tollgate/core/log";
import { HOUR_MS } from "@tollgate/core/time/durations";
import { fromRow } from "@tollgate/storage/database/from-row";
import { repeatOnChange } from "@tollgate/storage/following/repeat-on-change";
import { Pause } from "@tollgate/storage/following/repeat-until";
import { scopeName, toScope } from "@tollgate/storage/ledger/scope";
import type { Control, ScopedControl } from "../../kernel/context.ts";
import { makeProposals } from "./make-proposals.ts";

const EVERY_MS = HOUR_MS;
const POLL_MS = 250;
/** At startup, a partially read history must not be used. */
const CAUGHT_UP_EVENTS = 1000;

/** Makes proposals every hour, and for an organization after each of its verdicts, until the signal. */
export async function watchProposals(control: Control, log: Log, signal: AbortSignal): Promise<void> {
  let lastRunAt: number | null = null;
  let verdictsSeen = new Map<string, number>();
  const run = async (isChanged: boolean) => {
    if (control.continuity.isDegraded) return new Pause(POLL_MS);
    const now = control.now();
    if (lastRunAt === null && (await control.readModel.lag()) >= CAUGHT_UP_EVENTS) return;
    const isHourOver = lastRunAt === null || Math.abs(now - lastRunAt) >= EVERY_MS;
    if (!isChanged && !isHourOver) return;
    const verdicts = await countVerdicts(control);
    const isDue = (name: string) => isHourOver || verdicts.get(name) !== verdictsSeen.get(name);
    if (!isHourOver && [...verdicts.keys()].every(name => !isDue(name))) return;
    for (const context of await contexts(control)) {
      if (signal.aborted) return;
      if (!isDue(scopeName(context.scope))) continue;
      try {
        await makeProposals(context);
      } catch (fault) {
        // One organization's fault must not affect the others.
        log("error", "could not make an organization's proposals; retrying", describeFault(fault));
      }
      await Bun.sleep(0);
    }
    verdictsSeen = verdicts;
    if (isHourOver) lastRunAt = now;
  };
  await repeatOnChange(control, signal, POLL_MS, run, fault =>
    log("error", "could not make proposals; retrying", describeFault(fault)),
  );
}

async function countVerdicts({ db }: Control): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("verdicts")
    .select(({ fn }) => ["org_id", "mode", fn.countAll<number>().as("verdicts")])
    .groupBy(["org_id", "mode"])
    .execute();
  return new Map(rows.map(row => [scopeName(toScope(row)), Number(row.verdicts)]));
}

async function contexts(control: Control): Promise<ScopedControl[]> {
  const rows = await control.db
    .selectFrom("scopes")
    .innerJoin("organizations", "organizations.id", "scopes.org_id")
    .select(["organizations.id", "organizations.name", "organizations.tier", "scopes.mode"])
    .where("organizations.status", "=", "active")
    .execute();
  return rows.map(row => ({
    ...control,
    organization: { id: row.id, name: row.name, tier: fromRow("organizations", row).tier },
    scope: toScope({ org_id: row.id, mode: row.mode }),
  }));
}
