import type { EventSummary } from "./event-parts.ts";

const MAX_LENGTH = 256;

/**
 * A name that both engines can store and index: PostgreSQL accepts no NUL in text and no index entry beyond a third
 * of a page. A name that is too long ends in its digest, so that two names stay distinct. Without this, one such
 * event would block all later ones.
 */
export function storableName(name: string): string {
  const clean = name.includes("\0") ? name.replaceAll("\0", "\ufffd") : name;
  if (clean.length <= MAX_LENGTH || [...clean.slice(0, 2 * MAX_LENGTH + 1)].length <= MAX_LENGTH)
    return clean;
  const digest = new Bun.SHA256().update(name).digest("hex");
  return `${clean.slice(0, MAX_LENGTH - digest.length - 1)}:${digest}`.toWellFormed();
}

const isStorable = (name: string | null) => name === null || storableName(name) === name;
const orNull = (name: string | null) => (name === null ? null : storableName(name));

/** Almost every event can be stored as it is: it is not copied. */
export function storableEvent<Event extends EventSummary>(event: Event): Event {
  if (
    isStorable(event.external_id) &&
    isStorable(event.agent_key) &&
    isStorable(event.session_id) &&
    isStorable(event.customer_id) &&
    isStorable(event.config_version) &&
    isStorable(event.provider) &&
    isStorable(event.model)
  )
    return event;
  return {
    ...event,
    external_id: orNull(event.external_id),
    agent_key: storableName(event.agent_key),
    session_id: orNull(event.session_id),
    customer_id: orNull(event.customer_id),
    config_version: orNull(event.config_version),
    provider: storableName(event.provider),
    model: storableName(event.model),
  };
}
