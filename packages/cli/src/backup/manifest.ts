import { z } from "zod";

/** Raised when a backup of this version could be misread by an older one. */
export const BACKUP_FORMAT = 1;

export const MANIFEST = "manifest.json";

/** Every file a backup can hold, in the order in which they are restored: without the last, Tollgate does not start. */
export const backupFiles = [
  "secret",
  "node-id",
  "control-in-postgres",
  "ledger.db-intents",
  "ledger.db",
  "control.db",
] as const;
export type BackupFile = (typeof backupFiles)[number];

/** Written last: a folder without it is not a backup. */
export const manifestSchema = z.object({
  format: z.literal(BACKUP_FORMAT, { error: "it was made by another version" }),
  version: z.string(),
  created_at: z.iso.datetime(),
  /** `postgres`: configuration is not in this backup but in a dump of that database. */
  control_database: z.enum(["sqlite", "postgres"]),
  ledger: z.object({
    schema_version: z.int().nonnegative(),
    newest_seq: z.int().nonnegative(),
    newest_event_id: z.string().nullable(),
    /** Calls in flight; the first start settles them as interrupted. */
    open_calls: z.int().nonnegative(),
  }),
  control: z.object({ schema_version: z.int().nonnegative() }),
  files: z.array(
    z.object({
      name: z.enum(backupFiles),
      bytes: z.int().nonnegative(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});
export type Manifest = z.output<typeof manifestSchema>;
