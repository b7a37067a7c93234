import { type Usage, usageOf } from "../money/usage.ts";

/** Token counts as sent: two totals, and parts of them. */
interface CountedTokens {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly inputAudio?: number | undefined;
  readonly inputImage?: number | undefined;
  readonly reasoning?: number | undefined;
  readonly outputAudio?: number | undefined;
}

/**
 * Every token in exactly one kind. By convention the input total includes cache reads and writes, and the output total
 * includes reasoning. Some emitters copy a provider's raw numbers, where they are separate: a part larger than its
 * whole reveals that. null: no count was reported.
 */
export function usageOfCounts(counts: CountedTokens): Usage | null {
  if (Object.values(counts).every(count => count === undefined)) return null;
  const { cacheRead = 0, cacheWrite = 0, inputAudio = 0, inputImage = 0 } = counts;
  const cached = cacheRead + cacheWrite;
  const { input: fresh, audio, image } = splitInput(counts.input, cached, inputAudio, inputImage);
  const { reasoning = 0, outputAudio = 0 } = counts;
  const answer = splitOutput(counts.output, reasoning, outputAudio);
  return usageOf({
    input: fresh,
    cache_read: cacheRead,
    cache_write: cacheWrite,
    input_audio: audio,
    input_image: image,
    output: answer.output,
    reasoning,
    output_audio: answer.audio,
  });
}

function splitInput(total: number | undefined, cached: number, inputAudio: number, inputImage: number) {
  if (total === undefined) return { input: 0, audio: inputAudio, image: inputImage };
  const uncached = cached > total ? total : total - cached;
  // Cached audio is in both parts: it is counted as cached, and only the rest as audio.
  const audio = Math.min(inputAudio, uncached);
  const image = Math.min(inputImage, uncached - audio);
  return { input: uncached - audio - image, audio, image };
}

function splitOutput(total: number | undefined, reasoning: number, outputAudio: number) {
  if (total === undefined) return { output: 0, audio: outputAudio };
  const rest = reasoning > total ? total : total - reasoning;
  const audio = Math.min(outputAudio, rest);
  return { output: rest - audio, audio };
}
