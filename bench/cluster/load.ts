import { percentile } from "../kit/percentile.ts";
import type { Cluster, Node } from "./cluster.ts";
import { type CallAnswer, sendCall } from "./send-call.ts";

const AGENTS = 10;
/** Every sixth call streams. */
const STREAM_EVERY = 6;
/** While the bench itself is paused, the duration of a call says nothing about the cluster. */
const PAUSE_MS = 50;
/** A load balancer would not send more to a node that does not answer. */
const MAX_OPEN = 200;

interface SentCall {
  readonly id: string;
  readonly node: Node;
  readonly isStream: boolean;
  readonly startedMs: number;
  endedMs: number;
  answer: CallAnswer | null;
}

interface Outage {
  readonly node: Node;
  readonly kind: "killed" | "frozen";
  readonly fromMs: number;
  toMs: number;
}

export interface ClientView {
  readonly calls: number;
  /** Failed at a killed gateway, as they may. */
  readonly excused: number;
  /** Failed anywhere else: must be 0. */
  readonly failed: number;
  /** Some of these failures. */
  readonly reasons: readonly string[];
  /** What calls took longer than the provider, except at killed and frozen gateways. */
  readonly addedP50Ms: number;
  readonly addedP99Ms: number;
  readonly addedMaxMs: number;
  /** Calls whose time is unknown, because the bench itself was paused. */
  readonly untimed: number;
}

/** Calls at a fixed rate over all nodes, whether or not earlier calls have ended. */
export class Load {
  readonly #calls: SentCall[] = [];
  readonly #outages: Outage[] = [];
  readonly #pauses: { readonly fromMs: number; readonly toMs: number }[] = [];
  readonly #open: Promise<void>[] = [];
  readonly #openAt = new Map<Node, number>();
  #isOver = false;
  #running: Promise<void> | null = null;

  constructor(
    private readonly cluster: Cluster,
    /** Every call's id begins with it. */
    readonly name: string,
    private readonly callsPerSecond: number,
  ) {}

  begin(): void {
    this.#running = this.#run();
  }

  /** Resolves when the last call has ended. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    await Promise.all(this.#open);
  }

  /** Begins a time in which calls to this node may fail (killed) or wait (frozen). Returns what ends it. */
  outage(node: Node, kind: Outage["kind"]): () => void {
    const outage = { node, kind, fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY };
    this.#outages.push(outage);
    return () => {
      outage.toMs = performance.now();
    };
  }

  /** After `end`. */
  seen(): ClientView {
    const bad = this.#calls.filter(({ answer }) => answer?.status !== 200);
    const failed = bad.filter(call => call.answer?.status !== null || !this.#hits(call, "killed"));
    const added = Float64Array.from(this.#calls.flatMap(call => this.#addedMs(call) ?? [])).sort();
    const at = (fraction: number) => percentile(added, fraction) ?? Number.NaN;
    return {
      calls: this.#calls.length,
      excused: bad.length - failed.length,
      failed: failed.length,
      reasons: [...new Set(failed.map(describe))].slice(0, 5),
      addedP50Ms: at(0.5),
      addedP99Ms: at(0.99),
      addedMaxMs: at(1),
      untimed: this.#calls.filter(call => this.#isUntimed(call)).length,
    };
  }

  /** Answered calls that did not stream. */
  wholeAnswers(): number {
    return this.#calls.filter(({ answer, isStream }) => answer?.status === 200 && !isStream).length;
  }

  async #run(): Promise<void> {
    const { nodes, key } = this.cluster;
    let dueMs = performance.now();
    for (let number = 0; !this.#isOver; number++) {
      dueMs += 1000 / this.callsPerSecond;
      const wait = dueMs - performance.now();
      if (wait > 0) await Bun.sleep(wait);
      const nowMs = performance.now();
      if (nowMs - dueMs > PAUSE_MS) {
        this.#pauses.push({ fromMs: dueMs, toMs: nowMs });
        // The calls that were not made are not made up for: that would be another load.
        dueMs = nowMs;
      }
      const node = nodes[number % nodes.length];
      if (node === undefined || (this.#openAt.get(node) ?? 0) >= MAX_OPEN) continue;
      this.#open.push(this.#send(node, `${this.name}-${number}`, key, number));
    }
  }

  async #send(node: Node, id: string, key: string, number: number): Promise<void> {
    const isStream = number % STREAM_EVERY === 0;
    const startedMs = performance.now();
    const call: SentCall = { id, node, isStream, startedMs, endedMs: Number.NaN, answer: null };
    this.#calls.push(call);
    this.#count(node, 1);
    call.answer = await sendCall(node.url, {
      id,
      key,
      stream: isStream,
      headers: { "x-agent-id": `agent-${number % AGENTS}` },
    });
    call.endedMs = performance.now();
    this.#count(node, -1);
  }

  #count(node: Node, more: number): void {
    this.#openAt.set(node, (this.#openAt.get(node) ?? 0) + more);
  }

  /** null: it failed, or it was at a node that was not there. */
  #addedMs(call: SentCall): number | null {
    const tookMs = this.cluster.provider.served.get(call.id)?.tookMs ?? null;
    if (call.answer?.status !== 200 || tookMs === null) return null;
    if (this.#hits(call, "killed") || this.#hits(call, "frozen") || this.#isUntimed(call)) return null;
    return call.endedMs - call.startedMs - tookMs;
  }

  #isUntimed({ startedMs, endedMs }: SentCall): boolean {
    return this.#pauses.some(({ fromMs, toMs }) => startedMs <= toMs && endedMs >= fromMs);
  }

  #hits({ node, startedMs, endedMs }: SentCall, kind: Outage["kind"]): boolean {
    return this.#outages.some(
      outage =>
        outage.node === node && outage.kind === kind && startedMs <= outage.toMs && endedMs >= outage.fromMs,
    );
  }
}

function describe({ node, answer }: SentCall): string {
  if (answer === null || answer.status === null) return `${node.name}: the connection broke`;
  return `${node.name}: ${answer.status} ${answer.body.slice(0, 200)}`;
}
