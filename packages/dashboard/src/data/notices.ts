import { useSyncExternalStore } from "react";

/** A short message about something that was done, or could not be. */
export interface Notice {
  readonly id: number;
  readonly kind: "done" | "problem";
  readonly text: string;
}

const SHOWN_MS = 6000;
let notices: readonly Notice[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Notice[]): void {
  notices = next;
  for (const listener of listeners) listener();
}

export function notify(notice: Omit<Notice, "id">): void {
  const id = ++lastId;
  change([...notices, { ...notice, id }]);
  // A problem stays until it is dismissed.
  if (notice.kind === "done") setTimeout(() => dismiss(id), SHOWN_MS);
}

export function dismiss(id: number): void {
  change(notices.filter(notice => notice.id !== id));
}

export function useNotices(): readonly Notice[] {
  return useSyncExternalStore(
    listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => notices,
  );
}
