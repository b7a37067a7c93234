// Which way imports may point: between packages, between the folders of a package. A broken arrow is an error.
const packages = {
  core: [],
  providers: ["core"],
  simulator: ["core"],
  storage: ["core"],
  gateway: ["core", "providers", "simulator", "storage"],
  sdk: ["core"],
  tools: ["core", "sdk"],
  control: ["core", "sdk", "storage", "tools"],
  dashboard: ["core", "sdk"],
  cli: ["core", "dashboard", "control", "gateway", "providers", "simulator", "storage", "tools"],
};

const layers = Object.entries(packages).map(([name, allowed]) => ({
  name: `${name}-imports-only-${allowed.join("-") || "itself"}`,
  severity: "error",
  from: { path: `^packages/${name}/src` },
  to: { path: "^packages/([^/]+)/src", pathNot: `^packages/(${[name, ...allowed].join("|")})/src` },
}));

const isTest = "\\.test\\.ts$";

/** The features of the control plane and the pages of the dashboard have an order, too. */
const within = (folder, ...rows) => rows.map(row => row.map(name => `${folder}/${name}`));

/**
 * The folders of a package, bottom to top. A folder imports only folders of the rows below its own: no two import each
 * other, by whatever way round. A new folder goes into the lowest row that is above everything it imports.
 */
const rowsOf = {
  core: [
    ["time"],
    ["agents", "clients", "decisions", "delivery", "limits", "money", "profile", "statistics", "wire"],
    ["attribution", "ingestion", "live", "pricing"],
    ["budgets", "models"],
    ["alerts", "experiments", "suggestions"],
    ["breaker", "health-scores", "leaks", "predictions", "verification"],
    // What all of these look like on the wire; a rule knows no wire.
    ["contract"],
  ],
  storage: [
    ["engine"],
    ["backup", "database", "ledger"],
    ["following", "installation-copy"],
    ["config", "read-model", "shared-ledger", "shared-limits"],
    ["profile"],
  ],
  gateway: [
    // What a request says, up to a routed call.
    ["request"],
    ["budgets", "pricing"],
    // An admitted call until it is settled.
    ["call", "limits"],
    ["answer"],
    ["refusals", "stages"],
    ["endpoints", "ingestion", "verification"],
  ],
  control: [
    // Ports, and what handlers share.
    ["kernel"],
    ["messaging/outgoing", "pages"],
    ["messaging/delivery"],
    // Every change that the gateway obeys is an actuation, whichever feature makes it.
    ...within(
      "features",
      ["actuations"],
      ["agents", "alert-preferences", "audit", "auth", "health", "installation", "keys", "models", "prices"],
      ["budgets", "events", "experiments", "leaks", "members", "outcomes", "refusals", "subjects"],
      ["account", "alerts", "headline", "health-scores", "organization", "suggestions", "verification"],
      [
        "breaker",
        "business-case",
        "checkout",
        "live",
        "loop-views",
        "optimizations",
        "predictions",
        "proposals",
        "queue",
        "reports",
        "roi",
        "webhooks",
      ],
      ["analytics", "demo"],
    ),
    // The transports that delivery is given; then what every entry point shares, the registry of operations, the entry points.
    ["messaging/channels"],
    ["server/http"],
    ["server/operations"],
    ["server/mcp"],
    ["server/web"],
    ["startup"],
  ],
  dashboard: [
    ["format"],
    // Queries, the live channel, range and filters of the URL.
    ["data"],
    ["parts"],
    ["frame"],
    ...within(
      "pages",
      ["budgets", "calls", "first-run", "report", "topology"],
      ["alerts", "developers", "models", "overview", "savings", "sessions", "settings"],
      ["agents", "customers"],
    ),
    ["app"],
  ],
  cli: [
    ["config", "output"],
    // What is in the data directory, and who owns it.
    ["data-directory"],
    ["accounts", "backup"],
    ["migrate"],
    // The processes: the supervisor and what it starts.
    ["planes"],
    ["doctor"],
    ["commands"],
  ],
};

/**
 * Files beside the folders: in core they are below all of them (the event, errors), in the gateway those that parts are given
 * or report to; elsewhere they put parts together.
 */
const filesBelow = {
  core: "^packages/core/src/[^/]+$",
  gateway: "^packages/gateway/src/(gateway|metrics|node-state|perform|version)\\.ts$",
};

