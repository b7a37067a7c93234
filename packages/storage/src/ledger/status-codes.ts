import type { EventStatus } from "@tollgate/core/event";

/** How `facts.status` says it. On disk for ever: a new status gets the next number. */
export const statusCodes: Readonly<Record<EventStatus, number>> = {
  success: 0,
  error: 1,
  timeout: 2,
  cancelled: 3,
  interrupted: 4,
};

/** A client that left is no error. */
export const errorCodes: readonly number[] = [
  statusCodes.error,
  statusCodes.timeout,
  statusCodes.interrupted,
];

export function isError(status: EventStatus): boolean {
  return errorCodes.includes(statusCodes[status]);
}
