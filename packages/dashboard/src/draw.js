import { dollars, dollarsLike, percent, time, whole, withUnpriced } from "./amounts.js";
import { cut, element, fillTable, tag, visibleText } from "./fill-table.js";

const MAX_ORGANIZATION_LENGTH = 60;

export const byId = id => document.getElementById(id);

const fill = (id, ...rest) => fillTable(byId(id), ...rest);

/** A column of amounts with the same number of decimals; one that excludes calls says how many. */
function costColumn(rows, of, title = "Cost", unpricedOf = row => row.unpriced_calls) {
  const shown = dollarsLike(rows.map(of));
  return { title, of: row => withUnpriced(shown, of(row), unpricedOf(row)), kind: "number" };
}

const countColumn = (title, of) => ({ title, of: row => whole(of(row)), kind: "number" });

export function showOrganization(name) {
  const text = visibleText(name);
  const place = byId("organization");
  place.textContent = cut(text, MAX_ORGANIZATION_LENGTH);
  place.title = text;
}

export function showTotals({ cost, agents, budgets, alerts }) {
  const totals = [
    ["Cost", withUnpriced(dollars, cost.total_cost_microcents, cost.unpriced_calls), "cost"],
    ["Calls", whole(cost.total_calls), "calls"],
    ["Errors", percent(cost.error_rate), "errors"],
    ["Latency, mean", `${whole(cost.avg_latency_ms)} ms`, "latency"],
    ["Agents", whole(agents.total), "agents"],
    ["Budgets exceeded", `${budgets.exceeded} of ${budgets.total}`, "budgets"],
    ["Alerts unread", whole(alerts.unread), "alerts"],
  ];
  byId("totals").replaceChildren(
    ...totals.map(([title, value, key]) => {
      const group = element("div");
      const shown = element("dd", value);
      shown.dataset.total = key;
      group.append(element("dt", title), shown);
      return group;
    }),
  );
}

