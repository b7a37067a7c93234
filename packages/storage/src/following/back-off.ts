const FIRST_MS = 250;
const LONGEST_MS = 5000;

/** The pause after so many faults in a row: twice as long each time. */
export function backOffMs(faults: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (faults - 1));
}
