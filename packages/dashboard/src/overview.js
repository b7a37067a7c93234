// Keeps the page's data, from the web API and the live channel; draw.js shows it.
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

/** Used while the live channel is disconnected. */
const POLL_MS = 5000;
/** Minimum pause between two reads of what the channel does not carry; slow reads pause longer. */
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

let shown = nothingShown();

function nothingShown() {
  return { agents: [], events: [], alerts: [], fresh: new Set() };
}

const isNew = row => shown.fresh.has(row.id);
const drawAgents = () => showAgents(shown.agents);
const drawAlerts = () => showAlerts(shown.alerts, isNew);
const drawEvents = () => showEvents(shown.events, isNew);

/** Newest first, each row once, in its latest version. */
function merge(known, more, time, limit) {
  const updated = new Set(more.map(row => row.id));
  return [...more, ...known.filter(row => !updated.has(row.id))]
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

/** Names of agents with a budget that are not among the most expensive ones, fetched once. */
const fetchedNames = new Map();
async function agentNames(budgets, agents) {
  const names = new Map(agents.map(({ id, name }) => [id, name]));
  const unknown = budgets.flatMap(({ agent_id: id }) => (id === undefined || names.has(id) ? [] : [id]));
  for (const id of unknown) {
    if (!fetchedNames.has(id)) fetchedNames.set(id, (await get(`agents/${id}`)).name);
    names.set(id, fetchedNames.get(id));
  }
  return names;
}

/** Adds each budget's usage and owner. */
function budgetRows(budgets, used, names) {
  const usedById = new Map(used.map(row => [row.id, row]));
  return budgets.flatMap(budget => {
    const row = usedById.get(budget.id);
    // Created between the two requests; the next refresh has both.
    if (row === undefined) return [];
    const { agent_id: agentId } = budget;
    const owner = agentId === undefined ? null : `the agent ${names.get(agentId) ?? agentId}`;
    return [{ ...budget, ...row, owner }];
  });
}

/** A hidden page draws nothing, and must not collect marks without end. */
function markNew(id) {
  if (document.visibilityState === "visible") shown.fresh.add(id);
}

/** Live data is shown immediately; everything else is refreshed soon after. */
function handleMessage({ channel, data }) {
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

/** Batches messages between two frames into one drawing. */
const drawing = new Set();
function showSoon(draw) {
  if (drawing.size === 0) {
    requestAnimationFrame(() => {
      for (const each of drawing) each();
      drawing.clear();
      // New rows are highlighted in one drawing only.
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
    problem.textContent = `The data could not be loaded: ${fault.message}`;
    problem.hidden = false;
  }
}

let live = null;
let isLive = false;

function showState(state) {
  const was = isLive;
  isLive = state === "live";
  const badge = byId("live");
  badge.dataset.state = state;
  badge.textContent = state;
  // Loads changes that the channel does not resend.
  if (isLive && !was) refreshSoon();
}

function watch() {
  live?.close();
  isLive = false;
  live = watchLive(byId("mode").value, {
    onMessage: handleMessage,
    onState: showState,
    onGap: refresh,
    onEnd: () => {
      showState("not live");
      // If the viewer was signed out, the refresh redirects to the sign-in page.
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
