import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from "react";
import { useLiveGaps, useLiveMessages, useLiveStatus } from "./live.tsx";
import { type Range, rangeOf } from "./range.ts";
import { CHECK_MS, RefreshPace } from "./refresh-pace.ts";
import { type Filters, filterNames, type ViewSearch } from "./view-search.ts";

/** A range that ends now moves on without traffic, too. */
const MOVE_ON_MS = 60_000;
/** Without the live channel. */
const POLL_MS = 5000;

/** `undefined` removes. */
export type ViewChange = { readonly [Name in keyof ViewSearch]?: ViewSearch[Name] | undefined };

interface View {
  readonly search: ViewSearch;
  readonly range: Range;
  readonly filters: Filters;
  /** Changes the URL. `replaces`: without a step to go back to. */
  change(change: ViewChange, options?: { readonly replaces?: boolean }): void;
}

const ViewContext = createContext<View | null>(null);

interface ViewProviderProps {
  readonly search: ViewSearch;
  readonly change: View["change"];
  readonly children: ReactNode;
}

/** Range and filters of the URL, with one "now" for everything on the screen; news from the live channel move it. */
export function ViewProvider({ search, change, children }: ViewProviderProps) {
  const asOfMs = useAsOf();
  const value = useMemo(() => {
    const set = filterNames.flatMap(name =>
      search[name] === undefined ? [] : [[name, search[name]] as const],
    );
    return { search, range: rangeOf(search, asOfMs), filters: Object.fromEntries(set), change };
  }, [search, asOfMs, change]);
  return <ViewContext value={value}>{children}</ViewContext>;
}

export function useView(): View {
  const view = useContext(ViewContext);
  if (view === null) throw new Error("there is no view here");
  return view;
}

function useAsOf(): number {
  const queries = useQueryClient();
  const status = useLiveStatus();
  const gaps = useLiveGaps();
  const [asOfMs, setAsOfMs] = useState(() => Date.now());
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const [pace] = useState(() => new RefreshPace(Date.now()));

  const refresh = useRef(() => {
    timer.current = undefined;
    if (document.visibilityState !== "visible") return;
    // One that fails is retried on its own, and must not hold up the others.
    const isFetching = queries.isFetching({ predicate: ({ state }) => state.fetchFailureCount === 0 }) > 0;
    const waitMs = pace.waitMs(isFetching, Date.now());
    if (waitMs > 0) {
      timer.current = setTimeout(() => refresh.current(), waitMs);
      return;
    }
    pace.refreshed(Date.now());
    setAsOfMs(Date.now());
    // Queries with a window refetch because their `to` changes.
    void queries.invalidateQueries({
      predicate: ({ queryKey, meta }) => !hasWindow(queryKey[3]) && meta?.isLive !== false,
    });
  });
  const soon = useRef(() => {
    timer.current ??= setTimeout(() => refresh.current(), CHECK_MS);
  });

  useLiveMessages("events", soon.current);
  useLiveMessages("alerts", soon.current);
  useLiveMessages("agents", soon.current);

  useEffect(() => {
    if (gaps > 0 || status === "live") soon.current();
  }, [gaps, status]);

  useEffect(() => {
    const period = status === "live" ? MOVE_ON_MS : POLL_MS;
    const interval = setInterval(() => soon.current(), period);
    return () => clearInterval(interval);
  }, [status]);

  useEffect(() => {
    const handle = () => document.visibilityState === "visible" && soon.current();
    document.addEventListener("visibilitychange", handle);
    return () => {
      document.removeEventListener("visibilitychange", handle);
      clearTimeout(timer.current);
    };
  }, []);

  return asOfMs;
}

function hasWindow(input: unknown): boolean {
  return typeof input === "object" && input !== null && "to" in input;
}
