import {
  columnVisibilityFeature,
  createSortedRowModel,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, type ReactNode, useEffect, useMemo, useRef } from "react";
import { Icon } from "./icon.tsx";
import { isInteractive } from "./is-interactive.ts";
import { Skeleton } from "./states.tsx";
import { useActiveRow } from "./use-active-row.ts";
import { useIsNarrow } from "./use-is-narrow.ts";

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Value for sorting and for a CSV. null: unknown, sorted last. */
  readonly value?: (row: Row) => string | number | null;
  readonly isNumber?: boolean;
  /** A track of the grid: "120px", "minmax(120px, 1fr)". */
  readonly width?: string;
  /** On a phone a row is a card: its `title` and `amount` are in the first line. */
  readonly onPhone?: "title" | "amount" | "detail" | "hidden";
  /** Not shown until chosen. */
  readonly isOptional?: boolean;
}

export interface Sorting {
  readonly id: string;
  readonly desc: boolean;
}

export interface DataTableProps<Row> {
  /** Read aloud. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** undefined: still loading. */
  readonly rows: readonly Row[] | undefined;
  readonly rowKey: (row: Row) => string;
  readonly empty: ReactNode;
  /** Sorted by the reader in the page; absent: the order of the rows is the server's, and stays. */
  readonly sorting?: Sorting;
  /** Ids of columns that are hidden; see `useColumnChoice`. */
  readonly hidden?: ReadonlySet<string>;
  /** A click or Enter on a row. */
  readonly onOpen?: (row: Row) => void;
  /** Absent: every row can be opened. */
  readonly isOpenable?: (row: Row) => boolean;
  readonly openKey?: string | undefined;
  /** Rows that have just arrived. */
  readonly isNew?: (row: Row) => boolean;
  /** j and k move through this table; only one on a page. */
  readonly isMain?: boolean;
  /** Scrolls inside itself, at most this high: for lists that may be long. Absent: as high as its rows. */
  readonly height?: string;
  /** Near the end: load more. */
  readonly onEnd?: () => void;
  readonly foot?: ReactNode;
}

const features = tableFeatures({
  rowSortingFeature,
  columnVisibilityFeature,
  sortedRowModel: createSortedRowModel(),
});

const ROW_HEIGHT = 37;
const LOADING_ROWS = 6;

/** The track of a column without a width of its own: its title is not cut. */
const fitting = (title: string) => `minmax(${Math.max(80, 30 + 7 * title.length)}px, 1fr)`;

type AnyRow = object;

interface Valued {
  getValue(id: string): unknown;
}

const byValue = (a: Valued, b: Valued, id: string) => {
  const [left, right] = [a.getValue(id), b.getValue(id)];
  if (typeof left === "number" && typeof right === "number") return left - right;
  return String(left).localeCompare(String(right), "en", { numeric: true });
};

