import { useMemo, useState } from "react";
import { Button } from "./button.tsx";
import type { Column } from "./data-table.tsx";
import { Menu, MenuCheck } from "./menu.tsx";

interface ColumnChoice {
  readonly hidden: ReadonlySet<string>;
  setHidden(id: string, isHidden: boolean): void;
}

/** Which columns a reader chose; this browser remembers it. */
export function useColumnChoice<Row>(table: string, columns: readonly Column<Row>[]): ColumnChoice {
  const key = `tollgate-columns-${table}`;
  const [chosen, setChosen] = useState<Readonly<Record<string, boolean>>>(() => readChoice(key));
  const hidden = useMemo(
    () => new Set(columns.flatMap(({ id, isOptional }) => ((chosen[id] ?? !isOptional) ? [] : [id]))),
    [columns, chosen],
  );
  return {
    hidden,
    setHidden(id, isHidden) {
      const next = { ...chosen, [id]: !isHidden };
      setChosen(next);
      localStorage.setItem(key, JSON.stringify(next));
    },
  };
}

function readChoice(key: string): Record<string, boolean> {
  const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "{}");
  const entries = typeof kept === "object" && kept !== null ? Object.entries(kept) : [];
  return Object.fromEntries(
    entries.filter((entry): entry is [string, boolean] => typeof entry[1] === "boolean"),
  );
}

interface ColumnMenuProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly choice: ColumnChoice;
}

export function ColumnMenu<Row>({ columns, choice }: ColumnMenuProps<Row>) {
  return (
    <Menu align="end" trigger={<Button icon="columns">Columns</Button>}>
      {columns.map(({ id, title }) => (
        <MenuCheck
          key={id}
          isChecked={!choice.hidden.has(id)}
          onChange={isShown => choice.setHidden(id, !isShown)}
        >
          {title}
        </MenuCheck>
      ))}
    </Menu>
  );
}
