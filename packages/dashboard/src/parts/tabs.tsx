import { Link, type LinkProps, useLocation } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

interface TabsProps {
  /** Read aloud. */
  readonly label: string;
  readonly tabs: readonly {
    readonly to: NonNullable<LinkProps["to"]>;
    readonly title: string;
    readonly isExact?: boolean;
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
  return (
    <nav className="tabs" aria-label={label} ref={list}>
      {tabs.map(({ to, title, isExact = false }) => (
        <Link
          key={to}
          to={to}
          className="tab"
          activeOptions={{ exact: isExact, includeSearch: false }}
          activeProps={{ "aria-current": "page" }}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}
