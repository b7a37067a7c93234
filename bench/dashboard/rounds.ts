/** Each opens every view once, in a browser without a cache. */
export const rounds = 20;
/** A round in which the hypervisor took CPU time is repeated, but not forever: then all of them count. */
export const maxRounds = 60;
