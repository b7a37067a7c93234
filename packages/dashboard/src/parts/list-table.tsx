import { DataTable, type DataTableProps } from "./data-table.tsx";
import { Problem } from "./states.tsx";

interface ListTableProps<Row extends object> extends DataTableProps<Row> {
  /** Where the rows come from. */
  readonly query: {
    readonly error: Error | null;
    readonly failureReason: Error | null;
    readonly isFetching: boolean;
    readonly refetch: () => unknown;
  };
  readonly className?: string;
}

/** The main table of a page, or why it cannot be shown. */
export function ListTable<Row extends object>({ query, className = "", ...table }: ListTableProps<Row>) {
  const fault = query.error ?? query.failureReason;
  if (fault !== null && table.rows === undefined) {
    return (
      <Problem message={fault.message} isRetrying={query.isFetching} onRetry={() => void query.refetch()} />
    );
  }
  return (
    <div className={`card table-card ${className}`.trim()}>
      <DataTable isMain {...table} />
    </div>
  );
}
