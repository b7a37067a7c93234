import { measureJson } from "@tollgate/core/wire/measure-json";
import { parseJsonObject } from "@tollgate/core/wire/request-body";
import { refuseMany, refuseUnsafe } from "./refuse-unsafe.ts";

/** A missing body counts as an empty object, so that missing fields are reported by name. */
export function parseBody(bytes: Uint8Array): Record<string, unknown> {
  if (bytes.length === 0) return {};
  refuseMany(measureJson(bytes).values);
  const value = parseJsonObject(bytes);
  refuseUnsafe(value);
  return { ...value };
}
