import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { MIN_SECRET_LENGTH } from "@tollgate/control/features/auth/min-secret-length";
import type { CheckoutOptions } from "@tollgate/control/features/checkout/create-checkout-desk";
import { readSmtpUrl } from "@tollgate/control/messaging/channels/read-smtp-url";
import { parseAllowedTargets } from "@tollgate/control/messaging/outgoing/allowed-targets";
import { parseTierPrices, type TierPrices } from "@tollgate/core/limits/tier-prices";
import { type Tier, tierNames } from "@tollgate/core/limits/tiers";
import { PriceFileError, type PriceOverrides, parsePriceOverrides } from "@tollgate/core/pricing/overrides";
import { type ProviderId, providerIds } from "@tollgate/core/provider-id";
import { isLoopbackName } from "@tollgate/core/wire/loopback-name";
import { plainIssues } from "@tollgate/core/wire/plain-issues";
import { reachableHost } from "@tollgate/core/wire/reachable-host";
import { REQUEST_TIMEOUT_MS } from "@tollgate/core/wire/request-bodies";
import { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import { z } from "zod";
import { DEFAULT_DATA_DIR } from "./program-name.ts";

/** Digits only: `Number` would read a blank as 0, and 0 is a valid port. */
const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, "must be a whole number")
    .transform(Number)
    .refine(value => value >= min && value <= max, `must be from ${min} to ${max}`);
