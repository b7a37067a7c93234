import { isoTimeInput } from "@tollgate/core/contract/fields/iso-time";
import { UsageError } from "../config/usage-error.ts";
import type { CommandInput } from "./command.ts";

export function requireOption(input: Pick<CommandInput, "options">, name: string): string {
  const value = input.options[name];
  if (typeof value !== "string" || value === "") throw new UsageError(`--${name} is required`);
  return value;
}

/** A date or a time, in UTC unless it has an offset. */
export function requireTime(input: Pick<CommandInput, "options">, name: string): number {
  const parsed = isoTimeInput.safeParse(requireOption(input, name));
  if (!parsed.success)
    throw new UsageError(`--${name} must be a date, such as 2026-11-01 or 2026-11-01T12:00:00Z`);
  return parsed.data;
}

export function optionalNumber(input: CommandInput, name: string): number | undefined {
  const value = input.options[name];
  if (value === undefined) return undefined;
  if (typeof value !== "string" || !/^\d+$/.test(value)) {
    throw new UsageError(`--${name} must be a whole number`);
  }
  return Number(value);
}

export function optionalEmail(input: CommandInput, name: string): string | undefined {
  const value = input.options[name];
  if (value === undefined) return undefined;
  if (typeof value !== "string" || !/^[^@\s]+@[^@\s]+$/.test(value)) {
    throw new UsageError(`--${name} must be an e-mail address`);
  }
  return value.toLowerCase();
}

export function oneOf<T extends string>(
  input: CommandInput,
  name: string,
  allowed: readonly T[],
): T | undefined {
  const value = input.options[name];
  if (value === undefined) return undefined;
  const found = allowed.find(candidate => candidate === value);
  if (!found) throw new UsageError(`--${name} must be one of ${allowed.join(", ")}`);
  return found;
}
