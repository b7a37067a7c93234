/** PostgreSQL's advisory locks: arbitrary numbers that every Tollgate shares, declared together so that they differ. */
export const advisoryLocks = {
  migrations: 7_014_655_283,
  identityMigrations: 7_014_655_284,
  backgroundJobs: 7_014_655_285,
  firstRun: 7_014_655_286,
} as const;
