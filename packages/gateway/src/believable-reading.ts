import type { Usage } from "@tollgate/core/usage";
import { emptyReading } from "@tollgate/providers/exchange";
import type { Meter, Reading } from "@tollgate/providers/meter";

/** A thousand times the longest context there is. Above it, a cost could outgrow what a number holds exactly. */
const MAX_COUNT = 1_000_000_000;

/**
 * What the meter read, unless no call can have used that much: then usage counts as not said, and is estimated.
 * A provider's nonsense must not keep a call from its event.
 */
export function believableReading(meter: Meter): Reading {
  let reading: Reading;
  try {
    reading = meter.reading();
  } catch {
    return emptyReading();
  }
  const usages = [reading.usage, reading.partial, ...reading.additional.map(other => other.usage)];
  if (usages.every(isBelievable)) return reading;
  const { partial: _, ...rest } = reading;
  return { ...rest, usage: null, additional: [] };
}

function isBelievable(usage: Usage | null | undefined): boolean {
  return Object.values(usage ?? {}).every(count => count <= MAX_COUNT);
}
