import type { Event } from "@tollgate/core/event";

/** A client has reported it, with an id of its own, and may report it again. */
export const isReported = ({ source }: Pick<Event, "source">) => source === "ingest" || source === "otlp";
