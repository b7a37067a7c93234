/**
 * Every error of Tollgate itself: code, status, when it occurs, and whether a retry can help. A test keeps
 * `docs/errors.md` equal to this list. The public body never contains an internal cause.
 */

interface ErrorKind {
  readonly status: number;
  /** For the documentation. */
  readonly when: string;
  /** false: sends `x-should-retry: false`, because official clients would otherwise make three attempts. */
  readonly retry: boolean;
}

const kind = (status: number, when: string, retry = true): ErrorKind => ({ status, when, retry });

export const errorKinds = {
  invalid_json: kind(400, "the body is not valid JSON, or not a JSON object"),
  invalid_request: kind(400, "a field is missing or invalid; the error names it"),
  unsupported_feature: kind(400, "the chosen provider has no equivalent for something the request asks for"),
  unsupported_model: kind(400, "no provider serves a model with that name, and none was forced"),
  unknown_provider: kind(400, "`X-Provider` names an unknown provider"),
  missing_provider_key: kind(400, "the `X-Provider-Key` header is missing"),
  service_key_as_provider_key: kind(
    400,
    "a Tollgate key was sent in `X-Provider-Key` or `X-Provider-Key-<Provider>`",
  ),
  invalid_header: kind(400, "an id header is not 1 to 256 printable characters"),
  unsupported_encoding: kind(
    400,
    "the `Content-Encoding` is not accepted: calls are not compressed, ingestion also accepts gzip",
  ),
  missing_api_key: kind(401, "no API key was sent", false),
  invalid_api_key: kind(401, "the API key is unknown or revoked", false),
  missing_credential: kind(401, "web API: neither a session nor an API key was sent", false),
  sign_in_failed: kind(
    401,
    "web API: e-mail or password is wrong, or the sign-in link was used or has expired",
    false,
  ),
  tier_limit: kind(402, "the organization's tier does not include this", false),
  no_verification_left: kind(
    402,
    "web API: every verification of the balance is used, or reserved by those under way; nothing was started",
    false,
  ),
  organization_inactive: kind(403, "the key is valid, but its organization is inactive or suspended", false),
  insufficient_scope: kind(
    403,
    "the key may only read, or is a test key and live traffic is concerned",
    false,
  ),
  insufficient_role: kind(
    403,
    "web API: the role does not allow this, or only a signed-in person may do it",
    false,
  ),
  not_a_member: kind(403, "web API: the account belongs to no active organization", false),
  foreign_origin: kind(
    403,
    "web API: a write from another origin, a body that is not JSON, or an unknown `Host`",
    false,
  ),
  agent_paused: kind(403, "the agent is paused; it can be resumed", false),
  feature_disabled: kind(
    403,
    "web API: the organization has not turned this feature on; `next_step` says how",
    false,
  ),
  not_found: kind(404, "the endpoint does not exist, or this organization has no such object"),
  request_timeout: kind(
    408,
    "the body was not complete within `SVC_REQUEST_TIMEOUT_MS`; the connection is closed",
  ),
  payload_too_large: kind(413, "the body is larger than 10,485,760 bytes"),
  rate_limited: kind(
    429,
    "more calls per minute than the burst limit; web API: more requests than `SVC_API_RATE_PER_MINUTE`, or more than 10 tests of the alert channels an hour",
  ),
  monthly_limit: kind(429, "more calls in this UTC month than the tier includes"),
  too_many_attempts: kind(429, "web API: too many failed sign-ins; `Retry-After` says when to try again"),
  too_many_at_once: kind(429, "web API: too many concurrent sign-ins, or tests of webhooks or channels"),
  budget_exceeded: kind(429, "a `hard_block` budget has reached its limit", false),
  client_left: kind(499, "the client closed its connection first; counted in metrics, never sent"),
  internal: kind(500, "a fault inside the gateway or the control plane"),
  ledger_unavailable: kind(500, "the ledger cannot be written, so the call was not made"),
  provider_unreachable: kind(502, "the provider cannot be reached, or did not complete its answer"),
  provider_invalid_answer: kind(502, "the provider's answer does not conform to its API"),
  ingestion_unavailable: kind(503, "the ledger cannot be written, so ingested events must be sent again"),
  ledger_lost: kind(
    503,
    "`ledger.db` was removed or replaced while the gateway was running; calls are refused until a restart",
  ),
  storage_unavailable: kind(
    503,
    "web API: the database cannot be reached, its disk is full, or it is read-only",
  ),
  checkout_unavailable: kind(
    503,
    "web API: the payment provider did not open a checkout; nothing was bought",
  ),
  configuration_too_old: kind(
    503,
    "one of several gateways: PostgreSQL has not confirmed its keys and budgets for longer than `SVC_MAX_CONFIG_AGE_MS`",
  ),
  overloaded: kind(503, "too many large request bodies are in progress, of this organization or of all"),
  shutting_down: kind(503, "the gateway or the control plane is shutting down"),
  provider_timeout: kind(504, "the provider was silent for longer than `SVC_PROVIDER_TIMEOUT_MS`"),
} as const satisfies Record<string, ErrorKind>;

type ErrorCode = keyof typeof errorKinds;

export const errorCodes = Object.keys(errorKinds) as ErrorCode[];

/** A code that was stored. */
export function toErrorCode(text: string): ErrorCode {
  const code = errorCodes.find(known => known === text);
  if (code === undefined) throw new Error(`${JSON.stringify(text)} is not an error code`);
  return code;
}

export class TollgateError extends Error {
  constructor(
    readonly code: ErrorCode,
    /** The sentence for the caller. It never quotes a key, a prompt or an answer. */
    sentence: string,
    /** Further public fields of the body, as the spec lists them for this case. */
    readonly fields: Readonly<Record<string, unknown>> = {},
    readonly headers: Readonly<Record<string, string>> = {},
    options?: { cause: unknown },
  ) {
    super(sentence, options);
    this.name = "TollgateError";
  }

  get status(): number {
    return errorKinds[this.code].status;
  }

  get body(): { error: string } & Record<string, unknown> {
    return { error: this.message, ...this.fields };
  }
}

export function fail(
  code: ErrorCode,
  sentence: string,
  fields?: Readonly<Record<string, unknown>>,
  headers?: Readonly<Record<string, string>>,
): TollgateError {
  return new TollgateError(code, sentence, fields, headers);
}
