import type { EventStatus } from "@tollgate/core/event";
import { DAY_MS, HOUR_MS } from "@tollgate/core/time/durations";
import { drawCustomer } from "./customers.ts";
import { type Draw, drawFrom } from "./draw.ts";
import { type AgentKey, type Habits, habitsOf, type Workflow, workflows } from "./fleet.ts";
import { type Failure, type Incident, planIncidents, SPORADIC_CHANCE, sporadic } from "./incidents.ts";
import { type PastSession, type PlannedOutcome, planOutcomes } from "./plan-outcomes.ts";
import { rhythms } from "./rhythm.ts";

/** An event of `POST /v1/events`. It omits the cost, which the gateway computes at the prices of its day. */
export interface HistoryEvent {
  readonly id: string;
  readonly timestamp: number;
  readonly agent_key: AgentKey;
  readonly session_id?: string;
  readonly customer_id?: string;
  readonly config_version?: string;
  readonly provider: string;
  readonly model: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens?: number;
  readonly cache_write_tokens?: number;
  readonly reasoning_tokens?: number;
  readonly latency_ms: number;
  readonly ttft_ms?: number;
  readonly stream: boolean;
  readonly status: EventStatus;
  readonly error_code?: string;
}

export interface HistoryOptions {
  readonly seed: number;
  readonly nowMs: number;
  readonly calls: number;
}

export interface History {
  /** Oldest first. */
  readonly events: readonly HistoryEvent[];
  readonly outcomes: readonly PlannedOutcome[];
}

export const HISTORY_DAYS = 30;

/** No past call is newer: what follows goes through the gateway, now. */
const QUIET_MS = 120_000;
const MAX_INPUT_TOKENS = 180_000;
const CANCELLED_CHANCE = 0.012;
const MAX_RETRIES = 3;
/** OpenAI caches prefixes from this length on, in steps. */
const AUTOMATIC_CACHE = { leastTokens: 1024, stepTokens: 128 };

/** The calls of the last 30 days and what came of them. The same options give the same history. */
export function planHistory({ seed, nowMs, calls }: HistoryOptions): History {
  const draw = drawFrom(seed);
  const incidents = planIncidents(nowMs, draw);
  const planner = new HistoryPlanner(nowMs, draw, incidents);
  for (const incident of incidents) planner.addIncident(incident);
  const starts = new Map(workflows.map(one => [one, new StartTimes(one, nowMs)]));
  const weights = workflows.map(({ weight }) => weight);
  while (planner.events.length < calls) {
    const workflow = workflows[draw.weighted(weights)];
    const times = workflow && starts.get(workflow);
    if (workflow && times) planner.addSession(workflow, times.draw(draw));
  }
  return {
    events: planner.events
      .toSorted((a, b) => a.timestamp - b.timestamp)
      .map((event, index) => ({ ...event, id: `demo-${seed}-${index}` })),
    outcomes: planOutcomes(planner.sessions, nowMs, draw),
  };
}

/** When sessions of a workflow begin: by its rhythm, with slow growth over the period. */
class StartTimes {
  readonly #hours: readonly number[];
  readonly #weights: readonly number[];

  constructor(
    { rhythm, endedDaysAgo = 0 }: Workflow,
    private readonly nowMs: number,
  ) {
    const firstHour = Math.ceil((nowMs - HISTORY_DAYS * DAY_MS) / HOUR_MS);
    const lastHour = Math.floor((nowMs - QUIET_MS - endedDaysAgo * DAY_MS) / HOUR_MS);
    this.#hours = Array.from({ length: lastHour - firstHour + 1 }, (_, index) => firstHour + index);
    this.#weights = this.#hours.map((hour, index) => {
      const at = new Date(hour * HOUR_MS);
      const growth = 0.75 + (0.5 * index) / this.#hours.length;
      return growth * rhythms[rhythm](at.getUTCHours(), at.getUTCDay());
    });
  }

  draw(draw: Draw): number {
    const hour = this.#hours[draw.weighted(this.#weights)] ?? 0;
    return Math.min(this.nowMs - QUIET_MS, Math.round((hour + draw.next()) * HOUR_MS));
  }
}

type Unnumbered = Omit<HistoryEvent, "id">;

class HistoryPlanner {
  readonly events: Unnumbered[] = [];
  readonly sessions: PastSession[] = [];

  constructor(
    private readonly nowMs: number,
    private readonly draw: Draw,
    private readonly incidents: readonly Incident[],
  ) {}

  addIncident(incident: Incident): void {
    const affected = workflows.filter(({ legs, endedDaysAgo }) => {
      const isProvider = habitsOf(legs[0].agent).provider === incident.provider;
      return isProvider && endedDaysAgo === undefined;
    });
    for (let session = 0; session < incident.sessions; session++) {
      const workflow = affected[session % affected.length];
      const at = incident.fromMs + this.draw.next() * (incident.toMs - incident.fromMs);
      if (workflow) this.addSession(workflow, Math.round(at));
    }
  }

