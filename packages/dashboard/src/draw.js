// Draws what it is given, as text, never as markup: names come from callers.

const MICROCENTS_PER_DOLLAR = 10_000_000;

export const byId = id => document.getElementById(id);
const whole = new Intl.NumberFormat("en-US");
const percent = share => `${(share * 100).toFixed(1)} %`;
const time = text => new Date(text).toLocaleString();

/** Small amounts keep their digits: a call costs a fraction of a cent. */
function dollars(microcents) {
  const amount = microcents / MICROCENTS_PER_DOLLAR;
  const digits = microcents === 0 || amount >= 1 ? 2 : 6;
  return `$${amount.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

/** Columns are [title, value of a row, class]; a row that `isNew` says is new is marked for a moment. */
function fill(id, columns, rows, nothing, isNew = () => false) {
  const table = byId(id);
  if (rows.length === 0) {
    table.replaceChildren(element("caption", nothing, "empty"));
    return;
  }
  const head = element("tr");
  for (const [title, , kind] of columns) head.append(element("th", title, kind));
  const lines = rows.map(row => {
    const line = element("tr", undefined, isNew(row) ? "new" : "");
    for (const [, value, kind] of columns) line.append(element("td", value(row), kind));
    return line;
  });
  table.replaceChildren(head, ...lines);
}

export function showTotals({ cost, agents, budgets, alerts }) {
  const totals = [
    ["Cost", dollars(cost.total_cost_microcents), "cost"],
    ["Calls", whole.format(cost.total_calls), "calls"],
    ["Errors", percent(cost.error_rate), "errors"],
    ["Latency, mean", `${whole.format(cost.avg_latency_ms)} ms`, "latency"],
    ["Agents", whole.format(agents.total), "agents"],
    ["Budgets exceeded", `${budgets.exceeded} of ${budgets.total}`, "budgets"],
    ["Alerts unread", whole.format(alerts.unread), "alerts"],
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
  const most = Math.max(1, ...days.map(day => day.cost_microcents));
  const svg = svgElement("svg");
  svg.setAttribute("viewBox", `0 0 ${days.length * 10} 100`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", "Cost of each day");
  for (const [index, day] of days.entries()) {
    const height = (day.cost_microcents / most) * 96;
    const bar = svgElement("rect");
    for (const [name, value] of Object.entries({ x: index * 10 + 1, y: 100 - height, width: 8, height })) {
      bar.setAttribute(name, String(value));
    }
    const title = svgElement("title");
    title.textContent = `${day.date}: ${dollars(day.cost_microcents)}, ${whole.format(day.call_count)} calls`;
    bar.append(title);
    svg.append(bar);
  }
  byId("trend").replaceChildren(svg);
}

export function showNow(totals) {
  const windows = [
    ["Today", "today"],
    ["This month", "month"],
    ["Last 30 days", "last_30_days"],
  ];
  byId("now").replaceChildren(
    ...windows.map(([title, key]) => {
      const { cost_microcents, calls, errors } = totals[key];
      const group = element("div");
      const cost = element("dd", dollars(cost_microcents));
      cost.dataset.now = key;
      const failed = errors > 0 ? `, ${whole.format(errors)} failed` : "";
      const counted = element(
        "dd",
        `${whole.format(calls)} ${calls === 1 ? "call" : "calls"}${failed}`,
        "small",
      );
      counted.dataset.nowCalls = key;
      group.append(element("dt", title), cost, counted);
      return group;
    }),
  );
}

export function showTopology({ nodes, edges }) {
  const names = new Map(nodes.map(node => [node.agent_id, node.name]));
  fill(
    "topology",
    [
      ["From", row => names.get(row.from) ?? row.from],
      ["", () => "→", "arrow"],
      ["To", row => names.get(row.to) ?? row.to],
      ["Times", row => whole.format(row.count), "number"],
      ["Cost", row => dollars(row.cost_microcents), "number"],
    ],
    edges.slice(0, 20),
    nodes.length === 0
      ? "No agent has called within 24 hours."
      : "No session went from one agent to another within 24 hours.",
  );
}

export function showAgents(agents) {
  fill(
    "agents",
    [
      ["Agent", row => row.name],
      ["Status", row => (row.paused ? `${row.status}, paused` : row.status)],
      ["Calls", row => whole.format(row.call_count), "number"],
      ["Cost", row => dollars(row.cost_microcents), "number"],
    ],
    agents,
    "No agent has called yet.",
  );
}

export function showModels(models) {
  fill(
    "models",
    [
      ["Model", row => row.model],
      ["Provider", row => row.provider],
      ["Calls", row => whole.format(row.call_count), "number"],
      ["Cost", row => dollars(row.cost_microcents), "number"],
    ],
    models,
    "No model was called in this period.",
  );
}

export function showBudgets(budgets) {
  fill(
    "budgets",
    [
      ["Mode", row => row.enforcement_mode],
      ["State", row => row.status],
      ["Spent", row => dollars(row.current_spending_microcents), "number"],
      ["Limit", row => dollars(row.limit_microcents), "number"],
      ["Used", row => `${row.percentage_used} %`, "number"],
    ],
    budgets,
    "There is no budget.",
  );
}

export function showAlerts(alerts, isNew) {
  fill(
    "alerts",
    [
      ["When", row => time(row.triggered_at)],
      ["Severity", row => row.severity],
      ["Alert", row => row.message, "wrapped"],
    ],
    alerts,
    "Nothing has happened.",
    isNew,
  );
}

export function showEvents(events, isNew) {
  fill(
    "events",
    [
      ["When", row => time(row.created_at)],
      ["Agent", row => row.agent_key],
      ["Model", row => row.model],
      ["Status", row => row.status],
      ["Tokens", row => `${whole.format(row.input_tokens)} / ${whole.format(row.output_tokens)}`, "number"],
      ["Latency", row => `${whole.format(row.latency_ms)} ms`, "number"],
      ["Cost", row => dollars(row.cost_microcents + row.adjustment_microcents), "number"],
    ],
    events,
    "No call yet.",
    isNew,
  );
}