const port = wholeNumber(0, 65_535);
const httpUrl = z.url({ protocol: /^https?$/ });
/** Paths are appended to it. */
const baseUrl = httpUrl.refine(text => !/[?#]/.test(text), "must not have a query or a fragment");
const isEncryptedOrLocal = (text: string) => {
  const url = URL.parse(text);
  return url !== null && (url.protocol === "https:" || isLoopbackName(url.hostname));
};
/** Parsed here once, so that an invalid value fails at startup and not later. */
const readableBy = (read: (text: string) => unknown) => (text: string, context: z.RefinementCtx) => {
  try {
    read(text);
  } catch (fault) {
    context.addIssue({ code: "custom", message: fault instanceof Error ? fault.message : "is not valid" });
  }
};

/** Every environment variable, once. An unknown `SVC_` name is a typo, and fails at startup like an invalid value. */
const schema = z.strictObject({
  SVC_HOST: z.string().min(1).default("127.0.0.1"),
  SVC_GATEWAY_PORT: port.default(8787),
  SVC_WEB_PORT: port.default(3000),
  /** What runs on this machine. */
  SVC_ROLE: z.enum(["all", "gateway", "control"]).default("all"),
  SVC_NODE_ID: z
    .string()
    .regex(/^[\w.-]{1,64}$/, "must be 1 to 64 letters, digits, dots, dashes or underscores")
    .optional(),
  SVC_MAX_CONFIG_AGE_MS: wholeNumber(1000, 1_000_000_000).default(3_600_000),
  SVC_ON_OLD_CONFIG: z.enum(["serve", "refuse"]).default("serve"),
  SVC_DATA_DIR: z.string().min(1).default(DEFAULT_DATA_DIR),
  SVC_OPENAI_BASE_URL: baseUrl.optional(),
  SVC_ANTHROPIC_BASE_URL: baseUrl.optional(),
  SVC_GOOGLE_BASE_URL: baseUrl.optional(),
  SVC_XAI_BASE_URL: baseUrl.optional(),
  SVC_PROVIDER_TIMEOUT_MS: wholeNumber(1, 86_400_000).default(60_000),
  SVC_REQUEST_TIMEOUT_MS: wholeNumber(1, 86_400_000).default(REQUEST_TIMEOUT_MS),
  SVC_DURABILITY: z.enum(["normal", "full"]).default("normal"),
  SVC_ON_DISCONNECT: z.enum(["abort", "drain"]).default("abort"),
  SVC_DEFAULT_TIER: z.enum(tierNames).default("enterprise"),
  SVC_OWNER_EMAIL: z
    .email("must be an e-mail address")
    .max(320)
    .transform(address => address.toLowerCase())
    .optional(),
  SVC_API_RATE_PER_MINUTE: wholeNumber(0, 1_000_000).default(1200),
  /**
   * Calls have priority; derived data can wait until a busy moment has passed. Next to a gateway on the same core, 10
   * gets a tenth of the CPU time. 19 would get a seventieth, and on a busy machine dashboard, alerts and webhooks would
   * stall. At 5 the two compete so much that a call costs a tenth more CPU on two cores.
   */
  SVC_CONTROL_NICENESS: wholeNumber(0, 19).default(10),
  /** At least a month: budgets, forecasts and suggestions need its calls. */
  SVC_RETENTION_DAYS: wholeNumber(31, 36_500).optional(),
  SVC_PRICES_FILE: z.string().min(1).optional(),
  SVC_FREE_VERIFICATIONS: wholeNumber(0, 1_000_000).default(3),
  SVC_TIER_PRICES: z.string().default("").superRefine(readableBy(parseTierPrices)),
  SVC_PUBLIC_URL: baseUrl.optional(),
  SVC_PUBLIC_GATEWAY_URL: baseUrl.optional(),
  SVC_SECRET: z.string().min(MIN_SECRET_LENGTH).optional(),
  SVC_DATABASE_URL: z
    .url({
      protocol: /^postgres(ql)?$/,
      error: "must be a URL such as postgres://user:password@host:5432/name",
    })
    .optional(),
  SVC_REDIS_URL: z
    .url({ protocol: /^(rediss?|valkeys?)$/, error: "must be a URL such as redis://user:password@host:6379" })
    .optional(),
  SVC_OIDC_ISSUER: httpUrl.optional(),
  SVC_OIDC_CLIENT_ID: z.string().min(1).optional(),
  SVC_OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  SVC_SMTP_URL: z.string().superRefine(readableBy(readSmtpUrl)).optional(),
  SVC_TELEGRAM_BOT_TOKEN: z
    .string()
    .regex(/^[\w:-]+$/, "must be the token that BotFather gave")
    .optional(),
  SVC_TELEGRAM_API_URL: baseUrl.default("https://api.telegram.org"),
  SVC_ALLOWED_PRIVATE_TARGETS: z.string().default("").superRefine(readableBy(parseAllowedTargets)),
  SVC_STRIPE_SECRET_KEY: z
    .string()
    .regex(/^[sr]k_\w{8,}$/, "must be a secret or restricted key of Stripe")
    .optional(),
  SVC_STRIPE_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_\S{8,}$/, "must be the signing secret of a webhook endpoint of Stripe")
    .optional(),
  SVC_STRIPE_API_BASE: baseUrl
    .refine(isEncryptedOrLocal, "must be https, or http on loopback: the secret key is sent there")
    .optional(),
  /** Stripe's minimum is 50 cents. */
  SVC_VERIFICATION_PRICE_CENTS: wholeNumber(50, 999_999).optional(),
  SVC_ANONYMOUS_CHECKOUT: z.enum(["0", "1"]).default("0"),
  SVC_OPERATOR_CONTACT: z
    .union([z.email(), z.url({ protocol: /^https?$/ })], "must be an e-mail address or an http URL")
    .optional(),
  SVC_TRUSTED_PROXIES: z.string().default("").superRefine(readableBy(TrustedProxies.parse)),
  /** These two belong to the stdio tool package; they may be set in the same shell. */
  SVC_API_KEY: z.string().optional(),
  SVC_API_URL: z.string().optional(),
});

/** The names of all variables. */
export const settingNames: ReadonlySet<string> = new Set(Object.keys(schema.shape));

export interface Config {
  readonly host: string;
  readonly gatewayPort: number;
  readonly webPort: number;
  readonly dataDir: string;
  /** What runs on this machine. */
  readonly role: "all" | "gateway" | "control";
  /** null: made on the first start, and kept in the data directory. */
  readonly nodeId: string | null;
  /** A gateway whose configuration is older is degraded. */
  readonly maxConfigAgeMs: number;
  /** It refuses calls, too. */
  readonly refusesOldConfig: boolean;
  readonly baseUrls: Partial<Record<ProviderId, string>>;
  readonly providerTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly durability: "normal" | "full";
  readonly onDisconnect: "abort" | "drain";
  readonly defaultTier: Tier;
  /** The owner of the first run's organization; null: not set. */
  readonly ownerEmail: string | null;
  /** Requests to the web API, for each credential; 0: no limit. */
  readonly apiRatePerMinute: number;
  readonly controlNiceness: number;
  /** How long single calls are kept; null: forever. */
  readonly retentionDays: number | null;
  readonly priceOverrides: PriceOverrides | null;
  readonly tierPrices: TierPrices;
  /** Verifications that every organization begins with. */
  readonly freeVerifications: number;
  readonly publicUrl: string;
  /** What clients use as base address; by default the address the gateway listens on. */
  readonly publicGatewayUrl: string;
  /** Otherwise the public URL is the address the server listens on. */
  readonly isPublicUrlGiven: boolean;
  /** null: generated on the first run and stored in the data directory. */
  readonly secret: string | null;
  /** null: the embedded store. */
  readonly databaseUrl: string | null;
  /** Counts burst limits over several gateways; null: each has an equal share. */
  readonly redisUrl: string | null;
  /** null: people sign in with e-mail and password. */
  readonly oidc: OidcConfig | null;
  /** null: no e-mail is sent. */
  readonly smtpUrl: string | null;
  readonly telegram: { readonly botToken: string; readonly apiUrl: string } | null;
  readonly allowedPrivateTargets: string;
  /** How verifications are sold. */
  readonly checkout: CheckoutOptions;
  readonly trustedProxies: TrustedProxies;
}

interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`the configuration is not valid:\n${problems.map(problem => `  - ${problem}`).join("\n")}`);
    this.name = "ConfigError";
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reports all errors together, so that they can be fixed in one go. Values are never quoted: one may be a secret. */
export function readConfig(environment: Environment): Config {
  // An empty value counts as unset, as compose files write it. An unknown name is still a typo.
  const ours = Object.fromEntries(
    Object.entries(environment).filter(
      ([name, value]) => name.startsWith("SVC_") && (value !== "" || !(name in schema.shape)),
    ),
  );
  const parsed = schema.safeParse(ours, plainIssues);
  const problems = parsed.success ? [] : parsed.error.issues.flatMap(describe);
  const prices = readPrices(ours.SVC_PRICES_FILE);
  problems.push(...prices.problems);
  const oidc = parsed.success ? readOidc(parsed.data) : null;
  const stripe = parsed.success ? readStripe(parsed.data) : null;
  if (oidc === "incomplete") {
    problems.push("SVC_OIDC_ISSUER, SVC_OIDC_CLIENT_ID and SVC_OIDC_CLIENT_SECRET must be set together");
  }
  if (stripe === "incomplete") {
    problems.push(
      "SVC_STRIPE_SECRET_KEY, SVC_STRIPE_WEBHOOK_SECRET and SVC_VERIFICATION_PRICE_CENTS must be set together",
    );
  }
  if (parsed.success) problems.push(...problemsOfRole(parsed.data));
  if (!parsed.success || oidc === "incomplete" || stripe === "incomplete" || problems.length > 0)
    throw new ConfigError(problems);

  const settings = parsed.data;
  const baseUrls: Partial<Record<ProviderId, string>> = {};
  for (const id of providerIds) {
    const url = settings[`SVC_${id.toUpperCase() as Uppercase<ProviderId>}_BASE_URL`];
    // Documentation gives clients `…/v1`; our paths contain it already.
    if (url !== undefined) baseUrls[id] = url.replace(/\/+$/, "").replace(/\/v1(beta)?$/, "");
  }
  return {
    host: settings.SVC_HOST,
    gatewayPort: settings.SVC_GATEWAY_PORT,
    webPort: settings.SVC_WEB_PORT,
    dataDir: resolve(settings.SVC_DATA_DIR),
    role: settings.SVC_ROLE,
    nodeId: settings.SVC_NODE_ID ?? null,
    maxConfigAgeMs: settings.SVC_MAX_CONFIG_AGE_MS,
    refusesOldConfig: settings.SVC_ON_OLD_CONFIG === "refuse",
    baseUrls,
    providerTimeoutMs: settings.SVC_PROVIDER_TIMEOUT_MS,
    requestTimeoutMs: settings.SVC_REQUEST_TIMEOUT_MS,
    durability: settings.SVC_DURABILITY,
    onDisconnect: settings.SVC_ON_DISCONNECT,
    defaultTier: settings.SVC_DEFAULT_TIER,
    ownerEmail: settings.SVC_OWNER_EMAIL ?? null,
    apiRatePerMinute: settings.SVC_API_RATE_PER_MINUTE,
    controlNiceness: settings.SVC_CONTROL_NICENESS,
    retentionDays: settings.SVC_RETENTION_DAYS ?? null,
    priceOverrides: prices.overrides,
    tierPrices: parseTierPrices(settings.SVC_TIER_PRICES),
    freeVerifications: settings.SVC_FREE_VERIFICATIONS,
    publicUrl: (
      settings.SVC_PUBLIC_URL ?? `http://${reachableHost(settings.SVC_HOST)}:${settings.SVC_WEB_PORT}`
    ).replace(/\/+$/, ""),
    publicGatewayUrl: (
      settings.SVC_PUBLIC_GATEWAY_URL ??
      `http://${reachableHost(settings.SVC_HOST)}:${settings.SVC_GATEWAY_PORT}`
    ).replace(/\/+$/, ""),
    isPublicUrlGiven: settings.SVC_PUBLIC_URL !== undefined,
    secret: settings.SVC_SECRET ?? null,
    databaseUrl: settings.SVC_DATABASE_URL ?? null,
    redisUrl: settings.SVC_REDIS_URL ?? null,
    oidc,
    smtpUrl: settings.SVC_SMTP_URL ?? null,
    telegram:
      settings.SVC_TELEGRAM_BOT_TOKEN === undefined
        ? null
        : { botToken: settings.SVC_TELEGRAM_BOT_TOKEN, apiUrl: settings.SVC_TELEGRAM_API_URL },
    allowedPrivateTargets: settings.SVC_ALLOWED_PRIVATE_TARGETS,
    checkout: {
      stripe,
      isOpenToStrangers: settings.SVC_ANONYMOUS_CHECKOUT === "1",
      operatorContact: settings.SVC_OPERATOR_CONTACT ?? null,
    },
    trustedProxies: TrustedProxies.parse(settings.SVC_TRUSTED_PROXIES),
  };
}

