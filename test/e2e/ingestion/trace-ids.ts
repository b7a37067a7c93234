import { randomBytes } from "node:crypto";

export const traceparentOf = (traceId: string, spanId: string) => `00-${traceId}-${spanId}-01`;
export const newTraceId = () => randomBytes(16).toString("hex");
export const newSpanId = () => randomBytes(8).toString("hex");