const rows = Object.entries(rowsOf).flatMap(([name, ordered]) => [
  ...ordered.map((row, level) => ({
    name: `${name}-folders-import-only-what-is-below`,
    severity: "error",
    from: { path: `^packages/${name}/src/(${row.join("|")})/`, pathNot: isTest },
    to: {
      path: `^packages/${name}/src/`,
      pathNot: [
        `^packages/${name}/src/(${["$1", ...ordered.slice(0, level).flat()].join("|")})/`,
        ...(name in filesBelow ? [filesBelow[name]] : []),
      ],
    },
  })),
  {
    name: `${name}-every-folder-has-its-row`,
    severity: "error",
    from: {
      path: `^packages/${name}/src/[^/]+/`,
      pathNot: `^packages/${name}/src/(${ordered.flat().join("|")})/`,
    },
    to: {},
  },
]);

module.exports = {
  forbidden: [
    ...layers,
    ...rows,
    {
      name: "stages-do-not-import-each-other",
      comment: "pipeline.ts is the only place that knows their order. The relay has parts of its own.",
      severity: "error",
      from: {
        path: "^packages/gateway/src/stages/",
        pathNot: [isTest, "/stages/relay[a-z-]*\\.ts$"],
      },
      to: { path: "^packages/gateway/src/stages/" },
    },
    {
      name: "the-relay-imports-only-its-parts",
      severity: "error",
      from: { path: "^packages/gateway/src/stages/relay[a-z-]*\\.ts$" },
      to: {
        path: "^packages/gateway/src/stages/",
        pathNot: "^packages/gateway/src/stages/relay[a-z-]*\\.ts$",
      },
    },
    {
      name: "nothing-below-imports-the-pipeline",
      severity: "error",
      from: { path: "^packages/gateway/src/[^/]+/", pathNot: isTest },
      to: { path: "^packages/gateway/src/(pipeline|routes|start-gateway)\\.ts$" },
    },
    {
      name: "deriving-the-read-model-asks-no-queries",
      severity: "error",
      from: { path: "^packages/storage/src/read-model/deriving/", pathNot: isTest },
      to: { path: "^packages/storage/src/read-model/(reading/|control-read-model)" },
    },
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "core-is-pure",
      comment: "Rules have no I/O: what they need comes in as an argument.",
      severity: "error",
      from: { path: "^packages/core/src", pathNot: isTest },
      to: { dependencyTypes: ["core", "npm", "npm-dev"], pathNot: "(zod|@pydantic/genai-prices)" },
    },
    {
      name: "only-the-cli-reads-the-environment-and-files",
      comment: "Configuration is parsed once, in cli/config/config.ts.",
      severity: "error",
      from: { path: "^packages/(core|providers|gateway)/src", pathNot: isTest },
      to: { path: "^(node:)?(fs|process|child_process|os)$" },
    },
    {
      name: "one-provider-does-not-know-another",
      comment: "xAI speaks OpenAI's format, and says so by importing it.",
      severity: "error",
      from: { path: "^packages/providers/src/(openai|anthropic|google)/", pathNot: isTest },
      to: {
        path: "^packages/providers/src/(openai|anthropic|google|xai)/",
        pathNot: "^packages/providers/src/$1/",
      },
    },
    {
      name: "control-has-one-way-out",
      comment:
        "Addresses that users give are reached by outgoing/guarded-client.ts alone. Mail goes to the operator's server, sign-in to the operator's issuer, payments to Stripe.",
      severity: "error",
      from: {
        path: "^packages/control/src",
        pathNot: [
          isTest,
          "^packages/control/src/(messaging/outgoing|features/auth)/",
          "^packages/control/src/messaging/channels/mail-transport\\.ts$",
          "^packages/control/src/features/checkout/stripe-checkout\\.ts$",
        ],
      },
      to: {
        path: [
          "^(node:)?(http|https|http2|net|tls|dns|dgram|inspector)(/|$)",
          "(^|/)node_modules/(nodemailer|stripe|undici|axios|got|ws|node-fetch|ky|superagent)/",
          "^(nodemailer|stripe|undici|axios|got|ws|node-fetch|ky|superagent)(/|$)",
        ],
      },
    },
    {
      name: "nothing-ships-a-test",
      severity: "error",
      from: { pathNot: "(\\.test\\.ts$|^test/|^bench/)" },
      to: { path: "(\\.test\\.ts$|^test/)" },
    },
    {
      name: "resolvable",
      severity: "error",
      from: {},
      to: { couldNotResolve: true, pathNot: "^(bun|bun:.*)$" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    // TypeScript 7 has no programming interface yet; swc reads the imports instead.
    parser: "swc",
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
      extensions: [".ts", ".tsx", ".mjs", ".js", ".cjs", ".json"],
    },
  },
};
