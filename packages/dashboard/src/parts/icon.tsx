const paths = {
  overview: "M3 13h8V3H3zM13 21h8V11h-8zM3 21h8v-6H3zM13 3v6h8V3z",
  calls: "M4 6h16M4 12h16M4 18h10",
  agents: "M12 3v3M7 8h10a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2zM9.5 13v1M14.5 13v1",
  customers:
    "M16 20v-1a4 4 0 0 0-4-4H7a4 4 0 0 0-4 4v1M9.5 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M21 20v-1a4 4 0 0 0-3-3.8M16 4.2a3.5 3.5 0 0 1 0 6.6",
  sessions: "M12 7v5l3 2M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18",
  models: "M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9",
  budgets: "M3 7h18v11H3zM3 11h18M7 15h3",
  savings: "M4 17l5-5 4 4 7-8M15 8h5v5",
  alerts: "M6 10a6 6 0 0 1 12 0c0 6 2 7 2 7H4s2-1 2-7M10 20a2 2 0 0 0 4 0",
  topology:
    "M6 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M18 14.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5M6 21a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5M8.300 6.500l7.400 4.300M8.300 17.500l7.400-4.300",
  developers: "M8 7l-5 5 5 5M16 7l5 5-5 5",
  settings:
    "M12 15.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7M12 2.500v2.500M12 19v2.500M2.500 12H5M19 12h2.500M5.300 5.300l1.800 1.800M16.900 16.900l1.800 1.800M5.300 18.700l1.800-1.800M16.900 7.100l1.800-1.800",
  report: "M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h7",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14M20 20l-4-4",
  close: "M6 6l12 12M18 6L6 18",
  check: "M5 12.500l4.500 4.500L19 7.500",
  down: "M6 9l6 6 6-6",
  up: "M6 15l6-6 6 6",
  right: "M9 6l6 6-6 6",
  left: "M15 6l-6 6 6 6",
  more: "M4 12a1 1 0 1 0 2 0a1 1 0 1 0-2 0M11 12a1 1 0 1 0 2 0a1 1 0 1 0-2 0M18 12a1 1 0 1 0 2 0a1 1 0 1 0-2 0",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  pause: "M8 5v14M16 5v14",
  play: "M7 5l12 7-12 7z",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  columns: "M4 5h16v14H4zM10 5v14M15 5v14",
  filter: "M4 6h16M7 12h10M10 18h4",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8M12 3v2M12 19v2M3 12h2M19 12h2M5.600 5.600l1.400 1.400M17 17l1.400 1.400M5.600 18.400L7 17M17 7l1.400-1.400",
  moon: "M20 14.500A8 8 0 1 1 9.500 4a6.500 6.500 0 0 0 10.500 10.500",
  calendar: "M4 6h16v14H4zM4 10h16M8 3v4M16 3v4",
  plus: "M12 5v14M5 12h14",
  external: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
  help: "M9.500 9a2.500 2.500 0 1 1 3.500 2.300c-.7.400-1 .900-1 1.700M12 17h.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18",
  warning: "M12 4l9 16H3zM12 10v4M12 17h.01",
} as const;

export type IconName = keyof typeof paths;

/** Decorative: text beside it, or the label of its button, says what it means. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
