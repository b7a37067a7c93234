import { agentsRoi } from "./agents-roi.ts";
import { attributionGet } from "./attribution-get.ts";
import { roiAuditGet } from "./roi-audit-get.ts";
import { upgradeJustificationGet } from "./upgrade-justification-get.ts";

export const roiOperations = {
  "agents.roi": agentsRoi,
  "attribution.get": attributionGet,
  "roi_audit.get": roiAuditGet,
  "upgrade_justification.get": upgradeJustificationGet,
} as const;
