const PREFIX = "chatcmpl-at-";
const MARK = `"response_id":"${PREFIX}`;
const US_PER_MS = 1000;

/** The machine's clock in milliseconds, with fractions: the same in every process. */
export function clockMs(): number {
  return performance.timeOrigin + performance.now();
}

export function clockId(): string {
  return `${PREFIX}${Math.round(clockMs() * US_PER_MS)}`;
}

/** When the answer behind an event's message was sent; null: not one of ours. Does not parse the whole message. */
export function sentAtMs(message: string): number | null {
  const at = message.indexOf(MARK);
  if (at < 0) return null;
  const from = at + MARK.length;
  const us = Number(message.slice(from, message.indexOf('"', from)));
  return Number.isFinite(us) ? us / US_PER_MS : null;
}
