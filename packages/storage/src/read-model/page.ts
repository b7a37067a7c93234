/** Where a list continues: after the last row returned, newest first. */
export interface Position {
  readonly at: number;
  readonly seq: number;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** null: no more. */
  readonly next: Position | null;
}
