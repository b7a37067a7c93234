import type { predictionOperations } from "@tollgate/core/contract/predictions";
import type { Handlers } from "../kernel/handler.ts";
import { predictionsAcknowledge } from "./acknowledge.ts";
import { predictionsList } from "./list.ts";

export const predictionHandlers: Handlers<typeof predictionOperations> = {
  "predictions.acknowledge": predictionsAcknowledge,
  "predictions.list": predictionsList,
};
