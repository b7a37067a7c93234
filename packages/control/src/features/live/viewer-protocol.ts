import { type ViewerMessage, viewerMessage } from "@tollgate/core/contract/live-message";
import { liveCloseCodes } from "@tollgate/core/live/live-channels";
import { MINUTE_MS } from "@tollgate/core/time/durations";
import type { Audience } from "./audience.ts";
import type { Viewer } from "./viewer.ts";

const MAX_MISTAKES = 5;
const MAX_MESSAGES_PER_MINUTE = 120;
/** Each may have to read far back in the ledger. */
const MAX_RESUMES_PER_MINUTE = 10;

/** Handles a viewer's messages. A mistake is answered with an error; too many of them close the connection. */
export class ViewerProtocol {
  #mistakes = 0;
  #messages = 0;
  #resumes = 0;
  #minuteEnds = 0;

  constructor(
    private readonly viewer: Viewer,
    private readonly audience: Audience,
  ) {}

  handle(message: string | Buffer): void {
    if (!this.viewer.isOpen) return;
    if (this.#isTooMuch()) {
      this.#refuse(`more than ${MAX_MESSAGES_PER_MINUTE} messages in one minute`);
      return;
    }
    const parsed = parse(message);
    if (typeof parsed === "string") {
      this.#refuse(parsed);
    } else if ("subscribe" in parsed) {
      if (parsed.since !== undefined && ++this.#resumes > MAX_RESUMES_PER_MINUTE) {
        this.#refuse(`more than ${MAX_RESUMES_PER_MINUTE} subscriptions with since in one minute`);
        return;
      }
      this.audience.subscribe(this.viewer, parsed.subscribe, parsed);
    } else {
      this.audience.unsubscribe(this.viewer, parsed.unsubscribe);
    }
  }

  #isTooMuch(): boolean {
    const at = performance.now();
    if (at >= this.#minuteEnds) {
      this.#minuteEnds = at + MINUTE_MS;
      this.#messages = 0;
      this.#resumes = 0;
    }
    return ++this.#messages > MAX_MESSAGES_PER_MINUTE;
  }

  #refuse(error: string): void {
    if (++this.#mistakes > MAX_MISTAKES) {
      this.viewer.close(liveCloseCodes.badMessages, "too many invalid messages");
      return;
    }
    this.viewer.send(JSON.stringify({ error }));
  }
}

/** Returns what is wrong, as text, if the message is invalid. */
function parse(message: string | Buffer): ViewerMessage | string {
  if (typeof message !== "string") return "messages must be text";
  let value: unknown;
  try {
    value = JSON.parse(message);
  } catch {
    return "the message is not JSON";
  }
  const parsed = viewerMessage.safeParse(value);
  return parsed.success
    ? parsed.data
    : 'send {"subscribe": [channels], "since": seq, "ack": true} or {"unsubscribe": [channels]}; channels: events, totals, agents, alerts, topology';
}
