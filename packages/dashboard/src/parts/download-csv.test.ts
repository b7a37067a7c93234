import { expect, it } from "bun:test";
import { toCsv } from "./download-csv.ts";

interface Row {
  readonly name: string;
  readonly cost: number | null;
}

const columns = [
  { id: "name", title: "Name", cell: ({ name }: Row) => name, value: ({ name }: Row) => name },
  { id: "cost", title: "Cost", cell: () => null, value: ({ cost }: Row) => cost },
  { id: "actions", title: "Actions", cell: () => null },
];

it("a CSV has what is shown, quoted where needed; unknown is empty", () => {
  const rows: Row[] = [
    { name: 'a "b", c', cost: 12 },
    { name: "x\ny", cost: null },
  ];
  expect(toCsv(columns, rows)).toBe('Name,Cost\r\n"a ""b"", c",12\r\n"x\ny",');
});

it("DASH-008 a name that a spreadsheet would compute is text", () => {
  expect(toCsv(columns, [{ name: "=HYPERLINK(1)", cost: -1 }])).toBe("Name,Cost\r\n'=HYPERLINK(1),-1");
});
