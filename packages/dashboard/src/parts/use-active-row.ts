import { useEffect, useRef, useState } from "react";
import { isInteractive } from "./is-interactive.ts";
import { isTyping } from "./is-typing.ts";

interface ActiveRowOptions {
  readonly isOn: boolean;
  readonly count: number;
  readonly open: (index: number) => void;
  readonly reveal: (index: number) => void;
}

/** j and k move through the rows of a table; Enter opens one. */
export function useActiveRow(options: ActiveRowOptions): [number, (index: number) => void] {
  const [active, setActive] = useState(-1);
  const latest = useRef({ ...options, active });
  useEffect(() => {
    latest.current = { ...options, active };
  });
  useEffect(() => {
    const handle = (event: KeyboardEvent) => {
      const { isOn, count, open, reveal, active } = latest.current;
      if (!isOn || isTyping(event) || event.metaKey || event.ctrlKey || event.altKey) return;
      if (event.key === "j" || event.key === "k") {
        const next = Math.max(0, Math.min(count - 1, active + (event.key === "j" ? 1 : -1)));
        setActive(next);
        reveal(next);
      } else if (event.key === "Enter" && active >= 0 && !isInteractive(event.target ?? document.body)) {
        open(active);
      } else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", handle);
    return () => window.removeEventListener("keydown", handle);
  }, []);
  return [active, setActive];
}
