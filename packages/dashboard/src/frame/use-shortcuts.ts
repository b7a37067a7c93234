import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { isTyping } from "../parts/is-typing.ts";
import { usePages } from "./pages.ts";

/** How long after `g` a page's key counts. */
const SEQUENCE_MS = 1200;

interface Shortcuts {
  readonly onPalette: () => void;
  readonly onHelp: () => void;
}

/** ⌘K or Ctrl+K, ?, and g followed by a page's key. Tables and panels have their own. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const pages = usePages();
  const navigate = useNavigate();
  const latest = useRef({ ...shortcuts, pages, navigate });
  useEffect(() => {
    latest.current = { ...shortcuts, pages, navigate };
  });
  useEffect(() => {
    let goAtMs = 0;
    const handle = (event: KeyboardEvent) => {
      const { onPalette, onHelp, pages, navigate } = latest.current;
      if (event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey)) {
        event.preventDefault();
        onPalette();
        return;
      }
      if (isTyping(event) || event.metaKey || event.ctrlKey || event.altKey) return;
      if (event.key === "?") onHelp();
      if (event.key === "g") goAtMs = event.timeStamp;
      else if (event.timeStamp - goAtMs < SEQUENCE_MS) {
        goAtMs = 0;
        const page = pages.find(({ key }) => key === event.key);
        if (page) void navigate({ to: page.path });
      }
    };
    window.addEventListener("keydown", handle);
    return () => window.removeEventListener("keydown", handle);
  }, []);
}
