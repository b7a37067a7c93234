import { momentInWords } from "./in-words.ts";
import type { Finding, Observation, Subject } from "./prediction.ts";
import type { Trend } from "./trend-toward.ts";

interface Course extends Pick<Observation, "n" | "unit" | "window" | "slopeUnit"> {
  readonly currentValue: number;
  readonly thresholdValue: number;
  readonly sentence: (crossesAt: string) => string;
}

/** A rising trend, with a forecast if it reaches the threshold within the horizon. */
export function trendFinding(
  subject: Subject,
  { p, crossesAt, tests, slope }: Trend,
  { currentValue, thresholdValue, sentence, ...course }: Course,
): Finding {
  if (crossesAt === null) return { ...subject, kind: "tested", p, forecast: null };
  return {
    ...subject,
    kind: "tested",
    p,
    forecast: {
      breachAt: crossesAt,
      currentValue,
      thresholdValue,
      direction: "rising",
      message: sentence(momentInWords(crossesAt)),
      observation: { ...course, tests, slope, interval: null },
    },
  };
}