/** All three or none: half of them would lock everyone out, or leave password sign-in open by mistake. */
function readOidc(settings: z.output<typeof schema>): OidcConfig | null | "incomplete" {
  const { SVC_OIDC_ISSUER: issuer, SVC_OIDC_CLIENT_ID: clientId } = settings;
  const clientSecret = settings.SVC_OIDC_CLIENT_SECRET;
  if (issuer === undefined && clientId === undefined && clientSecret === undefined) return null;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return "incomplete";
  return { issuer, clientId, clientSecret };
}

/** All three or none: otherwise purchases would never be granted. */
function readStripe(settings: z.output<typeof schema>): CheckoutOptions["stripe"] | "incomplete" {
  const { SVC_STRIPE_SECRET_KEY: secretKey, SVC_STRIPE_WEBHOOK_SECRET: webhookSecret } = settings;
  const { SVC_VERIFICATION_PRICE_CENTS: unitPriceCents, SVC_STRIPE_API_BASE: apiBase } = settings;
  const given = [secretKey, webhookSecret, unitPriceCents];
  if (given.every(value => value === undefined)) return apiBase === undefined ? null : "incomplete";
  if (secretKey === undefined || webhookSecret === undefined || unitPriceCents === undefined) {
    return "incomplete";
  }
  return { secretKey, webhookSecret, unitPriceCents, apiBase: apiBase ?? null };
}

