const FIRST_MS = 250;
const MAX_MS = 5000;

/** The delay after this many consecutive faults: doubles each time. */
export function backOffMs(faults: number): number {
  return Math.min(MAX_MS, FIRST_MS * 2 ** (faults - 1));
}
