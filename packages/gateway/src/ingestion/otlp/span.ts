/** An attribute value. Lists and maps contain messages and tools, which we never read. */
export type AttributeValue = string | number | boolean;

/** The parts of a span that show whether it is a call, and what it cost. */
export interface OtlpSpan {
  /** Lower-case hex. */
  readonly traceId: string;
  readonly spanId: string;
  readonly isRoot: boolean;
  /** The instrumentation scope; empty if absent. */
  readonly scope: string;
  readonly startNanos: bigint;
  readonly endNanos: bigint;
  readonly statusCode: number;
  /** Only those listed in `readAttributes`. */
  readonly attributes: ReadonlyMap<string, AttributeValue>;
}

/** The bytes are not valid OTLP. The message quotes none of them. */
export class UndecodableError extends Error {
  override readonly name = "UndecodableError";
}
