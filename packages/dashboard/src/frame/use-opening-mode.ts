import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { hasCalls } from "../data/has-calls.ts";
import { useScope } from "../data/scope.tsx";
import { useView } from "../data/view.tsx";

/** Once for each time the page is loaded: afterwards the reader chooses. */
let isDecided = false;

/** The address without a mode opens test traffic, if there is no other. */
export function useOpeningMode(): void {
  const { organizationId } = useScope();
  const { search, change } = useView();
  const [isOpening] = useState(
    () => !isDecided && location.pathname === "/" && Object.keys(search).every(name => name === "org"),
  );
  const isTestOnly = useQuery({
    queryKey: [organizationId ?? null, "live", "opening mode"],
    queryFn: async () =>
      !(await hasCalls(organizationId, "live")) && (await hasCalls(organizationId, "test")),
    enabled: isOpening && !isDecided,
  }).data;
  useEffect(() => {
    if (!isOpening) isDecided = true;
    if (isDecided || isTestOnly === undefined) return;
    isDecided = true;
    if (isTestOnly && location.pathname === "/") change({ mode: "test" });
  }, [isOpening, isTestOnly, change]);
}
