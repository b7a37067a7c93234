import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import { useLiveStatus } from "../data/live.tsx";
import { clockTime } from "../format/time.ts";

/** Whether the page is current; if not, how old its data is. */
export function ConnectionState() {
  const status = useLiveStatus();
  const failedSince = useFailedSince();
  const isLive = status === "live" && failedSince === null;
  const isLost = status === "reconnecting" || status === "ended" || failedSince !== null;
  const state = isLive ? "live" : isLost ? "reconnecting" : "connecting";
  return (
    <span className="connection" role="status" data-state={state}>
      <span className="connection-dot" aria-hidden="true" />
      {state === "live" && "Up to date"}
      {state === "connecting" && "Connecting…"}
      {state === "reconnecting" && <AsOf failedSince={failedSince} />}
    </span>
  );
}

function AsOf({ failedSince }: { readonly failedSince: number | null }) {
  const shownAt = useNewestAnswer();
  const at = failedSince ?? shownAt;
  return <>{at === null ? "No connection, retrying…" : `As of ${clockTime(at)}, retrying…`}</>;
}

function useCache<Value>(read: () => Value): Value {
  const queries = useQueryClient();
  const subscribe = useCallback(
    (listener: () => void) => queries.getQueryCache().subscribe(listener),
    [queries],
  );
  return useSyncExternalStore(subscribe, read);
}

/** When the oldest data on the screen whose last request failed was loaded; null: nothing failed. */
function useFailedSince(): number | null {
  const queries = useQueryClient();
  return useCache(() => {
    const failing = queries
      .getQueryCache()
      .findAll({ type: "active", predicate: ({ state }) => state.fetchFailureCount > 0 })
      .map(({ state }) => state.dataUpdatedAt)
      .filter(at => at > 0);
    return failing.length === 0 ? null : Math.min(...failing);
  });
}

function useNewestAnswer(): number | null {
  const queries = useQueryClient();
  return useCache(() => {
    const answered = queries
      .getQueryCache()
      .findAll({ type: "active" })
      .map(({ state }) => state.dataUpdatedAt);
    const newest = Math.max(0, ...answered);
    return newest === 0 ? null : newest;
  });
}
