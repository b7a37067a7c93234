import { existsSync } from "node:fs";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import type { Check, Say } from "./finding.ts";
import { withControlOf } from "./with-control-of.ts";

const TOLERANCE_MS = 60_000;
const LOOK_AT = 100;

/** If the clock was set back, calls are booked into past budget periods, or before the budget's start. */
export const checkClock: Check = {
  name: "clock",
  async run(patient, sayAny) {
    const { files, nowMs: now } = patient;
    const at = (time: number) => new Date(time).toISOString();
    let isRight = true;
    // Whatever is said, also that the control database cannot be read, takes the place of the "ok".
    const say: Say = (level, message) => {
      isRight = false;
      sayAny(level, message);
    };
    if (existsSync(files.ledger)) {
      const newest = newestCallAt(files.ledger);
      if (newest !== null && newest > now + TOLERANCE_MS) {
        say("error", `it is ${at(now)}, and the newest call was made at ${at(newest)}`);
      }
    }
    await withControlOf(patient, say, async ({ db }) => {
      const early = await db
        .selectFrom("budgets")
        .select(({ fn }) => [fn.countAll<number>().as("budgets"), fn.max("since").as("latest")])
        .where("since", ">", now + TOLERANCE_MS)
        .executeTakeFirst();
      const budgets = Number(early?.budgets ?? 0);
      if (budgets === 0) return;
      say(
        "error",
        `it is ${at(now)}, and ${budgets} budgets start later, the last at ${at(Number(early?.latest))}`,
      );
    });
    if (isRight) say("ok", at(now));
  },
};

/** Gateway calls only: ingested events carry their sender's time. */
function newestCallAt(path: string): number | null {
  const ledger = new LedgerReader(path);
  try {
    const own = ledger.newest(LOOK_AT).filter(({ event }) => event.source === "gateway");
    return own.length === 0 ? null : Math.max(...own.map(({ event }) => event.created_at));
  } finally {
    ledger.close();
  }
}
