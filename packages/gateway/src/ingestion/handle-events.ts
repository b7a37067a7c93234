import { fail } from "@tollgate/core/errors";
import type { IngestedCall } from "@tollgate/core/ingestion/call";
import { MAX_INGESTED_EVENTS, parseIngestedEvent } from "@tollgate/core/ingestion/event";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { GatewayCaller } from "@tollgate/storage/config/directory";
import { limitHeaders } from "../answer/limit-headers.ts";
import type { Gateway } from "../gateway.ts";
import { reject } from "../refusals/reject.ts";
import { measureBody, parseObject } from "../request/parse-body.ts";
import { admitReporter, settledHeaders } from "./admit-reporter.ts";
import type { CallRecorder } from "./call-recorder.ts";

export const EVENTS_PATH = "/v1/events";

const origin = { source: "ingest", endpoint: EVENTS_PATH } as const;

/**
 * `POST /v1/events`: events are accepted or rejected individually, and the answer gives the reason for each rejection.
 */
export async function handleEvents(
  request: Request,
  gateway: Gateway,
  recorder: CallRecorder,
): Promise<Response> {
  const startedAt = performance.now();
  try {
    const caller = admitReporter(request.headers, gateway);
    const body = measureBody(await gateway.bodies.read(request, caller.orgId));
    const { answer, cost } = await gateway.bodyRoom.hold(caller.orgId, body.memoryBytes, () =>
      recordEvents(eventsOf(parseObject(body)), caller, gateway.now(), recorder),
    );
    const headers = { ...limitHeaders(request.headers, gateway), ...settledHeaders(startedAt, cost) };
    return Response.json(answer, { headers });
  } catch (fault) {
    return await reject(fault, request, gateway, limitHeaders(request.headers, gateway));
  }
}

async function recordEvents(
  events: readonly unknown[],
  caller: GatewayCaller,
  nowMs: number,
  recorder: CallRecorder,
) {
  const calls: IngestedCall[] = [];
  const indexes: number[] = [];
  const rejected: { index: number; error: string }[] = [];
  for (const [index, value] of events.entries()) {
    const parsed = parseIngestedEvent(value, nowMs);
    if ("error" in parsed) {
      rejected.push({ index, error: parsed.error });
    } else {
      calls.push(parsed.call);
      indexes.push(index);
    }
  }
  const { results, cost } = await recorder.record(calls, caller, origin);
  for (const [at, result] of results.entries()) {
    const index = indexes[at];
    if (typeof result === "object" && index !== undefined) rejected.push({ index, error: result.error });
  }
  const answer = {
    accepted: results.filter(result => result === "accepted").length,
    duplicates: results.filter(result => result === "duplicate").length,
    rejected: rejected.sort((a, b) => a.index - b.index),
  };
  return { answer, cost };
}

function eventsOf(body: JsonObject): readonly unknown[] {
  const { events, ...others } = body;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw fail("invalid_request", `unknown field ${JSON.stringify(unknown.slice(0, 64))}`);
  }
  if (!Array.isArray(events) || events.length === 0 || events.length > MAX_INGESTED_EVENTS) {
    throw fail("invalid_request", `events must be a list of 1 to ${MAX_INGESTED_EVENTS} events`);
  }
  return events;
}
