import type { Event } from "@tollgate/core/event";

/**
 * The column `event` of `shared_events`: a whole event as JSON, because nodes of two versions may ship at the same time. Every
 * version that ships writes all fields of today's Event. One that is added is missing in older rows: `decodeSharedEvent` has to
 * supply it. Fields of newer versions are ignored.
 */
export function encodeSharedEvent(event: Event): string {
  return JSON.stringify(event);
}

export function decodeSharedEvent(stored: string): Event {
  // `encodeSharedEvent` wrote it.
  return JSON.parse(stored) as Event;
}
