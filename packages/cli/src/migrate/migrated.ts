/** null: counted by the run that was killed during its last steps. */
export interface Migrated {
  readonly tables: number | null;
  readonly rows: number | null;
  readonly events: number | null;
  readonly total_microcents: number | null;
  readonly test_total_microcents: number | null;
  /** Sums that were copied, but not recomputed: since an upgrade, Tollgate is still filling them. */
  readonly not_compared: readonly string[] | null;
  /** What is left of the source and no longer used. */
  readonly kept: string;
}

/** What a run that only repeats the last steps knows of the migration. */
export const countedBefore = {
  tables: null,
  rows: null,
  events: null,
  total_microcents: null,
  test_total_microcents: null,
  not_compared: null,
} satisfies Omit<Migrated, "kept">;

/** The copy is not equal to the source. Nothing was changed at the source. */
export class MigrationDiffers extends Error {
  constructor(readonly differences: readonly string[]) {
    super(`the copy differs from the source, which is unchanged:\n${differences.slice(0, 20).join("\n")}`);
    this.name = "MigrationDiffers";
  }
}
