/** How far cost adjustments are included in the read model. Its position is an adjustment's id. */
export const ADJUSTMENTS_CURSOR = "read-model:adjustments";
