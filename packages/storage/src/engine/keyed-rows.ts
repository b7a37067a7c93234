type Level = Map<number, Level | number[]>;

/**
 * Rows of sums, each after its keys. A map for every key, because a name made of all keys would take longer to write
 * than the sums take to add.
 */
export class SumRows {
  readonly #rows: Level = new Map();
  readonly #zeros: readonly number[];

  constructor(sumCount: number) {
    this.#zeros = new Array<number>(sumCount).fill(0);
  }

  /** The keys, then the sums. All rows have the same number of keys. */
  row(...keys: number[]): number[] {
    const last = keys.length - 1;
    let level = this.#rows;
    for (let index = 0; index < last; index++) {
      const key = keys[index] ?? 0;
      let next = level.get(key);
      if (next === undefined) {
        next = new Map();
        level.set(key, next);
      }
      // Only the last key has rows.
      level = next as Level;
    }
    const key = keys[last] ?? 0;
    let row = level.get(key);
    if (row === undefined) {
      row = keys.concat(this.#zeros);
      level.set(key, row);
    }
    return row as number[];
  }

  /** Sorted by their keys, so that adjacent rows of a table are written together. */
  sorted(): number[][] {
    const rows: number[][] = [];
    collect(this.#rows, rows);
    return rows;
  }
}

function collect(level: Level, rows: number[][]): void {
  for (const [, next] of [...level].sort(([a], [b]) => a - b)) {
    if (next instanceof Map) collect(next, rows);
    else rows.push(next);
  }
}
