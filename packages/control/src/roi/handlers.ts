import type { roiOperations } from "@tollgate/core/contract/roi";
import type { Handlers } from "../kernel/handler.ts";
import { agentsRoi } from "./agents-roi.ts";
import { attributionGet } from "./attribution-get.ts";
import { roiAuditGet } from "./roi-audit-get.ts";
import { upgradeJustificationGet } from "./upgrade-justification-get.ts";

export const roiHandlers: Handlers<typeof roiOperations> = {
  "agents.roi": agentsRoi,
  "attribution.get": attributionGet,
  "roi_audit.get": roiAuditGet,
  "upgrade_justification.get": upgradeJustificationGet,
};
