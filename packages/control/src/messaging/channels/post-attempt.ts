import { parseRetryAfter } from "@tollgate/core/delivery/schedule";
import type { Attempt } from "../../kernel/transport.ts";
import type { OutgoingAnswer } from "../outgoing/guarded-client.ts";
import { OutgoingFault } from "../outgoing/outgoing-fault.ts";
import { shownAnswer } from "./shown-answer.ts";

/**
 * The result of one request. A refused address stays refused, so that failure is permanent; the caller decides which
 * statuses are. A fault other than the client's own is reported without its message, which might quote the address.
 */
export async function postAttempt(
  answer: Promise<OutgoingAnswer>,
  now: () => number,
  isPermanent: (status: number) => boolean,
): Promise<Attempt> {
  try {
    const { status, retryAfter, text } = await answer;
    const isDelivered = status >= 200 && status < 300;
    return {
      outcome: isDelivered ? "delivered" : isPermanent(status) ? "permanent_failure" : "failed",
      httpStatus: status,
      error: isDelivered ? null : sentenceOf(status),
      answer: shownAnswer(text),
      retryAfterMs: isDelivered ? null : parseRetryAfter(retryAfter, now()),
    };
  } catch (fault) {
    const isKnown = fault instanceof OutgoingFault;
    return {
      outcome: isKnown && fault.kind === "refused" ? "permanent_failure" : "failed",
      httpStatus: null,
      error: isKnown ? capitalized(fault.message) : "The request could not be sent",
      answer: null,
      retryAfterMs: null,
    };
  }
}

function sentenceOf(status: number): string {
  const isRedirect = status >= 300 && status < 400;
  return `The receiver answered ${status}${isRedirect ? ", and redirects are not followed" : ""}`;
}

function capitalized(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
