/** The billed cost of cut calls compared with their true cost: recorded streams, cut at random moments. */

import { inputTokens, outputTokens } from "@tollgate/core/money/usage";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { estimateTokens } from "@tollgate/core/pricing/estimate";
import { type ProviderId, providerIds } from "@tollgate/core/provider-id";
import { seededRandom } from "@tollgate/core/statistics/seeded-random";
import { paceInWords } from "./assumed-pace.ts";
import { loadStreams } from "./load-streams.ts";
import { type EstimatesOptions, readOptions, usage } from "./options.ts";
import { isPriced, mayThinkUnseen, type PricedCut, priceCut } from "./price-cut.ts";
import { type RecordedStream, type Recording, readRecording } from "./recording.ts";
import { renderRows } from "./render-rows.ts";
import { simulateStreams } from "./simulate-streams.ts";
import { type Spread, spreadOf } from "./spread.ts";
import { type CutsSummary, type KnownPace, summarizeCuts } from "./summarize-cuts.ts";

type Kind = "thinks" | "does not" | "server tools";
type Moment = "any" | "before" | "after";

interface CutRow extends CutsSummary {
  readonly provider: ProviderId | "all";
  readonly kind: Kind;
  /** Relative to the first visible byte. */
  readonly moment: Moment;
  readonly pace: KnownPace;
}

interface PromptRow {
  readonly provider: ProviderId;
  readonly requests: number;
  readonly ratio: Spread | null;
}

interface MeasuredRecording {
  readonly recording: Recording;
  readonly kind: Kind;
  readonly cuts: readonly PricedCut[];
}

