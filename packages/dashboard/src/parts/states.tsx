import type { UseQueryResult } from "@tanstack/react-query";
import { ClientError } from "@tollgate/sdk/client-error";
import type { ReactNode } from "react";
import { useScope } from "../data/scope.tsx";
import { Button } from "./button.tsx";

/** A placeholder of the size of what will come. */
export function Skeleton({
  height = 20,
  width,
}: {
  readonly height?: number;
  readonly width?: number | string;
}) {
  return (
    <span
      className="skeleton"
      aria-hidden="true"
      style={{ height, ...(width === undefined ? {} : { width }) }}
    />
  );
}

/** Before it is known who is signed in. `index.html` shows the same until the scripts are there. */
export function Opening() {
  return (
    <p className="opening" role="status">
      Loading…
    </p>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly children?: ReactNode;
}

/** Nothing to show: says why, and what to do about it. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children && <div className="muted">{children}</div>}
    </div>
  );
}

interface ProblemProps {
  readonly message: string;
  readonly isRetrying?: boolean;
  readonly onRetry?: () => void;
}

export function Problem({ message, isRetrying = false, onRetry }: ProblemProps) {
  return (
    <div className="problem" role="alert">
      <p>
        This could not be loaded: {message}
        {isRetrying && ". Retrying…"}
      </p>
      {onRetry && !isRetrying && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** Trying again would not help; a link may lead to traffic of the other mode. */
function Missing({ message }: { readonly message: string }) {
  const { mode } = useScope();
  return (
    <Empty title={message}>
      It was removed, or belongs to {mode === "test" ? "live" : "test"} traffic or another organization.
    </Empty>
  );
}

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data>;
  /** While it loads; a few lines unless given. */
  readonly skeleton?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

/** The answer of a query; until then a skeleton, or the reason why there is none. Never a false zero. */
export function Loaded<Data>({ query, skeleton, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  const fault = query.error ?? query.failureReason;
  if (fault instanceof ClientError && fault.status === 404) return <Missing message={fault.message} />;
  if (fault !== null) {
    return (
      <Problem message={fault.message} isRetrying={query.isFetching} onRetry={() => void query.refetch()} />
    );
  }
  return (
    <div aria-busy="true">
      <span className="visually-hidden">Loading…</span>
      {skeleton ?? (
        <>
          <Skeleton />
          <Skeleton />
          <Skeleton width="60%" />
        </>
      )}
    </div>
  );
}
