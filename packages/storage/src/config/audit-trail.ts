import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { Mode } from "@tollgate/core/event";
import { auditedTables } from "../database/audited-tables.ts";
import type { ControlDb, ControlTransaction, EnumValue, TableName } from "../database/schema.ts";

/** Who changes something, and from where. */
export interface AuditOrigin {
  readonly actorKind: EnumValue<"audit_log", "actor_kind">;
  /** An e-mail address, a key's id, or `cli`. */
  readonly actor: string;
  readonly sessionId: string | null;
  readonly ip: string | null;
  readonly client: EnumValue<"audit_log", "client"> | null;
}

export interface AuditedWork extends AuditOrigin {
  /** An operation of the contract, or a command. */
  readonly operation: string;
  /** null: that of the first changed row. */
  readonly scope: { readonly orgId: string; readonly mode: Mode } | null;
  /** The object that was named in the request; null: the first changed row. */
  readonly objectId: string | null;
}

export type AuditedRow = Readonly<Record<string, unknown>>;

/** A row before and after a statement; null: it did not exist. */
export interface RowChange {
  readonly table: TableName;
  readonly before: AuditedRow | null;
  readonly after: AuditedRow | null;
}

/** What the statements of one transaction changed. */
export interface RowChanges {
  readonly rows: RowChange[];
  /** Rows of statements that changed more than `MAX_RECORDED_ROWS`. */
  omitted: number;
}

interface ShownChange {
  readonly object: string;
  readonly id: string;
  /** Only the columns that changed. */
  readonly before: AuditedRow | null;
  readonly after: AuditedRow | null;
}

/** A statement may change any number of rows; this many are recorded one by one. */
export const MAX_RECORDED_ROWS = 50;
const HIDDEN = "hidden";
/** Entries are never deleted, so a longer value is recorded only by its length and digest. */
const MAX_VALUE_LENGTH = 512;

/** Writes what one operation or command changes. Each of its transactions writes its own entry. */
export class AuditTrail {
  #isWritten = false;

  constructor(
    private readonly work: AuditedWork,
    private readonly clock: { now(): number; newId(): string },
  ) {}

  /** In the transaction of the changes. A transaction that changed no audited row writes nothing. */
  async write(transaction: ControlTransaction, { rows, omitted }: RowChanges): Promise<void> {
    const shown = rows.flatMap(shownChange);
    if (shown.length > 0) await this.#insert(transaction, shown, omitted, organizationOf(rows));
  }

  /** If no transaction has written an entry, there is one without rows: the operation still took place. */
  async finish(db: ControlDb): Promise<void> {
    if (!this.#isWritten) await this.#insert(db, [], 0, null);
  }

  async #insert(
    db: ControlDb,
    shown: readonly ShownChange[],
    omitted: number,
    ofRows: { readonly orgId: string; readonly mode: string | null } | null,
  ): Promise<void> {
    const { work } = this;
    const orgId = work.scope?.orgId ?? ofRows?.orgId;
    // A command that changed nothing of an organization has nothing to record.
    if (orgId === undefined) return;
    const recorded = shown.slice(0, MAX_RECORDED_ROWS);
    await db
      .insertInto("audit_log")
      .values({
        id: this.clock.newId(),
        org_id: orgId,
        mode: work.scope?.mode ?? (ofRows?.mode === "test" ? "test" : "live"),
        created_at: this.clock.now(),
        actor_kind: work.actorKind,
        actor: work.actor,
        session_id: work.sessionId,
        ip: work.ip,
        client: work.client,
        operation: work.operation,
        object: shown[0]?.object ?? null,
        object_id: shown[0]?.id ?? work.objectId,
        changes: JSON.stringify(recorded),
        omitted_changes: shown.length - recorded.length + omitted,
      })
      .execute();
    this.#isWritten = true;
  }
}

function organizationOf(changes: readonly RowChange[]) {
  for (const { table, before, after } of changes) {
    const row = after ?? before;
    const orgId = table === "organizations" ? row?.id : row?.org_id;
    if (typeof orgId === "string") return { orgId, mode: typeof row?.mode === "string" ? row.mode : null };
  }
  return null;
}

/** Empty if nothing changed. */
function shownChange({ table, before, after }: RowChange): ShownChange[] {
  const declared = auditedTables[table];
  const row = after ?? before;
  if (declared === undefined || row === null) return [];
  const changed = Object.keys(row).filter(column => before?.[column] !== after?.[column]);
  if (changed.length === 0) return [];
  const shown = (one: AuditedRow | null) =>
    one &&
    Object.fromEntries(changed.map(column => [column, shownValue(declared.hidden, column, one[column])]));
  const id = declared.key.map(column => String(row[column])).join(" ");
  return [{ object: table, id, before: shown(before), after: shown(after) }];
}

/** Times are epoch milliseconds, and named so. */
function isTime(column: string): boolean {
  return /(_at|_until|_from|(^|_)since)$/.test(column);
}

function shownValue(hidden: readonly string[], column: string, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (hidden.includes(column)) return HIDDEN;
  if (typeof value === "number" && isTime(column)) return toIsoTime(value);
  const fields = hidden
    .filter(name => name.startsWith(`${column}.`))
    .map(name => name.slice(column.length + 1));
  if (fields.length === 0 || typeof value !== "string") return shortened(value);
  const parsed: unknown = JSON.parse(value);
  if (typeof parsed !== "object" || parsed === null) return HIDDEN;
  return Object.fromEntries(
    Object.entries(parsed).map(([name, field]) => [
      name,
      fields.includes(name) && field !== null ? HIDDEN : shortened(field),
    ]),
  );
}

/** The digest still proves which value it was. */
function shortened(value: unknown): unknown {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.length <= MAX_VALUE_LENGTH) return value;
  return { characters: text.length, sha256: Bun.SHA256.hash(text, "hex") };
}
