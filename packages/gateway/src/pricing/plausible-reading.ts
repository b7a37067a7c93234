import { inputTokens, outputTokens, type Usage, type UsageKind } from "@tollgate/core/money/usage";
import { emptyReading, type Meter, type Reading } from "@tollgate/providers/meter";

/** A thousand times the longest existing context. Above it, a cost could exceed the exact range of a number. */
const MAX_COUNT = 1_000_000_000;

/**
 * The meter's reading; usage that no call can have counts as not reported, and is estimated. A provider's nonsense must
 * not prevent a call's event.
 */
export function plausibleReading(meter: Meter): Reading {
  let reading: Reading;
  try {
    reading = meter.reading();
  } catch {
    return emptyReading();
  }
  const isWhole =
    isPlausible(reading.usage) &&
    isPlausible(reading.partial) &&
    reading.additional.every(other => isPlausible(other.usage));
  if (isWhole) return withoutZeros(withoutZeroCost(reading));
  const { partial: _, ...rest } = reading;
  return { ...rest, usage: null, additional: [] };
}

/** An answer with text costs something: a zero is an amount that is missing. */
function withoutZeroCost(reading: Reading): Reading {
  if (reading.reportedCost !== 0 || reading.outputBytes === 0) return reading;
  return { ...reading, reportedCost: null, isBillUncertain: true };
}

/** An answer with text had a prompt, and its text has tokens: a zero in their place is a count that is missing. */
function withoutZeros(reading: Reading): Reading {
  const { usage } = reading;
  if (usage === null || reading.outputBytes === 0) return reading;
  const isInputMissing = inputTokens(usage) === 0;
  if (!isInputMissing && outputTokens(usage) > 0) return reading;
  return { ...reading, usage: null, partial: usage, ...(isInputMissing && { isInputMissing }) };
}

function isPlausible(usage: Usage | null | undefined): boolean {
  if (!usage) return true;
  for (const kind in usage) if ((usage[kind as UsageKind] ?? 0) > MAX_COUNT) return false;
  return true;
}