  addSession(workflow: Workflow, startMs: number): void {
    const { draw } = this;
    const id = workflow.hasSession ? `${workflow.name}-${this.sessions.length + 1}` : null;
    const customer = workflow.hasCustomer ? drawCustomer(draw) : null;
    let atMs = startMs;
    let lastAgent: AgentKey = workflow.legs[0].agent;
    let lastFailed = false;
    for (const { agent, chance, turns } of workflow.legs) {
      if (!draw.isTrue(chance)) continue;
      const conversation = new Conversation(habitsOf(agent), draw);
      const count = draw.between(...turns);
      for (let turn = 0; turn < count; turn++) {
        const ids: Pick<HistoryEvent, "agent_key" | "session_id" | "customer_id"> = {
          agent_key: agent,
          ...(id === null ? {} : { session_id: id }),
          ...(customer === null ? {} : { customer_id: customer }),
        };
        const ended = this.#addTurn(conversation, ids, atMs);
        lastFailed = ended.isFailed;
        atMs = ended.atMs + draw.logNormal(25_000, 0.8);
      }
      lastAgent = agent;
    }
    if (id === null) return;
    const endedAtMs = Math.min(atMs, this.nowMs);
    this.sessions.push({ id, workflow: workflow.name, endedAtMs, lastAgent, lastFailed });
  }

  /** One call, and its retries if it fails. */
  #addTurn(
    conversation: Conversation,
    ids: Pick<HistoryEvent, "agent_key" | "session_id" | "customer_id">,
    startMs: number,
  ): { readonly atMs: number; readonly isFailed: boolean } {
    const { draw, nowMs } = this;
    let atMs = startMs;
    for (let attempt = 0; ; attempt++) {
      const timestamp = Math.min(atMs, nowMs - QUIET_MS);
      const failure = this.#failureAt(conversation.habits, timestamp);
      const version = versionAt(conversation.habits, timestamp, nowMs);
      const call = failure === null ? conversation.next() : conversation.failed(failure);
      this.events.push({
        timestamp,
        ...ids,
        ...(version === null ? {} : { config_version: version }),
        ...call,
      });
      atMs += call.latency_ms;
      if (failure === null || attempt === MAX_RETRIES || !draw.isTrue(0.7)) {
        return { atMs, isFailed: failure !== null };
      }
      atMs += draw.between(500, 6000);
    }
  }

  #failureAt({ provider }: Habits, atMs: number): Failure | null {
    const { draw } = this;
    const incident = this.incidents.find(
      one => one.provider === provider && atMs >= one.fromMs && atMs < one.toMs,
    );
    if (incident !== undefined) return draw.isTrue(incident.chance) ? draw.pick(incident.failures) : null;
    return draw.isTrue(SPORADIC_CHANCE) ? draw.pick(sporadic) : null;
  }
}

type Call = Omit<Unnumbered, "timestamp" | "agent_key" | "session_id" | "customer_id" | "config_version">;

/** One agent's calls of a session: the prompt grows by every message and answer. */
class Conversation {
  readonly #model: string;
  #contextTokens: number;
  #turns = 0;

  constructor(
    readonly habits: Habits,
    private readonly draw: Draw,
  ) {
    const { models, systemTokens } = habits;
    this.#model = models[draw.weighted(models.map(({ weight }) => weight))]?.model ?? "";
    this.#contextTokens = systemTokens;
  }

  next(): Call {
    const { draw, habits } = this;
    const cachedTokens = this.#contextTokens;
    const input = Math.min(MAX_INPUT_TOKENS, cachedTokens + draw.logNormal(...habits.message));
    const wanted = habits.answer[0] === 0 ? 0 : draw.logNormal(...habits.answer);
    // Like a person who has read enough, or closed the page.
    const isCancelled = habits.stream && draw.isTrue(CANCELLED_CHANCE);
    const output = isCancelled ? Math.ceil(wanted * draw.next()) : wanted;
    const firstTokenMs = 180 + Math.round(input * 0.02) + draw.between(0, 300);
    const call: Call = {
      provider: habits.provider,
      model: this.#model,
      input_tokens: input,
      output_tokens: output,
      ...this.#cacheOf(Math.min(cachedTokens, input), input),
      ...(habits.reasoning === 0 ? {} : { reasoning_tokens: Math.floor(output * habits.reasoning) }),
      latency_ms: firstTokenMs + Math.round(output * habits.msPerToken * (0.7 + draw.next() * 0.8)),
      ...(habits.stream ? { ttft_ms: firstTokenMs } : {}),
      stream: habits.stream,
      status: isCancelled ? "cancelled" : "success",
    };
    this.#contextTokens = Math.min(MAX_INPUT_TOKENS, input + output);
    this.#turns += 1;
    return call;
  }

  failed({ status, errorCode, latencyMs }: Failure): Call {
    return {
      provider: this.habits.provider,
      model: this.#model,
      input_tokens: 0,
      output_tokens: 0,
      latency_ms: this.draw.between(...latencyMs),
      stream: this.habits.stream,
      status,
      error_code: errorCode,
    };
  }

  #cacheOf(known: number, input: number): Pick<Call, "cache_read_tokens" | "cache_write_tokens"> {
    switch (this.habits.cache) {
      case "none":
        return {};
      case "written":
        // Other sessions have written the same system prompt within the last minutes, or nobody has.
        return this.#turns > 0 || this.draw.isTrue(0.4)
          ? { cache_read_tokens: known, cache_write_tokens: input - known }
          : { cache_write_tokens: known };
      case "automatic": {
        const { leastTokens, stepTokens } = AUTOMATIC_CACHE;
        if (known < leastTokens || this.draw.isTrue(0.25)) return {};
        return { cache_read_tokens: known - (known % stepTokens) };
      }
    }
  }
}

function versionAt({ configVersions }: Habits, atMs: number, nowMs: number): string | null {
  if (configVersions.length === 0) return null;
  const age = Math.max(0, nowMs - atMs) / (HISTORY_DAYS * DAY_MS);
  const index = Math.floor((1 - Math.min(age, 0.999)) * configVersions.length);
  return configVersions[Math.min(index, configVersions.length - 1)] ?? null;
}
