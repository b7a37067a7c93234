// Everything here is shown as text, never as markup: names come from callers.

const MICROCENTS_PER_DOLLAR = 10_000_000;
const REFRESH_MS = 5000;

const byId = id => document.getElementById(id);
const whole = new Intl.NumberFormat("en-US");

/** Small amounts keep their digits: a call costs a fraction of a cent. */
function dollars(microcents) {
  const amount = microcents / MICROCENTS_PER_DOLLAR;
  const digits = microcents === 0 || amount >= 1 ? 2 : 6;
  return `$${amount.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

const percent = share => `${(share * 100).toFixed(1)} %`;
const time = text => new Date(text).toLocaleString();

async function get(path, more = {}) {
  const query = new URLSearchParams({ mode: byId("mode").value, ...more });
  const answer = await fetch(`/api/${path}?${query}`, { headers: { accept: "application/json" } });
  if (answer.status === 401) {
    location.href = "/sign-in";
    throw new Error("signed out");
  }
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error);
  return body;
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

/** Columns are [title, value of a row, class]. */
function fill(id, columns, rows, nothing) {
  const table = byId(id);
  if (rows.length === 0) {
    table.replaceChildren(element("caption", nothing, "empty"));
    return;
  }
  const head = element("tr");
  for (const [title, , kind] of columns) head.append(element("th", title, kind));
  const lines = rows.map(row => {
    const line = element("tr");
    for (const [, value, kind] of columns) line.append(element("td", value(row), kind));
    return line;
  });
  table.replaceChildren(head, ...lines);
}

function showTotals({ cost, agents, budgets, alerts }) {
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

function showTrend(days) {
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

async function show() {
  const days = byId("days").value;
  const [account, dashboard, budgets, alerts, events] = await Promise.all([
    get("account"),
    get("dashboard", { days }),
    get("budgets/status"),
    get("alerts", { limit: "10" }),
    get("events", { limit: "15" }),
  ]);
  byId("organization").textContent = account.organization?.name ?? "";
  showTotals(dashboard);
  showTrend(dashboard.trend);
  fill(
    "agents",
    [
      ["Agent", row => row.name],
      ["Status", row => row.status],
      ["Calls", row => whole.format(row.call_count), "number"],
      ["Cost", row => dollars(row.cost_microcents), "number"],
    ],
    dashboard.agents_list,
    "No agent has called yet.",
  );
  fill(
    "models",
    [
      ["Model", row => row.model],
      ["Provider", row => row.provider],
      ["Calls", row => whole.format(row.call_count), "number"],
      ["Cost", row => dollars(row.cost_microcents), "number"],
    ],
    dashboard.top_models,
    "No model was called in this period.",
  );
  fill(
    "budgets",
    [
      ["Mode", row => row.enforcement_mode],
      ["State", row => row.status],
      ["Spent", row => dollars(row.current_spending_microcents), "number"],
      ["Limit", row => dollars(row.limit_microcents), "number"],
      ["Used", row => `${row.percentage_used} %`, "number"],
    ],
    budgets.budgets,
    "There is no budget.",
  );
  fill(
    "alerts",
    [
      ["When", row => time(row.triggered_at)],
      ["Severity", row => row.severity],
      ["Alert", row => row.message],
    ],
    alerts.alerts,
    "Nothing has happened.",
  );
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
    events.events,
    "No call yet.",
  );
}

async function refresh() {
  const problem = byId("problem");
  try {
    await show();
    problem.hidden = true;
  } catch (fault) {
    problem.textContent = `The numbers could not be read: ${fault.message}`;
    problem.hidden = false;
  }
}

byId("days").addEventListener("change", refresh);
byId("mode").addEventListener("change", refresh);
byId("sign-out").addEventListener("click", async () => {
  await fetch("/api/auth/sign-out", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  location.href = "/sign-in";
});
await refresh();
setInterval(() => document.visibilityState === "visible" && refresh(), REFRESH_MS);
