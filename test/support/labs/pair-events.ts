import type { Event, PairKind, PairMark, TaskCategory } from "@tollgate/core/event";

/** The calls of pairs, as settled by the gateway. */
export interface PairTraffic {
  readonly requestId: string;
  readonly count: number;
  /** Default 0: equally good. */
  readonly score?: (index: number) => number;
  readonly kind?: PairKind;
  readonly category?: TaskCategory;
  readonly sessionId?: (index: number) => string | null;
  /** A judge is called twice, after the second answer; otherwise a rule decides immediately. */
  readonly isJudged?: boolean;
  readonly agentKey?: string;
  readonly at?: number;
  readonly servedProduction?: string;
  readonly servedCandidate?: string;
  readonly candidateStatus?: (index: number) => Event["status"];
}

export const PRODUCTION = "gpt-4o-mini";
export const CANDIDATE = "gpt-4.1-nano";
export const AGENT = "writer";

/** In ledger order: production, the second answer, the judge's two; the last one has the grade. */
export function pairEvents(traffic: PairTraffic): Partial<Event>[] {
  const { kind = "candidate", category = "open_ended", isJudged = false } = traffic;
  const common = {
    agent_key: traffic.agentKey ?? AGENT,
    ...(traffic.at === undefined ? {} : { created_at: traffic.at }),
  };
  return Array.from({ length: traffic.count }, (_, index): Partial<Event>[] => {
    const pairId = crypto.randomUUID();
    const result = {
      score: traffic.score?.(index) ?? 0,
      grader: isJudged ? "judge" : "equality",
      category,
    };
    const mark = (isLast: boolean): PairMark => ({
      request_id: traffic.requestId,
      pair_id: pairId,
      kind,
      result: isLast ? result : null,
    });
    const sessionId = traffic.sessionId?.(index) ?? null;
    const second = kind === "control" ? PRODUCTION : CANDIDATE;
    return [
      {
        ...common,
        id: pairId,
        model: PRODUCTION,
        served_model: traffic.servedProduction ?? "gpt-4o-mini-2024-07-18",
        session_id: sessionId,
        latency_ms: 100 + (index % 20),
      },
      {
        ...common,
        id: crypto.randomUUID(),
        source: "shadow",
        model: second,
        requested_model: second,
        served_model:
          kind === "control"
            ? "gpt-4o-mini-2024-07-18"
            : (traffic.servedCandidate ?? "gpt-4.1-nano-2025-04-14"),
        session_id: sessionId,
        status: traffic.candidateStatus?.(index) ?? "success",
        latency_ms: 90 + (index % 20),
        usage: { input: 1000, output: 20 + (index % 5) },
        pair: mark(!isJudged),
      },
      ...(isJudged ? [false, true] : []).map(isLast => ({
        ...common,
        id: crypto.randomUUID(),
        source: "judge" as const,
        model: "gpt-5.5",
        requested_model: "gpt-5.5",
        served_model: "gpt-5.5-2026-04-23",
        usage: { input: 3000, output: 10 },
        pair: mark(isLast),
      })),
    ];
  }).flat();
}
