import type { TierPrices } from "@tollgate/core/limits/tier-prices";
import type { Log } from "@tollgate/core/log";
import type { PriceOverrides } from "@tollgate/core/pricing/overrides";
import type { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import type {
  ControlDatabase,
  ControlDatabaseOptions,
} from "@tollgate/storage/database/open-control-database";
import type { IdentityOptions } from "../features/auth/create-identity.ts";
import type { CheckoutOptions } from "../features/checkout/create-checkout-desk.ts";
import type { CallGateway } from "../features/demo/gateway-client.ts";
import type { OutgoingOptions } from "../messaging/channels/create-transports.ts";

export interface ControlOptions {
  readonly host: string;
  readonly port: number;
  /** Options, or an open database, which the caller closes: two writers in one process would block each other. */
  readonly database: ControlDatabaseOptions | ControlDatabase;
  readonly ledgerPath: string;
  /** true: gateways run on other machines, and `ledgerPath` is this plane's copy of what they shipped to PostgreSQL. */
  readonly copiesLedger?: boolean;
  /** Used by gateways on other machines; its state is shown. */
  readonly redisUrl?: string | null;
  /** The file from which the gateway reads its configuration. */
  readonly controlPath: string;
  readonly publicUrl: string;
  /** Where clients send their calls; absent: the default address. */
  readonly gatewayUrl?: string;
  readonly secret: string;
  readonly oidc: IdentityOptions["oidc"];
  /** Proxies whose `X-Forwarded-For` is trusted; absent: none. */
  readonly trustedProxies?: TrustedProxies;
  /** Requests per minute for each credential; 0 or absent: no limit. */
  readonly requestsPerMinute?: number;
  /** The operator's own prices, the same as the gateway's. */
  readonly priceOverrides?: PriceOverrides | null;
  /** What the operator charges for each tier. */
  readonly tierPrices?: TierPrices;
  /** How verifications are sold; absent: the operator grants them, to callers with a key. */
  readonly checkout?: CheckoutOptions;
  /** Verifications that every organization begins with; absent: 3. */
  readonly freeVerifications?: number;
  /** Absent: public addresses only, no mail, no Telegram. */
  readonly outgoing?: OutgoingOptions;
  /** How long single calls are kept; null or absent: forever. */
  readonly retentionDays?: number | null;
  /** How long a request may take to arrive. */
  readonly requestTimeoutMs?: number;
  readonly log: Log;
  /** Reaches this installation's own gateway; absent: demos cannot be added. */
  readonly callGateway?: CallGateway;
  /** The dashboard; null: there is no such page. */
  readonly pages?: (request: Request) => Promise<Response | null>;
  readonly now?: () => number;
  /** Milliseconds on a monotonic clock. */
  readonly uptimeMs?: () => number;
}
