/** As specified, so it is no package version and does not tell releases apart; backups and `svc nodes` show it, too. */
export const GATEWAY_VERSION = "1.0.0";
