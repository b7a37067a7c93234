import { parseJsonObject } from "@tollgate/core/wire/request-body";
import { refuseUnsafe } from "./refuse-unsafe.ts";

/** No body at all is an empty object: where fields are required, their absence is told by name. */
export function parseBody(bytes: Uint8Array): Record<string, unknown> {
  if (bytes.length === 0) return {};
  const value = parseJsonObject(bytes);
  refuseUnsafe(value);
  return { ...value };
}
