import type { Event, PairKind, PairMark, PairResult, TaskCategory } from "@tollgate/core/event";
import type { Target } from "@tollgate/core/steering";
import type { ComparedAnswer, ComparedRequest, GivenAnswer } from "@tollgate/core/verification/compared-call";
import { gradeControl, gradePair } from "@tollgate/core/verification/grading/grade-pair";
import { combineJudgements } from "@tollgate/core/verification/judge/combine-judgements";
import { judgePrompt } from "@tollgate/core/verification/judge/judge-prompt";
import { type Judgement, readJudgement } from "@tollgate/core/verification/judge/read-judgement";
import { taskCategory } from "@tollgate/core/verification/task-category";
import { readComparedAnswer } from "@tollgate/providers/compared/compared-answer";
import { comparedRequest } from "@tollgate/providers/compared/compared-request";
import type { RunningVerification } from "@tollgate/storage/config/running-verification";
import type { Call } from "../call/call.ts";
import type { CallEnd, PairCall } from "../request/pair-call.ts";
import type { Endpoint, Routed } from "../request/routed.ts";
import { planJudge } from "./plan-judge.ts";
import { planShadow } from "./plan-shadow.ts";

/** A sampled production call, and its answer. */
export interface Sampled {
  readonly verification: RunningVerification;
  readonly kind: PairKind;
  readonly call: Call;
  readonly event: Event;
  /** In the client's dialect. */
  readonly answer: string;
  /** The key of the candidate's provider, or of production's for a control. */
  readonly shadowKey: string;
  readonly judgeKey: string;
}

/** Makes a call in the background. Resolves when its event is on disk; rejects if it is not admitted. */
export type MakeCall = (call: {
  readonly sampled: Sampled;
  readonly pair: PairCall;
  readonly endpoint: Endpoint;
  readonly routed: Routed;
  readonly providerKey: string;
  readonly headers: Headers;
}) => Promise<void>;

/**
 * One comparison: the same request is sent to the second model, and the answers are graded by rules or, if these cannot
 * decide, by a judge. Request, answers and keys exist only here, until it is over. It has a result once an event with
 * the result is on disk; otherwise the pair is void.
 */
export class Pair {
  readonly #request: ComparedRequest;
  readonly #production: ComparedAnswer;
  readonly #category: TaskCategory;
  readonly #mark: PairMark;
  #candidate: GivenAnswer | null = null;
  #judgements: Judgement[] = [];

  constructor(
    private readonly sampled: Sampled,
    private readonly makeCall: MakeCall,
    private readonly chat: Endpoint,
  ) {
    const { call, verification, kind, event } = sampled;
    const { dialect } = call.endpoint;
    this.#request = comparedRequest(dialect.id, call.body);
    const read = readComparedAnswer(dialect.id, sampled.answer, call.summary.stream);
    this.#production = read?.answer ?? { kind: "failed" };
    this.#category = taskCategory(this.#request);
    this.#mark = { request_id: verification.id, pair_id: event.id, kind, result: null };
  }

  async run(): Promise<void> {
    const { call, event, verification, shadowKey, kind } = this.sampled;
    if (this.#production.kind === "failed") return;
    const target = kind === "control" ? verification.production : verification.candidate;
    const routed = planShadow(call, target, event.output_tokens);
    if (routed === null) return;
    await this.makeCall({
      sampled: this.sampled,
      pair: {
        source: "shadow",
        mark: this.#mark,
        grade: (end, answer) => this.#gradeAnswer(end, answer),
      },
      endpoint: call.endpoint,
      routed,
      providerKey: shadowKey,
      headers: call.clientHeaders,
    });
    if (this.#candidate === null || this.#production.kind !== "given") return;
    // Twice, with swapped positions: a preference for a position cancels out.
    await this.#ask(verification.judge, this.#production, this.#candidate);
    if (this.#judgements.length === 1) await this.#ask(verification.judge, this.#candidate, this.#production);
  }

  async #ask(judge: Target, x: GivenAnswer, y: GivenAnswer): Promise<void> {
    const mark = crypto.randomUUID().replaceAll("-", "");
    await this.makeCall({
      sampled: this.sampled,
      pair: {
        source: "judge",
        mark: this.#mark,
        grade: (end, answer) => this.#gradeJudgement(end, answer),
      },
      endpoint: this.chat,
      routed: planJudge(judgePrompt(this.#request, { x, y }, mark), judge),
      providerKey: this.sampled.judgeKey,
      headers: new Headers(),
    });
  }

  #gradeAnswer(end: CallEnd, text: string | null): PairResult | null {
    if (saysNothing(end)) return null;
    const { dialect } = this.sampled.call.endpoint;
    const read = text === null ? null : readComparedAnswer(dialect.id, text, false);
    if (text !== null && read === null) return null; // not comparable
    // Cut by a limit that the client never set.
    if (read?.isCut === true && this.sampled.call.summary.maxOutputTokens === null) return null;
    const candidate: ComparedAnswer = read?.answer ?? { kind: "failed" };
    const grade = this.#mark.kind === "control" ? gradeControl : gradePair;
    const grading = grade(this.#request, this.#production, candidate);
    if (grading.kind === "graded") {
      return { score: grading.score, grader: grading.grader, category: this.#category };
    }
    if (grading.kind === "ask_judge" && candidate.kind === "given") this.#candidate = candidate;
    return null;
  }

  #gradeJudgement(end: CallEnd, text: string | null): PairResult | null {
    const read =
      end.status === "success" && text !== null ? readComparedAnswer("openai-chat", text, false) : null;
    const judgement = read?.answer.kind === "given" ? readJudgement(read.answer.text) : null;
    if (judgement === null) return null;
    this.#judgements.push(judgement);
    const [first, second] = this.#judgements;
    if (first === undefined || second === undefined) return null;
    return { score: combineJudgements(first, second), grader: "judge", category: this.#category };
  }
}

/**
 * Failures that are not the model's: we stopped, no connection was made, or the provider's rate limit, which the
 * verification's own traffic may have used up.
 */
function saysNothing({ status, httpStatus }: CallEnd): boolean {
  return (
    status === "interrupted" ||
    status === "cancelled" ||
    httpStatus === 429 ||
    (status === "error" && httpStatus === null)
  );
}
