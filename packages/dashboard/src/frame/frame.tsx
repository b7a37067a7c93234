import { type ReactNode, useEffect, useState } from "react";
import { useScope } from "../data/scope.tsx";
import { useView } from "../data/view.tsx";
import { ConnectionState } from "./connection-state.tsx";
import { KeyboardHelp } from "./keyboard-help.tsx";
import { ModePill } from "./mode-pill.tsx";
import { Navigation } from "./navigation.tsx";
import { Notices } from "./notices.tsx";
import { PageFilters } from "./page-filters.tsx";
import { Palette } from "./palette.tsx";
import { RangePicker } from "./range-picker.tsx";
import { useOpeningMode } from "./use-opening-mode.ts";
import { usePage } from "./use-page.ts";
import { useShortcuts } from "./use-shortcuts.ts";

/** Around every page: navigation, one time range, one filter bar, the state of the connection. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const page = usePage();
  const { mode } = useScope();
  const { change } = useView();
  const [open, setOpen] = useState<"palette" | "help" | null>(null);
  useOpeningMode();
  useShortcuts({ onPalette: () => setOpen("palette"), onHelp: () => setOpen("help") });
  useEffect(() => {
    document.title = `${page.title ?? "Not found"} · Tollgate`;
  }, [page.title]);

  return (
    <div className="frame">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <Navigation onPalette={() => setOpen("palette")} onHelp={() => setOpen("help")} />
      <div className="frame-page">
        {mode === "test" && (
          <aside className="test-banner" aria-label="Test mode">
            Test mode: calls with <code>sk_test_</code> keys, answered by the simulator.{" "}
            <button type="button" className="link" onClick={() => change({ mode: "live" })}>
              Show live traffic
            </button>
          </aside>
        )}
        <header className="top-bar">
          <h1>{page.title ?? "Not found"}</h1>
          <div className="top-bar-tools">
            <ConnectionState />
            <ModePill />
            {page.hasRange && <RangePicker />}
          </div>
        </header>
        {!page.hasTabs && <PageFilters />}
        <main id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
      {open === "palette" && <Palette onClose={() => setOpen(null)} onHelp={() => setOpen("help")} />}
      {open === "help" && <KeyboardHelp onClose={() => setOpen(null)} />}
      <Notices />
    </div>
  );
}