export function showTrend(days) {
  const svgElement = name => document.createElementNS("http://www.w3.org/2000/svg", name);
  const shown = dollarsLike(days.map(day => day.cost_microcents));
  const most = days.reduce((top, day) => (day.cost_microcents > top.cost_microcents ? day : top), {
    cost_microcents: 0,
  });
  const svg = svgElement("svg");
  svg.setAttribute("viewBox", `0 0 ${days.length * 10} 100`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", "Cost by day");
  for (const [index, day] of days.entries()) {
    const height = (day.cost_microcents / Math.max(1, most.cost_microcents)) * 100;
    const bar = svgElement("rect");
    for (const [name, value] of Object.entries({ x: index * 10 + 1, y: 100 - height, width: 8, height })) {
      bar.setAttribute(name, String(value));
    }
    const title = svgElement("title");
    const cost = withUnpriced(shown, day.cost_microcents, day.unpriced_calls);
    title.textContent = `${day.date}: ${cost}, ${whole(day.call_count)} calls`;
    bar.append(title);
    svg.append(bar);
  }
  const top =
    most.cost_microcents > 0
      ? `Most: ${shown(most.cost_microcents)} on ${most.date}`
      : "No known cost in this period.";
  const dates = element("div", undefined, "dates");
  dates.append(element("span", days.at(0)?.date ?? ""), element("span", days.at(-1)?.date ?? ""));
  byId("trend").replaceChildren(element("div", top, "top"), svg, dates);
}

export function showNow(totals) {
  const windows = [
    ["Today", "today"],
    ["This month", "month"],
    ["Last 30 days", "last_30_days"],
  ];
  const shown = dollarsLike(windows.map(([, key]) => totals[key].cost_microcents));
  byId("now").replaceChildren(
    ...windows.map(([title, key]) => {
      const { cost_microcents, unpriced_calls, calls, errors } = totals[key];
      const group = element("div");
      const cost = element("dd", withUnpriced(shown, cost_microcents, unpriced_calls));
      cost.dataset.now = key;
      const failed = errors > 0 ? `, ${whole(errors)} failed` : "";
      const counted = element("dd", `${whole(calls)} ${calls === 1 ? "call" : "calls"}${failed}`, "small");
      counted.dataset.nowCalls = key;
      group.append(element("dt", title), cost, counted);
      return group;
    }),
  );
}

const EDGES_SHOWN = 20;

export function showTopology({ nodes, edges }) {
  const names = new Map(nodes.map(node => [node.agent_id, node.name]));
  const rows = edges.slice(0, EDGES_SHOWN);
  fill(
    "topology",
    [
      { title: "From", of: row => names.get(row.from) ?? row.from, kind: "name" },
      { title: "", of: () => "→", kind: "arrow" },
      { title: "To", of: row => names.get(row.to) ?? row.to, kind: "name" },
      countColumn("Times", row => row.count),
      costColumn(rows, row => row.cost_microcents),
    ],
    rows,
    nodes.length === 0
      ? "No agent has made a call in the last 24 hours."
      : "No session passed from one agent to another in the last 24 hours.",
  );
}

const agentKinds = { error: "critical", idle: "quiet", archived: "quiet" };

export function showAgents(agents) {
  fill(
    "agents",
    [
      { title: "Agent", of: row => row.name, kind: "name" },
      {
        title: "Status",
        of: row =>
          row.paused
            ? tag(`${row.status}, paused`, "warning")
            : tag(row.status, agentKinds[row.status] ?? "ok"),
      },
      countColumn("Calls", row => row.call_count),
      costColumn(agents, row => row.cost_microcents),
    ],
    agents,
    "No agent has made a call yet.",
  );
}

export function showModels(models) {
  fill(
    "models",
    [
      { title: "Model", of: row => row.model, kind: "name" },
      { title: "Provider", of: row => row.provider },
      countColumn("Calls", row => row.call_count),
      costColumn(models, row => row.cost_microcents),
    ],
    models,
    "No model was called in this period.",
  );
}

/** Rows are budgets with `percentage_used` and `owner` (null: the organization). */
export function showBudgets(budgets) {
  fill(
    "budgets",
    [
      { title: "Budget of", of: row => row.owner ?? "the organization", kind: "name" },
      { title: "Period", of: row => row.period },
      { title: "Mode", of: row => row.enforcement_mode.replaceAll("_", " ") },
      { title: "State", of: budgetState },
      costColumn(budgets, row => row.current_spending_microcents, "Spent"),
      costColumn(
        budgets,
        row => row.limit_microcents,
        "Limit",
        () => 0,
      ),
      { title: "Used", of: row => `${row.percentage_used.toFixed(2)} %`, kind: "number" },
    ],
    budgets,
    "No budgets.",
  );
}

function budgetState({ status, percentage_used, warning_pct }) {
  if (status === "paused") return tag("paused", "quiet");
  if (percentage_used >= 100) return tag("limit reached", "critical");
  return percentage_used >= warning_pct ? tag("warning", "warning") : tag("active", "ok");
}

export function showAlerts(alerts, isNew) {
  fill(
    "alerts",
    [
      { title: "When", of: row => time(row.triggered_at) },
      {
        title: "Severity",
        of: row => tag(row.severity, row.resolved_at === null ? row.severity : "quiet"),
      },
      { title: "State", of: alertState },
      { title: "Alert", of: row => row.message, kind: "wrapped" },
    ],
    alerts,
    "No alerts.",
    row => [isNew(row) ? "new" : "", row.resolved_at === null ? "" : "resolved"].join(" ").trim(),
  );
}

function alertState({ resolved_at }) {
  if (resolved_at === null) return element("span", "open");
  const state = element("span", "✓ resolved");
  state.title = time(resolved_at);
  return state;
}

/** An unknown cost must not be shown as zero. */
function eventCostColumn(events) {
  const cost = row => row.cost_microcents + row.adjustment_microcents;
  const shown = dollarsLike(events.filter(row => !row.is_unpriced).map(cost));
  return { title: "Cost", of: row => (row.is_unpriced ? "unpriced" : shown(cost(row))), kind: "number" };
}

const statusKinds = { success: "ok", cancelled: "quiet" };

export function showEvents(events, isNew) {
  fill(
    "events",
    [
      { title: "When", of: row => time(row.created_at) },
      { title: "Agent", of: row => row.agent_key, kind: "name" },
      { title: "Model", of: row => row.model, kind: "name" },
      { title: "Status", of: row => tag(row.status, statusKinds[row.status] ?? "critical") },
      {
        title: "Tokens",
        of: row => `${whole(row.input_tokens)} / ${whole(row.output_tokens)}`,
        kind: "number",
      },
      { title: "Latency", of: row => `${whole(row.latency_ms)} ms`, kind: "number" },
      eventCostColumn(events),
    ],
    events,
    "No calls yet.",
    row => (isNew(row) ? "new" : ""),
  );
}
