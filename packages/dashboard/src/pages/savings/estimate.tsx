import type { Envelope as Measured } from "@tollgate/core/contract/fields/envelope";
import type { ReactNode } from "react";
import { UNKNOWN } from "../../format/unknown.ts";

const methods: Readonly<Record<Measured["method"], string>> = {
  count: "counted",
  sum: "added up",
  exact: "exact",
  ratio_wilson: "a share with its 95% interval (Wilson)",
  mean_t: "a mean with its 95% interval (Student)",
  paired_t: "paired differences with their 95% interval (Student)",
  betting_cs: "a mean with its confidence sequence, which stays valid however often you check",
};

interface EstimateProps {
  readonly of: Measured;
  readonly format: (value: number) => string;
}

/** A number, its interval where there is one, and on hover how it was reached. */
export function Estimate({ of, format }: EstimateProps) {
  if (of.value === null) return <span className="figure">{UNKNOWN}</span>;
  return (
    <span className="figure" title={methods[of.method]}>
      {format(of.value)}
      {of.ci_low !== null && of.ci_high !== null && (
        <span className="muted">
          {" "}
          ({format(of.ci_low)} to {format(of.ci_high)})
        </span>
      )}
    </span>
  );
}

interface IntervalProps {
  /** Read aloud. */
  readonly label: string;
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** The ends of the axis. */
  readonly from: number;
  readonly to: number;
  readonly format: (value: number) => string;
  /** A line across, besides zero. */
  readonly mark?: { readonly at: number; readonly label: string };
  readonly note?: ReactNode;
}

/** A value with its interval on an axis with zero: whether it excludes zero, or a margin, is seen at once. */
export function Interval({ label, value, low, high, from, to, format, mark, note }: IntervalProps) {
  const place = (at: number) => `${Math.max(0, Math.min(1, (at - from) / (to - from))) * 100}%`;
  const hasInterval = low !== null && high !== null;
  const text =
    value === null
      ? "not known yet"
      : `${format(value)}${hasInterval ? `, between ${format(low)} and ${format(high)}` : ""}`;
  return (
    <div className="interval">
      <div className="interval-axis" role="img" aria-label={`${label}: ${text}`}>
        <span className="interval-zero" style={{ left: place(0) }} />
        {mark && <span className="interval-mark" title={mark.label} style={{ left: place(mark.at) }} />}
        {hasInterval && (
          <span
            className="interval-bar"
            data-side={low > 0 ? "above" : high < 0 ? "below" : "both"}
            style={{ left: place(low), right: `calc(100% - ${place(high)})` }}
          />
        )}
        {value !== null && <span className="interval-value" style={{ left: place(value) }} />}
      </div>
      <p className="interval-ends muted figure" aria-hidden="true">
        <span>{format(from)}</span>
        <span>{format(to)}</span>
      </p>
      {note && <p className="muted">{note}</p>}
    </div>
  );
}
