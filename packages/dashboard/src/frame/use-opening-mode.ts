import { useEffect, useState } from "react";
import { useFirstAgents } from "../data/use-first-agents.ts";
import { useView } from "../data/view.tsx";

/** Once for each time the page is loaded: afterwards the reader chooses. */
let isDecided = false;

/** The address without a mode opens test traffic, if there is no other. */
export function useOpeningMode(): void {
  const { search, change } = useView();
  const [isOpening] = useState(
    () => !isDecided && location.pathname === "/" && Object.keys(search).every(name => name === "org"),
  );
  const isAsked = isOpening && !isDecided;
  const live = useFirstAgents("live", { enabled: isAsked });
  const test = useFirstAgents("test", { enabled: isAsked && live?.length === 0 });
  const isKnown = live !== undefined && (live.length > 0 || test !== undefined);
  const isTestOnly = live?.length === 0 && test !== undefined && test.length > 0;
  useEffect(() => {
    if (!isOpening) isDecided = true;
    if (isDecided || !isKnown) return;
    isDecided = true;
    if (isTestOnly && location.pathname === "/") change({ mode: "test" });
  }, [isOpening, isKnown, isTestOnly, change]);
}
