import { predictionStatuses } from "@tollgate/core/predictions/prediction";

export type PredictionState = (typeof predictionStatuses)[number];

/** `state` in the URL; active ones are the default. A value that makes no sense is dropped. */
export function readPredictionState(raw: Readonly<Record<string, unknown>>): {
  readonly state?: PredictionState | undefined;
} {
  const state = predictionStatuses.find(one => one === raw.state);
  return state === undefined || state === "active" ? {} : { state };
}
