const SAY_EVERY_ROWS = 100_000;

/** One line per 100,000 rows of a table; smaller tables finish too soon to need one. */
export function reportRows(note: (text: string) => void, verb: string) {
  return (table: string, rows: number): void => {
    if (rows % SAY_EVERY_ROWS === 0) note(`${verb} ${table}: ${rows} rows…`);
  };
}
