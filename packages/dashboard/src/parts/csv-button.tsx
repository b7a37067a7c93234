import { Button } from "./button.tsx";
import type { Column } from "./data-table.tsx";
import { downloadCsv } from "./download-csv.ts";

interface CsvButtonProps<Row> {
  /** Of the file, without its ending. */
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  /** undefined: still loading. */
  readonly rows: readonly Row[] | undefined;
}

export function CsvButton<Row>({ name, columns, rows = [] }: CsvButtonProps<Row>) {
  return (
    <Button icon="download" disabled={rows.length === 0} onClick={() => downloadCsv(name, columns, rows)}>
      CSV
    </Button>
  );
}
