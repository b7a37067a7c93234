import { SseSplitter } from "@tollgate/providers/sse";
import type { AdmittedCall } from "./admitted-call.ts";

/** How every stream of server-sent events begins. */
const BEGINS_STREAM = /^\s*(data|event|id|retry)?:/;

/**
 * Meters a stream that came where none was expected. The client cannot get it, but the provider bills it all the same,
 * and its frames say how much.
 */
export function meterFrames({ call, meter }: AdmittedCall, bytes: Uint8Array): void {
  if (!BEGINS_STREAM.test(new TextDecoder().decode(bytes.subarray(0, 64)))) return;
  try {
    const stream = call.exchange.openStream(meter);
    const splitter = new SseSplitter(call.exchange.maxFrameBytes);
    for (const frame of splitter.push(bytes)) stream.push(frame);
    const rest = splitter.end();
    if (rest !== null) stream.push(rest);
  } catch {
    // What was read so far counts.
  }
}
