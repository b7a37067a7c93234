import { fail, TollgateError } from "@tollgate/core/errors";
import type { PairKind } from "@tollgate/core/event";
import { describeFault } from "@tollgate/core/log";
import type { ProviderId } from "@tollgate/core/provider-id";
import { drawPair } from "@tollgate/core/verification/draw-pair";
import type { RunningVerification } from "@tollgate/storage/config/running-verification";
import { AdmittedCall } from "../call/admitted-call.ts";
import { AnswerTap } from "../call/answer-tap.ts";
import type { Call } from "../call/call.ts";
import type { Sampler } from "../call/sampler.ts";
import type { Gateway } from "../gateway.ts";
import { perform } from "../perform.ts";
import { authenticate } from "../request/authenticate.ts";
import { readOtherProviderKey } from "../request/provider-keys.ts";
import type { Endpoint, Identified } from "../request/routed.ts";
import { admit } from "../stages/admit.ts";
import { isEligible } from "./is-eligible.ts";
import { type MakeCall, Pair, type Sampled } from "./pair.ts";
import { SampledSessions } from "./sampled-sessions.ts";

const MAX_PAIRS_AT_ONCE = 4;
/** While more client calls than this are in flight, nothing is sampled. */
const BUSY_CALLS = 256;
const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_PAIR_MS = 120_000;
/** One pair in ten measures the judge. */
const CONTROL_EVERY = 10;

/** Samples calls for running verifications, and compares them in the background once their clients are served. */
export class Verifications implements Sampler {
  #pairs = 0;
  readonly #sessions = new SampledSessions();
  readonly #stopping = new AbortController();

  constructor(
    private readonly gateway: () => Gateway,
    private readonly chat: Endpoint,
    private readonly maxPairMs = MAX_PAIR_MS,
  ) {}

  sample(call: Call): AnswerTap | null {
    const { verifications } = this.gateway().directory.rulesOf(call.caller.orgId, call.caller.mode);
    return verifications.length === 0 ? null : this.#sample(call, verifications);
  }

  /** Pairs in progress are void. */
  stop(): void {
    this.#stopping.abort();
  }

  #sample(call: Call, verifications: readonly RunningVerification[]): AnswerTap | null {
    if (this.#stopping.signal.aborted || this.#pairs >= MAX_PAIRS_AT_ONCE) return null;
    const { inFlight, now } = this.gateway();
    if (inFlight.size > BUSY_CALLS) return null;
    const verification = verifications.find(one => isAbout(one, call) && now() < one.expiresAtMs);
    if (verification === undefined) return null;
    const kind = draw(verification, call.id);
    if (kind === null) return null;
    const candidateKey = keyOf(call, verification.candidate.provider);
    const judgeKey = keyOf(call, verification.judge.provider);
    // Without the candidate's key nothing will be compared, and a control would measure the judge in vain.
    if (candidateKey === null || judgeKey === null) return null;
    // Not earlier, because it searches the request.
    if (!isEligible(call) || this.#sessions.isOver(verification.id, call.sessionId, now())) return null;
    const shadowKey = kind === "control" ? call.providerKey : candidateKey;
    this.#pairs++;
    return new AnswerTap(
      MAX_ANSWER_BYTES,
      (answer, event) => this.#begin({ verification, kind, call, event, answer, shadowKey, judgeKey }),
      () => this.#pairs--,
    );
  }

  /** In a later turn of the event loop, so that the client's last bytes go first. */
  #begin(sampled: Sampled): void {
    setTimeout(() => {
      void this.#run(sampled).finally(() => this.#pairs--);
    }, 0);
  }

  async #run(sampled: Sampled): Promise<void> {
    try {
      await new Pair(sampled, this.#makeCall(AbortSignal.timeout(this.maxPairMs)), this.chat).run();
    } catch (fault) {
      // Refused by a budget, or not comparable: the pair is void.
      if (fault instanceof TollgateError) return;
      const { log } = this.gateway();
      log("error", "a pair of a verification failed, and is void", {
        request_id: sampled.verification.id,
        ...describeFault(fault),
      });
    }
  }

  #makeCall(deadline: AbortSignal): MakeCall {
    return async ({ sampled, pair, endpoint, routed, providerKey, headers }) => {
      const gateway = this.gateway();
      const { agentKey, clientHeaders } = sampled.call;
      // Since the client's call, its key may have been revoked, or its verification ended.
      const caller = authenticate(clientHeaders, gateway);
      const { verifications } = gateway.directory.rulesOf(caller.orgId, caller.mode);
      if (!verifications.some(({ id }) => id === sampled.verification.id)) {
        throw fail("not_found", "the verification has ended");
      }
      const identified: Identified = {
        caller,
        providerKey,
        agentKey,
        sessionId: null,
        customerId: null,
        configVersion: null,
        traceparent: null,
        pair,
      };
      const signal = AbortSignal.any([deadline, this.#stopping.signal]);
      signal.throwIfAborted();
      const request = new Request(`http://verification.invalid${endpoint.path}`, { headers, signal });
      const call = await admit({ id: gateway.newId(), identified, routed, endpoint, request }, gateway);
      // Few and short: they take no room.
      const admitted = new AdmittedCall(call, gateway, 0);
      const end = () => admitted.breakOff(deadline.aborted ? "timeout" : "interrupted");
      signal.addEventListener("abort", end, { once: true });
      if (signal.aborted) end();
      try {
        const response = await perform(admitted, request, gateway);
        await response.body?.cancel();
      } finally {
        signal.removeEventListener("abort", end);
      }
    };
  }
}

function isAbout({ agentKey, production }: RunningVerification, call: Call): boolean {
  return (
    (agentKey === null || agentKey === call.agentKey) &&
    production.model === call.model &&
    production.provider === call.provider.id
  );
}

function draw({ seed, sharePct }: RunningVerification, callId: string): PairKind | null {
  const drawn = drawPair({ seed, sample_share: sharePct / 100, control_every: CONTROL_EVERY }, callId);
  return drawn === "compared" ? "candidate" : drawn;
}

/** The key of the call's own provider, or the one sent for another provider; null: none was. */
function keyOf(call: Call, provider: ProviderId): string | null {
  return provider === call.provider.id
    ? call.providerKey
    : readOtherProviderKey(call.clientHeaders, provider);
}
