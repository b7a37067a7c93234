import {
  type CallShare,
  type CallsGrant,
  type CallsRequest,
  type HeldMonth,
  shareCalls,
} from "@tollgate/storage/shared-ledger/quota-bank";
import type { VirtualTime } from "../waiting/virtual-time.ts";

export type Network = "good" | "slow" | "lossy" | "away";

/** As `openAllowanceBank` does. */
const MAX_ANSWER_MS = 2000;
const MAX_ASKED_PER_SECOND = 60;

/** A node, as the bank knows it. */
interface Node {
  readonly id: string;
  readonly network: Network;
  readonly askedAtMs: number[];
  /** Its requests take effect one after the other. */
  lastCommitAtMs: number;
}

/** The gateway that runs on it. */
interface Process {
  readonly isAlive: boolean;
  isCutOff: boolean;
  /** Requests in flight, by month. */
  readonly asking: Map<string, number>;
}

/** The bank's real decision about monthly calls, behind networks that are slow or lose answers. */
export class SimulatedQuotaBank {
  requests = 0;
  readonly #shares = new Map<string, Map<string, CallShare>>();

  constructor(
    private readonly time: VirtualTime,
    private readonly random: () => number,
    private readonly orgId: string,
    private readonly violations: string[],
  ) {}

  /** What the bank keeps for a node. */
  heldBy(nodeId: string, month: string): number {
    return this.#shares.get(month)?.get(nodeId)?.granted_calls ?? 0;
  }

  async ask(node: Node, process: Process, request: CallsRequest): Promise<CallsGrant> {
    const { time } = this;
    if (!process.isAlive) return await new Promise<never>(() => {});
    this.requests++;
    this.#watchRate(node);
    const inFlight = add(process.asking, request.month, 1);
    if (inFlight > 1) this.violations.push(`${inFlight} requests of one node in flight`);
    const askedAtMs = time.now();
    try {
      const answer = await this.#send(node, request, askedAtMs);
      process.isCutOff = false;
      return answer;
    } catch (fault) {
      process.isCutOff = true;
      throw fault;
    } finally {
      add(process.asking, request.month, -1);
    }
  }

  async #send(node: Node, request: CallsRequest, askedAtMs: number): Promise<CallsGrant> {
    const { time } = this;
    const longestMs = { good: 5, slow: 1200, lossy: 40, away: 0 }[node.network];
    const chance = node.network === "lossy" ? this.random() : 1;
    if (node.network === "away" || chance < 0.2) return await this.#fail(askedAtMs);
    const commitAtMs = Math.max(node.lastCommitAtMs, askedAtMs + longestMs * this.random());
    // Its turn has come too late.
    if (commitAtMs > askedAtMs + MAX_ANSWER_MS) return await this.#fail(askedAtMs);
    node.lastCommitAtMs = commitAtMs;
    await time.sleep(commitAtMs - time.now());
    const answer = this.#commit(node.id, request);
    if (chance < 0.4) return await this.#fail(askedAtMs);
    const arrivesAtMs = time.now() + longestMs * this.random();
    if (arrivesAtMs > askedAtMs + MAX_ANSWER_MS) return await this.#fail(askedAtMs);
    await time.sleep(arrivesAtMs - time.now());
    return answer;
  }

  async #fail(askedAtMs: number): Promise<never> {
    const isRefused = this.random() < 0.5;
    await this.time.sleep(isRefused ? 1 : askedAtMs + MAX_ANSWER_MS - this.time.now());
    throw new Error("PostgreSQL does not answer");
  }

  async heldMonths(node: Node, process: Process): Promise<HeldMonth[]> {
    await this.time.sleep(5 * this.random());
    if (!process.isAlive) return await new Promise<never>(() => {});
    if (node.network === "away") throw new Error("PostgreSQL is away");
    return [...this.#shares].flatMap(([month, shares]) => {
      const share = shares.get(node.id);
      return share
        ? [{ orgId: this.orgId, month, grantedCalls: share.granted_calls - share.lost_calls }]
        : [];
    });
  }

  #commit(nodeId: string, request: CallsRequest): CallsGrant {
    const { month } = request;
    const shares = this.#shares.get(month) ?? new Map<string, CallShare>();
    this.#shares.set(month, shares);
    const { own, grant } = shareCalls(request, [...shares.values()], nodeId);
    shares.set(nodeId, { node_id: nodeId, ...own });
    return grant;
  }

  /** A node may ask when calls wait, but not as fast as it gets answers. */
  #watchRate({ id, askedAtMs }: Node): void {
    const now = this.time.now();
    askedAtMs.push(now);
    while ((askedAtMs[0] ?? now) <= now - 1000) askedAtMs.shift();
    if (askedAtMs.length > MAX_ASKED_PER_SECOND)
      this.violations.push(`${id}: ${askedAtMs.length} requests in a second`);
  }
}

export function add(sums: Map<string, number>, key: string, value: number): number {
  const sum = (sums.get(key) ?? 0) + value;
  sums.set(key, sum);
  return sum;
}
