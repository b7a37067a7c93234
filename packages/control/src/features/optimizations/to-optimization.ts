import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { optimizationResource } from "@tollgate/core/contract/optimizations";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { StoredRow } from "@tollgate/storage/database/schema";
import type { z } from "zod";
import { readMetadata } from "../../kernel/read-metadata.ts";

export type OptimizationRow = StoredRow<"optimizations">;

export function toOptimization(row: OptimizationRow): z.infer<typeof optimizationResource> {
  return {
    id: row.id,
    agent_id: row.agent_id,
    optimization_type: fromRow("optimizations", row).optimization_type,
    payload: readMetadata(row.payload),
    source: row.source,
    applied_by: row.applied_by,
    applied_at: toIsoTime(row.applied_at),
    undone_at: row.undone_at === null ? null : toIsoTime(row.undone_at),
  };
}