/** Resolves with the exit code: 0, 1 if no stream could be measured, 2 for invalid arguments. */
export async function runEstimatesBench(args: readonly string[]): Promise<number> {
  let options: EstimatesOptions;
  let streams: RecordedStream[];
  try {
    options = readOptions(args);
    streams = options.streams === null ? await simulateStreams() : loadStreams(options.streams);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : "bad arguments"}\nusage: ${usage}`);
    return 2;
  }
  const { measured, skipped } = measure(streams, options);
  if (measured.length === 0) {
    console.error("no stream could be measured");
    for (const { name, why } of skipped) console.error(`${name}: ${why}`);
    return 1;
  }
  report(options, measured, skipped);
  return 0;
}

interface Skipped {
  readonly name: string;
  readonly why: string;
}

function measure(
  streams: readonly RecordedStream[],
  options: EstimatesOptions,
): { measured: MeasuredRecording[]; skipped: Skipped[] } {
  const catalogue = createCatalogue();
  const now = Date.now();
  const random = seededRandom(options.seed);
  const measured: MeasuredRecording[] = [];
  const skipped: Skipped[] = [];
  for (const stream of streams) {
    const recording = readRecording(stream);
    if ("why" in recording) {
      skipped.push({ name: stream.name, why: recording.why });
    } else if (!isPriced(recording, catalogue, now)) {
      skipped.push({ name: stream.name, why: `${recording.model} has no price` });
    } else if (outputTokens(recording.usage) >= options.atLeast) {
      const cuts = Array.from({ length: options.cuts }, () => priceCut(recording, random, catalogue, now));
      measured.push({ recording, kind: kindOf(recording), cuts });
    }
  }
  return { measured, skipped };
}

function kindOf(recording: Recording): Kind {
  if (recording.usesServerTools) return "server tools";
  return mayThinkUnseen(recording) ? "thinks" : "does not";
}

function cutRows(measured: readonly MeasuredRecording[]): CutRow[] {
  const rows: CutRow[] = [];
  for (const kind of ["thinks", "does not", "server tools"] as const) {
    for (const provider of ["all", ...providerIds] as const) {
      const cuts = measured
        .filter(each => each.kind === kind && (provider === "all" || each.recording.provider.id === provider))
        .flatMap(each => each.cuts);
      for (const moment of ["any", "before", "after"] as const) {
        const those = cuts.filter(cut => moment === "any" || cut.isVisible === (moment === "after"));
        if (those.length === 0) continue;
        for (const pace of kind === "does not" ? (["any"] as const) : (["learned", "cold"] as const)) {
          rows.push({ provider, kind, moment, pace, ...summarizeCuts(those, pace) });
        }
      }
    }
  }
  return rows;
}

/** Only if the prompt is the whole input: a search adds pages that are not in the request. */
function promptRows(measured: readonly MeasuredRecording[]): PromptRow[] {
  return providerIds.map(provider => {
    const ratios = measured.flatMap(({ recording: { prompt, usage: told, ...recording } }) =>
      recording.provider.id === provider && prompt !== null && !recording.usesServerTools
        ? [(estimateTokens(prompt.bytes) + prompt.mediaTokens + prompt.audioTokens) / inputTokens(told)]
        : [],
    );
    return { provider, requests: ratios.length, ratio: spreadOf(ratios) };
  });
}

function report(
  { streams, cuts, atLeast, seed, json }: EstimatesOptions,
  measured: readonly MeasuredRecording[],
  skipped: readonly Skipped[],
): void {
  const rows = cutRows(measured);
  const prompts = promptRows(measured);
  const recordings = measured.map(({ recording, kind }) => ({
    name: recording.name,
    model: recording.model,
    kind,
    inputTokens: inputTokens(recording.usage),
    ...recording.written,
    hasRequest: recording.prompt !== null,
  }));
  if (json) {
    console.log(
      JSON.stringify({ seed, cuts, atLeast, paceInWords, recordings, skipped, rows, prompts }, null, 2),
    );
    return;
  }
  const withoutRequest = recordings.filter(recording => !recording.hasRequest).length;
  // A model that thinks against the gateway's expectation is billed too low, so it must be reported.
  const missed = recordings.filter(({ kind, reasoning }) => kind === "does not" && reasoning > 0);
  console.log(
    `${measured.length} streams ${streams === null ? "of the simulator (short answers: only a smoke test)" : `in ${streams}`} with at least ${atLeast} output tokens, ${cuts} cuts each, seed ${seed}`,
  );
  console.log(`assumed: ${paceInWords}`);
  console.log(`${withoutRequest} without their request: their prompt estimate is assumed to be exact`);
  for (const { name, reasoning } of missed) console.log(`${name}: ${reasoning} unexpected reasoning tokens`);
  for (const { name, why } of skipped) console.log(`${name}: skipped, ${why}`);
  console.log(`\nEstimate ÷ truth of cut calls, before and after the first visible byte\n`);
  console.log(
    renderRows(
      [
        ["kind", row => row.kind],
        ["provider", row => row.provider],
        ["cut", row => row.moment],
        ["pace", row => row.pace],
        ["cuts", row => row.cuts.toLocaleString("en-US")],
        ...spreadColumns<CutRow>("output", row => row.output),
        ...spreadColumns<CutRow>("cost", row => row.cost),
        ["cost of all", row => ratio(row.costOfAll)],
        ["< half", row => percent(row.belowHalf)],
        ["old < half", row => percent(row.belowHalfBefore)],
      ],
      rows,
    ),
  );
  console.log("\nPrompt: bytes ÷ 4 ÷ reported input tokens\n");
  console.log(
    renderRows(
      [
        ["provider", row => row.provider],
        ["requests", row => `${row.requests}`],
        ...spreadColumns<PromptRow>("", row => row.ratio),
      ],
      prompts,
    ),
  );
}

function spreadColumns<Row>(name: string, of: (row: Row) => Spread | null): [string, (row: Row) => string][] {
  return (["mean", "median", "p5", "p95"] as const).map(key => [
    `${name} ${key}`.trim(),
    row => {
      const spread = of(row);
      return spread === null ? "–" : ratio(spread[key]);
    },
  ]);
}

function ratio(value: number): string {
  return value.toFixed(2);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
