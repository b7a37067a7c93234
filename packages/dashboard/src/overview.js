// What the page knows, from the web API and from the live channel; draw.js shows it.
import { keepForSignIn, readChoices, writeChoices } from "./choices.js";
import {
  byId,
  showAgents,
  showAlerts,
  showBudgets,
  showEvents,
  showModels,
  showNow,
  showOrganization,
  showTopology,
  showTotals,
  showTrend,
} from "./draw.js";
import { watchLive } from "./live.js";

/** While the live channel is lost. */
const POLL_MS = 5000;
/** Between two looks at what the channel does not tell, when something has happened; longer where they take long. */
const REFRESH_MS = 1500;
const REST_PER_WORK = 10;
const AGENTS_SHOWN = 200;
const EVENTS_SHOWN = 15;
const ALERTS_SHOWN = 10;

async function get(path, more = {}) {
  const query = new URLSearchParams({ mode: byId("mode").value, ...more });
  const answer = await fetch(`/api/${path}?${query}`, { headers: { accept: "application/json" } });
  if (answer.status === 401) {
    keepForSignIn();
    location.href = "/sign-in";
    throw new Error("signed out");
  }
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error);
  return body;
}

/** What is shown, from the web API and from the live channel alike. */
let shown = nothingShown();

function nothingShown() {
  return { agents: [], events: [], alerts: [], fresh: new Set() };
}

const isNew = row => shown.fresh.has(row.id);
const drawAgents = () => showAgents(shown.agents);
const drawAlerts = () => showAlerts(shown.alerts, isNew);
const drawEvents = () => showEvents(shown.events, isNew);

/** Newest first, each once, as it was told last. */
function merge(known, more, time, limit) {
  const told = new Set(more.map(row => row.id));
  return [...more, ...known.filter(row => !told.has(row.id))]
    .sort((a, b) => Date.parse(b[time]) - Date.parse(a[time]))
    .slice(0, limit);
}

async function show() {
  const days = byId("days").value;
  const mode = byId("mode").value;
  const [account, dashboard, budgets, used, alerts, events] = await Promise.all([
    get("account"),
    get("dashboard", { days }),
    get("budgets"),
    get("budgets/status"),
    get("alerts", { limit: String(ALERTS_SHOWN) }),
    get("events", { limit: String(EVENTS_SHOWN) }),
  ]);
  if (mode !== byId("mode").value) return;
  byId("totals-title").textContent = `Last ${days} days`;
  showOrganization(account.organization?.name ?? "");
  showTotals(dashboard);
  showTrend(dashboard.trend);
  shown.agents = dashboard.agents_list;
  shown.alerts = merge(shown.alerts, alerts.alerts, "triggered_at", ALERTS_SHOWN);
  shown.events = merge(shown.events, events.events, "created_at", EVENTS_SHOWN);
  drawAgents();
  drawAlerts();
  drawEvents();
  showModels(dashboard.top_models);
  const names = await agentNames(budgets.budgets, dashboard.agents_list);
  showBudgets(budgetRows(budgets.budgets, used.budgets, names));
}

/** Of agents with a budget: the dashboard lists those that cost most, and the others are asked for once. */
const askedNames = new Map();
async function agentNames(budgets, agents) {
  const names = new Map(agents.map(({ id, name }) => [id, name]));
  const unknown = budgets.flatMap(({ agent_id: id }) => (id === undefined || names.has(id) ? [] : [id]));
  for (const id of unknown) {
    if (!askedNames.has(id)) askedNames.set(id, (await get(`agents/${id}`)).name);
    names.set(id, askedNames.get(id));
  }
  return names;
}

/** With how far each is used, and whose it is. */
function budgetRows(budgets, used, names) {
  const usedById = new Map(used.map(row => [row.id, row]));
  return budgets.flatMap(budget => {
    const row = usedById.get(budget.id);
    // Made between the two answers: the next look has both.
    if (row === undefined) return [];
    const { agent_id: agentId } = budget;
    const owner = agentId === undefined ? null : `the agent ${names.get(agentId) ?? agentId}`;
    return [{ ...budget, ...row, owner }];
  });
}

/** A page that nobody looks at draws nothing, and must not collect what it would mark. */
function markNew(id) {
  if (document.visibilityState === "visible") shown.fresh.add(id);
}

/** What the live channel tells is shown at once; the rest is read again soon. */
function hear({ channel, data }) {
  switch (channel) {
    case "events":
      markNew(data.id);
      shown.events = merge(shown.events, [data], "created_at", EVENTS_SHOWN);
      showSoon(drawEvents);
      refreshSoon();
      return;
    case "alerts":
      markNew(data.id);
      shown.alerts = merge(shown.alerts, [data], "triggered_at", ALERTS_SHOWN);
      showSoon(drawAlerts);
      refreshSoon();
      return;
    case "totals":
      showNow(data);
      return;
    case "topology":
      showTopology(data);
      return;
    case "agents":
      for (const { id, name, status, is_paused } of data.agents) {
        const known = shown.agents.find(agent => agent.id === id);
        if (known) Object.assign(known, { name, status, paused: is_paused });
        else if (shown.agents.length < AGENTS_SHOWN)
          shown.agents.push({
            id,
            name,
            status,
            paused: is_paused,
            call_count: 0,
            cost_microcents: 0,
            unpriced_calls: 0,
          });
      }
      showSoon(drawAgents);
      refreshSoon();
  }
}

/** Many messages between two frames are drawn once. */
const drawing = new Set();
function showSoon(draw) {
  if (drawing.size === 0) {
    requestAnimationFrame(() => {
      for (const each of drawing) each();
      drawing.clear();
      // Marked once: the next drawing shows them like all the others.
      shown.fresh.clear();
    });
  }
  drawing.add(draw);
}

let refreshTimer = null;
let refreshedAt = 0;
let refreshTookMs = 0;
function refreshSoon() {
  if (refreshTimer !== null) return;
  const rest = Math.max(REFRESH_MS, refreshTookMs * REST_PER_WORK);
  const pause = Math.max(300, refreshedAt + rest - Date.now());
  refreshTimer = setTimeout(() => {
    refreshTimer = null;
    if (document.visibilityState === "visible") refresh();
  }, pause);
}

async function refresh() {
  const problem = byId("problem");
  refreshedAt = Date.now();
  try {
    await show();
    refreshTookMs = Date.now() - refreshedAt;
    problem.hidden = true;
  } catch (fault) {
    problem.textContent = `The numbers could not be read: ${fault.message}`;
    problem.hidden = false;
  }
}

let live = null;
let isLive = false;

function sayState(state) {
  const was = isLive;
  isLive = state === "live";
  const badge = byId("live");
  badge.dataset.state = state;
  badge.textContent = state;
  // What happened meanwhile and is not told again.
  if (isLive && !was) refreshSoon();
}

function watch() {
  live?.close();
  isLive = false;
  live = watchLive(byId("mode").value, {
    onMessage: hear,
    onState: sayState,
    onGap: refresh,
    onEnd: () => {
      sayState("not live");
      // Signed out: the web API says so, and where to go.
      refresh();
    },
  });
}

readChoices();
byId("days").addEventListener("change", () => {
  writeChoices();
  refresh();
});
byId("mode").addEventListener("change", () => {
  writeChoices();
  shown = nothingShown();
  watch();
  refresh();
});
byId("sign-out").addEventListener("click", async () => {
  live?.close();
  await fetch("/api/auth/sign-out", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  location.href = "/sign-in";
});
watch();
await refresh();
setInterval(() => !isLive && document.visibilityState === "visible" && refresh(), POLL_MS);
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && refresh());
