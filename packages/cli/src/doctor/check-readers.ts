import { existsSync } from "node:fs";
import { ledgerRepairs } from "@tollgate/control/startup/ledger-repairs";
import type { ControlReader } from "@tollgate/storage/database/open-control-reader";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { PROFILE_CURSOR } from "@tollgate/storage/profile/profile-repair";
import { EVENTS_CURSOR } from "@tollgate/storage/read-model/deriving/read-model-repair";
import { CopyDiverged } from "@tollgate/storage/shared-ledger/ledger-copy";
import { shippingReader } from "@tollgate/storage/shared-ledger/ship-ledger";
import { readNodeId } from "../data-directory/load-or-create-node-id.ts";
import type { Check, Patient } from "./finding.ts";
import { withControlOf } from "./with-control-of.ts";

/** A follower normally lags by milliseconds. */
const LATE_MS = 60_000;

/** Checks that every follower of this ledger is at an event that the ledger has, and close to its end. */
export const checkReaders: Check = {
  name: "readers",
  async run(patient, say) {
    await withControlOf(patient, say, async control => {
      const { role } = patient.config;
      const positions = await readPositions(control, readersOf(patient));
      if (!existsSync(patient.files.ledger)) {
        const read = Math.max(0, ...positions.map(({ position }) => position));
        if (role === "control") say("ok", "the next start copies the ledger from PostgreSQL");
        else if (read > 0)
          say("error", `ledger.db is missing, and ${read} events were read from it: restore a backup`);
        return;
      }
      // Read after the cursors: the ledger only grows.
      const ledger = new LedgerReader(patient.files.ledger);
      try {
        const newest = ledger.newestSeq();
        const copy = role === "control" ? await examineCopy(control, ledger) : null;
        if (copy?.isDiverged) {
          return say("error", new CopyDiverged(ledger.newestPosition()).message);
        }
        // Another control plane may have read what this copy does not have yet.
        const comparable = positions.filter(({ position }) => copy === null || position <= newest);
        const lost = comparable.filter(
          ({ position, event_id }) => !ledger.has({ seq: position, eventId: event_id }),
        );
        for (const { reader, position } of lost) {
          const reason =
            position > newest ? `the ledger ends at ${newest}` : "the ledger has another event there";
          say(
            "error",
            `${reader} is at event ${position}, and ${reason}: ${role === "gateway" ? "the sidecar ships the ledger again" : "the next start rebuilds what it derived"}`,
          );
        }
        const late = positions
          .filter(stored => isLate(stored, ledger, patient.nowMs))
          .map(({ reader, position }) => `${reader} is ${newest - position} events behind`);
        if (copy !== null && copy.lacksSinceMs < patient.nowMs - LATE_MS) {
          late.push(`the copy of the shared ledger is ${copy.lacking} events behind`);
        }
        for (const message of late) {
          if (patient.running) say("warning", message);
          else say("ok", `${message}: it catches up when Tollgate is running`);
        }
        if (lost.length === 0 && late.length === 0) say("ok", `up to event ${newest}, the newest`);
      } finally {
        ledger.close();
      }
    });
  },
};

/** A control plane of several reads a copy of the shared ledger, and its readers' positions are those of all control planes. */
async function examineCopy({ db }: ControlReader, ledger: LedgerReader) {
  const last = ledger.newestPosition();
  const rows = await db
    .selectFrom("shared_events")
    .select(["position", "id", "created_at"])
    .where("position", ">=", last.seq)
    .orderBy("position")
    .limit(2)
    .execute();
  const { position: end, begins_position: begins } = await db
    .selectFrom("shared_ledger_end")
    .select(["position", "begins_position"])
    .executeTakeFirstOrThrow();
  // A copy that ends before the shared ledger begins is made again.
  const isComparable = last.eventId !== null && begins <= last.seq;
  const next = rows.find(({ position }) => position > last.seq);
  return {
    isDiverged: isComparable && rows[0]?.id !== last.eventId,
    lacking: Math.max(0, end - last.seq),
    /** When the first call was made that the copy does not have. */
    lacksSinceMs: next?.created_at ?? Number.POSITIVE_INFINITY,
  };
}

interface ReaderPosition {
  readonly reader: string;
  readonly position: number;
  readonly event_id: string | null;
}

/** On several machines, a gateway's own ledger is read by its sidecar alone, and control planes read their copies. */
function readersOf({ config }: Patient): readonly string[] {
  if (config.role !== "gateway") return ledgerRepairs.map(({ reader }) => reader);
  const nodeId = readNodeId(config);
  return nodeId === null ? [] : [shippingReader(nodeId)];
}

async function readPositions({ db }: ControlReader, readers: readonly string[]): Promise<ReaderPosition[]> {
  if (readers.length === 0) return [];
  return await db
    .selectFrom("cursors")
    .select(["reader", "position", "event_id"])
    .where("reader", "in", readers)
    .orderBy("reader")
    .execute();
}

/** Only these store their cursor regularly; the others do so rarely while no event concerns them. */
function isLate({ reader, position }: ReaderPosition, ledger: LedgerReader, now: number): boolean {
  const storesRegularly =
    reader === EVENTS_CURSOR || reader === PROFILE_CURSOR || reader.startsWith(shippingReader(""));
  if (!storesRegularly) return false;
  const [next] = ledger.after(position, 1);
  return next !== undefined && next.event.created_at + next.event.latency_ms < now - LATE_MS;
}
