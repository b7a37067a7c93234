/**
 * How far the model had come when each frame of a recorded stream was sent. Recordings have no clock; what they tell
 * is how many tokens were billed in the end, and which bytes each frame shows.
 */

export interface ShownFrame {
  /** Of text, shown thinking and tool arguments, in this frame alone. */
  readonly bytes: number;
  readonly isThinking: boolean;
  /** Output tokens that the provider has counted up to this frame; 0 where it does not say. */
  readonly toldTokens: number;
}

export interface WrittenTokens {
  readonly reasoning: number;
  readonly answer: number;
}

/**
 * For each frame, the tokens that were written when it was sent. A provider's own count wins. Otherwise tokens are
 * spread over the bytes shown: reasoning over the frames that show thinking, or before the first answer where none
 * does; the rest over the answer.
 */
export function tokensWhenSent(frames: readonly ShownFrame[], total: WrittenTokens): number[] {
  const showsThinking = total.reasoning > 0 && frames.some(frame => frame.isThinking && frame.bytes > 0);
  const isThought = (frame: ShownFrame) => showsThinking && frame.isThinking;
  const thoughtBytes = sum(frames.filter(isThought));
  const answerBytes = sum(frames.filter(frame => !isThought(frame)));
  let thought = 0;
  let answered = 0;
  let written = 0;
  return frames.map(frame => {
    if (isThought(frame)) thought += frame.bytes;
    else answered += frame.bytes;
    const reasoning = showsThinking ? thought / thoughtBytes : answered > 0 ? 1 : 0;
    const answer = answerBytes === 0 ? 0 : answered / answerBytes;
    const spread = reasoning * total.reasoning + answer * total.answer;
    written = Math.max(written, frame.toldTokens > 0 ? frame.toldTokens : spread);
    return written;
  });
}

function sum(frames: readonly ShownFrame[]): number {
  return frames.reduce((bytes, frame) => bytes + frame.bytes, 0);
}

/** How fast one call runs. */
export interface CallPace {
  readonly latencyMs: number;
  readonly tokensPerSecond: number;
}

export interface Cut {
  readonly elapsedMs: number;
  /** All that the model had written by then, shown or not. */
  readonly tokensWritten: number;
  /** Frames that had arrived by then. */
  readonly framesSeen: number;
}

/** Cuts a call at a fraction of its whole time. Never at its end: a complete answer is not a cut one. */
export function cutAt(
  fraction: number,
  whenSent: readonly number[],
  totalTokens: number,
  pace: CallPace,
): Cut {
  const elapsedMs = fraction * (pace.latencyMs + (totalTokens / pace.tokensPerSecond) * 1000);
  const writingMs = elapsedMs - pace.latencyMs;
  if (writingMs < 0) return { elapsedMs, tokensWritten: 0, framesSeen: 0 };
  const tokensWritten = Math.min(
    Math.floor((writingMs * pace.tokensPerSecond) / 1000),
    Math.max(0, totalTokens - 1),
  );
  let framesSeen = 0;
  while (framesSeen < whenSent.length && (whenSent[framesSeen] ?? 0) <= tokensWritten) framesSeen++;
  return { elapsedMs, tokensWritten, framesSeen };
}
