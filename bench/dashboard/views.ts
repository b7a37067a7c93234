import { rounds } from "./rounds.ts";

/** A view that is opened: by loading the page, or inside it, as links and filters do. */
export interface View {
  readonly name: string;
  readonly kind: "load" | "page" | "filter";
  readonly path: string;
}

export interface Subjects {
  /** Live agents of the organization. */
  readonly agentIds: readonly string[];
}

/**
 * The views of a round, in the order in which they are opened. `filter` is another range, group or filter on the page
 * that is open; none of its questions has been asked before in this round.
 */
export function viewsOf(round: number, { agentIds }: Subjects): readonly View[] {
  const agent = agentIds[Math.floor((round / rounds) * agentIds.length)] ?? "";
  const customer = `customer-${round * 200}`;
  const model = ["gpt-4o", "claude-sonnet-4-5", "gemini-2.5-pro", "gpt-4-turbo"][round % 4] ?? "gpt-4o";
  const load = (name: string, path: string): View => ({ name, kind: "load", path });
  const page = (name: string, path: string): View => ({ name, kind: "page", path });
  const filter = (name: string, path: string): View => ({ name, kind: "filter", path });
  return [
    load("overview, last 24 hours", "/"),
    filter("overview, last 7 days", "/?range=7d"),
    filter("overview, last 30 days", "/?range=30d"),
    filter("overview, last 90 days", "/?range=90d"),
    filter("overview, 30 days by agent", "/?range=30d&by=agent"),
    filter("overview, 90 days by customer", "/?range=90d&by=customer"),
    filter("overview, 30 days of an agent", `/?range=30d&agent=${agent}`),
    filter("overview, 30 days of a model", `/?range=30d&model=${model}`),
    filter("overview, 30 days of a customer", `/?range=30d&customer=${customer}`),
    page("calls, last 24 hours", "/calls"),
    filter("calls, 90 days", "/calls?range=90d"),
    filter("calls, 90 days of an agent", `/calls?range=90d&agent=${agent}`),
    filter("calls, 90 days of a customer", `/calls?range=90d&customer=${customer}`),
    filter("calls, 90 days, failed", "/calls?range=90d&status=error"),
    page("agents, 30 days", "/agents?range=30d"),
    filter("agents, 90 days", "/agents?range=90d"),
    page("one agent, 30 days", `/agents/${agent}?range=30d`),
    filter("one agent, 90 days", `/agents/${agent}?range=90d`),
    page("customers, 30 days", "/customers?range=30d"),
    filter("customers, 90 days", "/customers?range=90d"),
    page("models, 30 days", "/models?range=30d"),
    filter("models, 90 days", "/models?range=90d"),
    load("overview, 30 days", "/?range=30d"),
  ];
}
