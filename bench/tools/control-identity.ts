/** Of the bench's control plane, also for those who create accounts and links for it. */
export const PUBLIC_URL = "http://tollgate.test";
export const SECRET = "a secret that is long enough for a bench";
