import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { ControlDatabase } from "../database/open-control-database.ts";
import { repeatUntil } from "../following/repeat-until.ts";
import { readPosition } from "../following/stored-position.ts";
import type { LedgerBeginning } from "../ledger/event-removal.ts";
import type { LedgerPosition } from "../ledger/ledger-position.ts";
import { earlierClock } from "./postgres-clock.ts";
import { shippingReader } from "./ship-ledger.ts";

const EVERY_MS = 1000;

/** What a sidecar has last done for the gateway beside it. */
export interface SidecarStatus {
  /** When PostgreSQL last answered. */
  readonly databaseAtMs: number;
  /** When the local configuration was last equal to PostgreSQL's. */
  readonly configurationAtMs: number;
  /** The last event of this node that PostgreSQL has. */
  readonly shippedSeq: number;
  /** All events written before this time are shipped. */
  readonly completeAtMs: number;
  /** The first event of this node's ledger that has to be kept; null: all. Absent: written by an older version. */
  readonly keptFrom?: LedgerBeginning | null;
}

/** What the status is made of, apart from the database. */
interface Sources {
  readonly newestSeq: () => number;
  readonly configurationAtMs: () => number | null;
  readonly keptFrom: (shipped: LedgerPosition | null, nowMs: number) => LedgerBeginning | null;
}

/** Publishes the status in a file: it has to outlast the sidecar, so that a dead sidecar shows as a status that ages. */
export class SidecarStatusWriter {
  /** The end of the ledger at `atMs`; shipping is complete up to then once `seq` is shipped. */
  #mark: { readonly seq: number; readonly atMs: number } | null = null;
  #completeAtMs: number | null = null;

  constructor(
    private readonly path: string,
    private readonly database: ControlDatabase,
    private readonly nodeId: string,
    private readonly sources: Sources,
    private readonly onFault: (fault: unknown) => void,
    private readonly now: () => number = Date.now,
  ) {}

  /** Writes nothing while PostgreSQL is away. */
  async update(): Promise<void> {
    const shipped = await readPosition(this.database.db, shippingReader(this.nodeId));
    const shippedSeq = shipped?.seq ?? 0;
    const nowMs = this.now();
    const newestSeq = this.sources.newestSeq();
    // A ledger that ends before what was shipped has lost events, and its new ones are not shipped.
    const isComplete = shippedSeq <= newestSeq && (this.#mark === null || shippedSeq >= this.#mark.seq);
    if (isComplete) {
      this.#completeAtMs = this.#mark?.atMs ?? null;
      this.#mark = { seq: newestSeq, atMs: nowMs };
    }
    const configurationAtMs = this.sources.configurationAtMs();
    if (this.#completeAtMs === null || configurationAtMs === null) return;
    const status: SidecarStatus = {
      databaseAtMs: nowMs,
      configurationAtMs,
      shippedSeq,
      completeAtMs: this.#completeAtMs,
      keptFrom: this.sources.keptFrom(shipped, await earlierClock(this.database, nowMs)),
    };
    // Atomic: the gateway may read at any moment.
    writeFileSync(`${this.path}.new`, JSON.stringify(status), { mode: 0o600 });
    renameSync(`${this.path}.new`, this.path);
  }

  async run(signal: AbortSignal): Promise<void> {
    await repeatUntil(signal, EVERY_MS, () => this.update(), this.onFault);
  }
}

/** null: the sidecar has not reached PostgreSQL yet. */
export function readSidecarStatus(path: string): SidecarStatus | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (fault) {
    if (fault instanceof Error && "code" in fault && fault.code === "ENOENT") return null;
    throw fault;
  }
  return JSON.parse(text) as SidecarStatus;
}
