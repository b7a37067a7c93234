import { useEffect, useState } from "react";
import { useFirstAgents } from "../data/use-first-agents.ts";
import { useView } from "../data/view.tsx";

/** Once for each time the page is loaded: afterwards the reader chooses. */
let isDecided = false;

/** An address without a mode opens test traffic, if there is no other. */
export function useOpeningMode(): void {
  const { search, change } = useView();
  const [openedPath] = useState(() => location.pathname);
  const isAsked = !isDecided && search.mode === undefined;
  const live = useFirstAgents("live", { enabled: isAsked });
  const test = useFirstAgents("test", { enabled: isAsked && live?.length === 0 });
  const isKnown = live !== undefined && (live.length > 0 || test !== undefined);
  const isTestOnly = live?.length === 0 && test !== undefined && test.length > 0;
  useEffect(() => {
    if (isDecided || (isAsked && !isKnown)) return;
    isDecided = true;
    // A reader who has gone on already is not moved.
    if (!isAsked || !isTestOnly || location.pathname !== openedPath) return;
    change({ mode: "test" }, { replaces: true });
  }, [isAsked, isKnown, isTestOnly, openedPath, change]);
}
