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

/** The copy is not equal to the source. Nothing was changed at the source. */
export class MigrationDiffers extends Error {
  constructor(readonly differences: readonly string[]) {
    super(`the copy differs from the source, which is unchanged:\n${differences.slice(0, 20).join("\n")}`);
    this.name = "MigrationDiffers";
  }
}