/** A list of any length: only the rows in sight are in the page. */
export function DataTable<Row extends AnyRow>(props: DataTableProps<Row>) {
  const {
    label,
    columns,
    rows,
    rowKey,
    empty,
    sorting,
    hidden,
    onOpen,
    isOpenable = () => true,
    openKey,
    isNew,
    isMain,
    height,
    onEnd,
    foot,
  } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const isSortable = sorting !== undefined;
  const definitions = useMemo(
    () =>
      columns.map(({ id, title, value }) => ({
        id,
        header: title,
        accessorFn: (row: Row) => value?.(row) ?? undefined,
        enableSorting: isSortable && value !== undefined,
        sortDescFirst: true,
        sortUndefined: "last" as const,
        sortFn: byValue,
      })),
    [columns, isSortable],
  );
  const columnVisibility = useMemo(
    () => Object.fromEntries(columns.map(({ id }) => [id, !hidden?.has(id)])),
    [columns, hidden],
  );
  // A list in the server's order is drawn as it is: sorting thousands of rows that change each second takes too long.
  const data = useMemo(() => (isSortable ? [...(rows ?? [])] : []), [rows, isSortable]);
  const table = useTable<typeof features, Row>({
    features,
    data,
    columns: definitions,
    getRowId: rowKey,
    state: { columnVisibility },
    initialState: { sorting: sorting === undefined ? [] : [{ ...sorting }] },
    enableSortingRemoval: false,
  });
  const shown = useMemo(() => columns.filter(({ id }) => !hidden?.has(id)), [columns, hidden]);
  const template = shown.map(({ width, title }) => width ?? fitting(title)).join(" ");
  const sorted = table.getRowModel().rows;
  const count = isSortable ? sorted.length : (rows?.length ?? 0);
  const rowAt = (index: number) => (isSortable ? sorted[index]?.original : rows?.[index]);
  const keyAt = (index: number) => {
    const row = rowAt(index);
    return row === undefined ? String(index) : rowKey(row);
  };

  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: keyAt,
    overscan: 8,
    // A table without a height of its own shows all of its rows.
    enabled: height !== undefined,
  });
  const items =
    height === undefined
      ? Array.from({ length: count }, (_, index) => ({ index, start: null }))
      : virtualizer.getVirtualItems().map(({ index, start }) => ({ index, start }));

  // Not the last item, which is drawn before it is in view.
  const last = virtualizer.range?.endIndex ?? items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (onEnd && count > 0 && last >= count - 5) onEnd();
  }, [last, count, onEnd]);

  const [active, setActive] = useActiveRow({
    isOn: isMain === true && onOpen !== undefined,
    count,
    open: index => {
      const row = rowAt(index);
      if (row && isOpenable(row)) onOpen?.(row);
    },
    reveal: index => {
      // Enter then means the row, not the button that was pressed before.
      scroller.current?.focus({ preventScroll: true });
      if (height !== undefined) virtualizer.scrollToIndex(index);
    },
  });

  // On a phone a row is a card of any height; elsewhere all are alike, and need not be measured.
  const isNarrow = useIsNarrow();
  const isLoading = rows === undefined;
  const isEmpty = !isLoading && count === 0;
  // Placeholders are no items of the virtualizer: in its height, which is none without items, nobody would see them.
  const isVirtual = height !== undefined && !isLoading;
  return (
    <div className="table-frame">
      <div
        className="table-scroller"
        ref={scroller}
        tabIndex={0}
        role="group"
        aria-label={label}
        style={{ maxHeight: height }}
      >
        {/* Its rows are grids, which loses the roles of a table: they are given again. */}
        <table
          className="table"
          data-empty={isEmpty || undefined}
          role="table"
          aria-label={label}
          aria-rowcount={count + 1}
          aria-busy={isLoading}
        >
          <thead role="rowgroup">
            <tr role="row" className="table-row table-titles" style={{ gridTemplateColumns: template }}>
              {shown.map(column => (
                // The titles of an empty table are only read aloud: a button among them would be an invisible stop.
                <TitleCell
                  key={column.id}
                  column={column}
                  header={isEmpty ? undefined : table.getColumn(column.id)}
                />
              ))}
            </tr>
          </thead>
          <tbody
            role="rowgroup"
            data-virtual={isVirtual || undefined}
            style={isVirtual ? { height: virtualizer.getTotalSize(), position: "relative" } : undefined}
          >
            {isLoading &&
              Array.from({ length: LOADING_ROWS }, (_, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike.
                <tr role="row" key={index} className="table-row" style={{ gridTemplateColumns: template }}>
                  {shown.map(({ id }) => (
                    <td role="cell" key={id}>
                      <Skeleton height={14} />
                    </td>
                  ))}
                </tr>
              ))}
            {items.map(({ index, start }) => {
              const row = rowAt(index);
              if (row === undefined) return null;
              const key = rowKey(row);
              return (
                <tr
                  key={key}
                  role="row"
                  aria-rowindex={index + 2}
                  data-index={index}
                  data-row={key}
                  data-new={isNew?.(row) || undefined}
                  data-active={index === active || undefined}
                  aria-selected={key === openKey || undefined}
                  ref={start !== null && isNarrow ? virtualizer.measureElement : undefined}
                  className="table-row"
                  data-opens={(onOpen !== undefined && isOpenable(row)) || undefined}
                  style={{
                    gridTemplateColumns: template,
                    ...(start === null ? {} : { position: "absolute", transform: `translateY(${start}px)` }),
                  }}
                  onClick={event => {
                    if (!onOpen || !isOpenable(row) || isInteractive(event.target)) return;
                    setActive(index);
                    onOpen(row);
                  }}
                >
                  <Cells row={row} columns={shown} />
                </tr>
              );
            })}
          </tbody>
        </table>
        {isEmpty && empty}
      </div>
      {foot}
    </div>
  );
}

interface CellsProps<Row> {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
}

function AllCells<Row>({ row, columns }: CellsProps<Row>): ReactNode {
  return columns.map(({ id, title, cell, isNumber, onPhone = "detail" }) => (
    <td
      role="cell"
      key={id}
      className={isNumber ? "number" : undefined}
      data-column={id}
      data-label={title}
      data-phone={onPhone}
    >
      {cell(row)}
    </td>
  ));
}

/** Rows move whenever new ones arrive above them; what is in them does not change by that. */
const Cells = memo(AllCells) as typeof AllCells;

interface TitleCellProps<Row> {
  readonly column: Column<Row>;
  readonly header:
    | { getCanSort(): boolean; getIsSorted(): false | "asc" | "desc"; toggleSorting(desc?: boolean): void }
    | undefined;
}

function TitleCell<Row>({ column, header }: TitleCellProps<Row>) {
  const sorted = header?.getIsSorted() ?? false;
  const order = sorted === "asc" ? "ascending" : sorted === "desc" ? "descending" : undefined;
  return (
    <th
      role="columnheader"
      scope="col"
      className={column.isNumber ? "number" : undefined}
      aria-sort={order}
      data-phone={column.onPhone ?? "detail"}
    >
      {header?.getCanSort() ? (
        <button type="button" className="table-sort" onClick={() => header.toggleSorting()}>
          {column.title}
          {sorted !== false && <Icon name={sorted === "asc" ? "up" : "down"} size={12} />}
        </button>
      ) : (
        column.title
      )}
    </th>
  );
}
