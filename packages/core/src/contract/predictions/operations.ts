import { predictionsAcknowledge } from "./acknowledge.ts";
import { predictionsList } from "./list.ts";

export const predictionOperations = {
  "predictions.acknowledge": predictionsAcknowledge,
  "predictions.list": predictionsList,
} as const;
