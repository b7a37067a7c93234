import type { EventStatus } from "@tollgate/core/event";

/** The encoding of `facts.status`. Stored permanently: a new status gets the next number. */
export const statusCodes: Readonly<Record<EventStatus, number>> = {
  success: 0,
  error: 1,
  timeout: 2,
  cancelled: 3,
  interrupted: 4,
};

/** A client that disconnected is not an error. */
export const errorCodes: readonly number[] = [
  statusCodes.error,
  statusCodes.timeout,
  statusCodes.interrupted,
];

export function isError(status: EventStatus): boolean {
  return status !== "success" && errorCodes.includes(statusCodes[status]);
}
