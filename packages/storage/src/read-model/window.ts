/** From (inclusive) to (exclusive), epoch milliseconds. Exact to the millisecond. */
export interface Window {
  readonly from: number;
  readonly to: number;
}
