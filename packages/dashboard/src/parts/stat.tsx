import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { signedPercent } from "../format/counts.ts";
import { UNKNOWN } from "../format/unknown.ts";
import { Icon } from "./icon.tsx";
import { Skeleton } from "./states.tsx";

interface StatProps {
  readonly label: string;
  /** undefined: still loading; null: it could not be loaded. See `figureOf`. */
  readonly value: ReactNode | undefined;
  /** Below the number. */
  readonly note?: ReactNode;
  readonly isLarge?: boolean;
  /** For tests and links: which figure this is. */
  readonly name?: string;
}

/** A value of a `Stat` from the answer of a query. */
export function figureOf<Data>(
  { data, error }: Pick<UseQueryResult<Data>, "data" | "error">,
  show: (data: Data) => ReactNode,
): ReactNode | undefined {
  if (data !== undefined) return show(data);
  return error === null ? undefined : null;
}

/** One number with its name. */
export function Stat({ label, value, note, isLarge = false, name }: StatProps) {
  return (
    <div className="stat" data-large={isLarge || undefined}>
      <dt className="muted">{label}</dt>
      <dd className="stat-value figure" data-stat={name}>
        {value === undefined ? <Skeleton height={isLarge ? 34 : 26} width={110} /> : (value ?? UNKNOWN)}
      </dd>
      {note !== undefined && <dd className="stat-note muted">{note}</dd>}
    </div>
  );
}

interface ChangeProps {
  /** A decimal fraction; null: nothing to compare with. */
  readonly change: number | null;
  /** Whether more is better, worse or neither. */
  readonly more?: "better" | "worse" | "neutral";
}

/** The difference from the period before. */
export function Change({ change, more = "neutral" }: ChangeProps) {
  if (change === null) return <span className="muted">no earlier data</span>;
  const isMore = change > 0;
  const kind = change === 0 || more === "neutral" ? "plain" : isMore === (more === "better") ? "good" : "bad";
  return (
    <span className="change figure" data-kind={kind}>
      {change !== 0 && <Icon name={isMore ? "up" : "down"} size={12} />}
      {signedPercent(change)} <span className="muted">vs previous</span>
    </span>
  );
}
