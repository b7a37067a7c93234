import type { experimentOperations } from "@tollgate/core/contract/experiments";
import type { Handlers } from "../kernel/handler.ts";
import { experimentsCreate } from "./create.ts";
import { experimentsGet } from "./get.ts";
import { experimentsList } from "./list.ts";
import { experimentsPause } from "./pause.ts";
import { experimentsResume } from "./resume.ts";
import { experimentsStop } from "./stop.ts";

export const experimentHandlers: Handlers<typeof experimentOperations> = {
  "experiments.create": experimentsCreate,
  "experiments.get": experimentsGet,
  "experiments.list": experimentsList,
  "experiments.pause": experimentsPause,
  "experiments.resume": experimentsResume,
  "experiments.stop": experimentsStop,
};
