/** How far the adjustments of costs are in the read model. Its position is the id of an adjustment. */
export const ADJUSTMENTS_CURSOR = "read-model:adjustments";