/**
 * Several machines share a PostgreSQL. Control planes also share the secret: a session that one of them began must be
 * valid at the others.
 */
function problemsOfRole(settings: z.output<typeof schema>): string[] {
  const { SVC_ROLE: role, SVC_GATEWAY_PORT: gatewayPort } = settings;
  if (role === "all") {
    const isSame = gatewayPort !== 0 && gatewayPort === settings.SVC_WEB_PORT;
    return isSame ? ["SVC_GATEWAY_PORT and SVC_WEB_PORT must be two ports"] : [];
  }
  return [
    ...(settings.SVC_DATABASE_URL === undefined ? [`SVC_DATABASE_URL must be set for SVC_ROLE=${role}`] : []),
    ...(role === "control" && settings.SVC_SECRET === undefined
      ? ["SVC_SECRET must be set for SVC_ROLE=control, to the same value on every control plane"]
      : []),
  ];
}

function describe(issue: z.core.$ZodIssue): string[] {
  if (issue.code === "unrecognized_keys") return issue.keys.map(key => `${key} is not a known variable`);
  return [`${issue.path.join(".")}: ${issue.message}`];
}

function readPrices(file: string | undefined): { overrides: PriceOverrides | null; problems: string[] } {
  if (file === undefined) return { overrides: null, problems: [] };
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, "utf8"));
  } catch (fault) {
    const reason = fault instanceof SyntaxError ? "is not valid JSON" : "cannot be read";
    return { overrides: null, problems: [`SVC_PRICES_FILE: the file ${reason}`] };
  }
  try {
    return { overrides: parsePriceOverrides(content), problems: [] };
  } catch (fault) {
    if (!(fault instanceof PriceFileError)) throw fault;
    return { overrides: null, problems: fault.faults.map(problem => `SVC_PRICES_FILE: ${problem}`) };
  }
}
