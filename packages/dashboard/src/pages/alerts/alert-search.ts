import {
  type AlertSeverity,
  type AlertType,
  alertSeverities,
  alertTypes,
} from "@tollgate/core/alerts/alert-types";

export const alertStates = ["open", "unread", "over", "all"] as const;
export type AlertState = (typeof alertStates)[number];

/** Which alerts are listed, in the URL. */
export interface AlertSearch {
  /** Absent: open. */
  readonly show?: AlertState | undefined;
  readonly type?: AlertType | undefined;
  readonly severity?: AlertSeverity | undefined;
}

/** Values that make no sense are dropped, so that an old or mistyped link still opens. */
export function readAlertSearch(raw: Readonly<Record<string, unknown>>): AlertSearch {
  const show = alertStates.find(one => one === raw.show);
  const type = alertTypes.find(one => one === raw.type);
  const severity = alertSeverities.find(one => one === raw.severity);
  return {
    ...(show === undefined || show === "open" ? {} : { show }),
    ...(type === undefined ? {} : { type }),
    ...(severity === undefined ? {} : { severity }),
  };
}
