/** Which agent is credited with an outcome: the one it names, or the first or last agent of its session. */
export const attributionModels = ["direct", "last_touch", "first_touch"] as const;

export type AttributionModel = (typeof attributionModels)[number];
