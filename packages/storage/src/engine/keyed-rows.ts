type Rows<Row> = Map<number, Row>;

/**
 * Rows by four numbers. A map for every key, because a name made of all keys would take longer to write than the sums
 * take to add.
 */
export class KeyedRows<Row> {
  readonly #rows: Rows<Rows<Rows<Rows<Row>>>> = new Map();

  /** `create` makes the row of keys that have none yet. */
  constructor(
    private readonly create: (first: number, second: number, third: number, fourth: number) => Row,
  ) {}

  row(first: number, second: number, third: number, fourth: number): Row {
    const rows = mapIn(mapIn(mapIn(this.#rows, first), second), third);
    let row = rows.get(fourth);
    if (row === undefined) {
      row = this.create(first, second, third, fourth);
      rows.set(fourth, row);
    }
    return row;
  }

  /** Sorted by their keys, so that adjacent rows of a table are written together. */
  sorted(): Row[] {
    return inOrder(this.#rows).flatMap(ofFirst =>
      inOrder(ofFirst).flatMap(ofSecond => inOrder(ofSecond).flatMap(inOrder)),
    );
  }
}

function mapIn<Value>(maps: Map<number, Map<number, Value>>, key: number): Map<number, Value> {
  let map = maps.get(key);
  if (map === undefined) {
    map = new Map();
    maps.set(key, map);
  }
  return map;
}

function inOrder<Value>(values: ReadonlyMap<number, Value>): Value[] {
  return [...values].sort(([a], [b]) => a - b).map(([, value]) => value);
}
