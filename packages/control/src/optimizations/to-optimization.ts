import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { optimizationResource } from "@tollgate/core/contract/optimizations/resource";
import { isOptimizationType } from "@tollgate/core/suggestions/suggestion-types";
import type { ControlSchema } from "@tollgate/storage/database/schema";
import type { Selectable } from "kysely";
import type { z } from "zod";
import { readMetadata } from "../kernel/read-metadata.ts";

export type OptimizationRow = Selectable<ControlSchema["optimizations"]>;

export function toOptimization(row: OptimizationRow): z.infer<typeof optimizationResource> {
  const { optimization_type: type } = row;
  // The table's check constraint rules this out.
  if (!isOptimizationType(type)) throw new Error(`an optimization has an unknown type: ${type}`);
  return {
    id: row.id,
    agent_id: row.agent_id,
    optimization_type: type,
    payload: readMetadata(row.payload),
    source: row.source,
    applied_by: row.applied_by,
    applied_at: toIsoTime(row.applied_at),
    undone_at: row.undone_at === null ? null : toIsoTime(row.undone_at),
  };
}
