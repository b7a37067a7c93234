import { Link, type LinkProps, useLocation } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

interface TabsProps {
  /** Read aloud. */
  readonly label: string;
  readonly tabs: readonly {
    readonly to: NonNullable<LinkProps["to"]>;
    readonly title: string;
    /** Not shown. If its address is opened anyway, no tab is marked as the current one. */
    readonly isHidden?: boolean;
  }[];
}

/** The parts of a page, each with its own URL: links, so that they can be opened anywhere. */
export function Tabs({ label, tabs }: TabsProps) {
  const list = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a phone the open part may be out of sight.
  useEffect(() => {
    const open = list.current?.querySelector("[aria-current=page]");
    open?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [path]);
  // The longest address wins: a panel at /alerts/ID belongs to /alerts, a tab at /alerts/settings is its own.
  const current = tabs
    .filter(({ to }) => path === to || path.startsWith(`${to}/`))
    .reduce((longest, { to }) => (to.length > longest.length ? to : longest), "");
  return (
    <nav className="tabs" aria-label={label} ref={list}>
      {tabs
        .filter(({ isHidden = false }) => !isHidden)
        .map(({ to, title }) => (
          <Link
            key={to}
            to={to}
            className="tab"
            activeOptions={{ exact: true, includeSearch: false }}
            aria-current={to === current ? "page" : undefined}
          >
            {title}
          </Link>
        ))}
    </nav>
  );
}
