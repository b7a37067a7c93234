import { useSyncExternalStore } from "react";

const narrow = window.matchMedia("(max-width: 860px)");

function listenToWidth(listener: () => void): () => void {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
}

/** On a phone, as in data-table.css. */
export const useIsNarrow = () => useSyncExternalStore(listenToWidth, () => narrow.matches);
