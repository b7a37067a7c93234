/** The agent of calls that name none. */
export const DEFAULT_AGENT = "default";
