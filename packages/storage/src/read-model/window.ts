/** From (inclusive) to (exclusive), epoch milliseconds. Exact to the millisecond. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** A window, and the earliest time that the organization's tier shows; absent: everything. */
export interface VisibleWindow extends Window {
  readonly visibleFrom?: number;
}
