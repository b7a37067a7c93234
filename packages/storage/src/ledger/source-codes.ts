import type { Event } from "@tollgate/core/event";

/** The encoding of `facts.source`, stored permanently; 0 is a fact of an older version that was not completed yet. */
export const sourceCodes: Readonly<Record<Event["source"], number>> = {
  gateway: 1,
  ingest: 2,
  otlp: 3,
  shadow: 4,
  judge: 5,
};
