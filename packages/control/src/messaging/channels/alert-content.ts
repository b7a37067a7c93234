import { type AlertFact, alertFacts } from "@tollgate/core/alerts/alert-facts";
import { alertSeverities } from "@tollgate/core/alerts/alert-types";
import { formatTime } from "@tollgate/core/alerts/format-time";
import { cleanText } from "@tollgate/core/wire/clean-text";
import { z } from "zod";

/** The message to people, before it is formatted for a channel. Every text is cleaned, none is escaped yet. */
export interface AlertContent {
  /** Begins with "[test]" for test traffic. */
  readonly title: string;
  readonly severity: (typeof alertSeverities)[number];
  readonly sentence: string;
  readonly facts: readonly AlertFact[];
  /** The dashboard's URL. */
  readonly link: string;
}

/** As `bodyOf` writes it. A body queued by an older version may lack a field. */
const alertBody = z.object({
  event_type: z.string(),
  timestamp: z.string(),
  data: z.object({
    organization_name: z.string().catch(""),
    mode: z.string().catch("live"),
    type: z.string().catch(""),
    severity: z.enum(alertSeverities).catch("warning"),
    message: z.string().catch(""),
    metadata: z.record(z.string(), z.unknown()).catch({}),
  }),
});

const MAX_SENTENCE = 500;
const MAX_NAME = 100;

const titlesByKind: Readonly<Record<string, string>> = {
  limit: "Budget limit reached",
  daily_cost: "Daily cost over its threshold",
  monthly_cost: "Monthly cost over its threshold",
  latency_p99: "Latency over its threshold",
  webhook_disabled: "Webhook disabled",
  breaker: "Model switch undone",
  test: "Test notification",
};

const titlesByType: Readonly<Record<string, string>> = {
  cost_spike: "Cost spike",
  error_rate: "Error rate",
  usage_spike: "Usage spike",
  idle_agent: "Idle agent",
  budget_warning: "Budget warning",
};

/** Throws if the text is not an alert's body. */
export function alertContent(body: string, publicUrl: string): AlertContent {
  const { timestamp, data } = alertBody.parse(JSON.parse(body));
  const { metadata, severity } = data;
  const kind = typeof metadata.kind === "string" ? metadata.kind : "";
  const title = titleIn(titlesByKind, kind) ?? titleIn(titlesByType, data.type) ?? "Alert";
  const name = cleanText(data.organization_name, MAX_NAME);
  const organization = name === "" ? [] : [{ label: "Organization", value: name }];
  return {
    title: `${data.mode === "test" ? "[test] " : ""}${severity === "info" ? "" : `${wordOf[severity]}: `}${title}`,
    severity,
    sentence: cleanText(data.message, MAX_SENTENCE),
    facts: [
      ...organization,
      ...alertFacts(metadata),
      { label: "Time", value: formatTime(timestamp) ?? "unknown" },
    ],
    link: linkTo(publicUrl, data.mode),
  };
}

/** The dashboard shows live traffic unless its URL says otherwise. */
function linkTo(publicUrl: string, mode: string): string {
  return mode === "test" ? `${publicUrl.replace(/\/+$/, "")}/?mode=test` : publicUrl;
}

const wordOf = { warning: "Warning", critical: "Critical" } as const;

function titleIn(titles: Readonly<Record<string, string>>, name: string): string | null {
  return Object.hasOwn(titles, name) ? (titles[name] ?? null) : null;
}
