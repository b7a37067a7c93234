/** From this share on, a limit or budget is shown as nearly used up. */
export const NEAR_LIMIT_SHARE = 0.8;
