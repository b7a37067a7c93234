import { Link, type LinkProps } from "@tanstack/react-router";

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
  return (
    <nav className="tabs" aria-label={label}>
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
