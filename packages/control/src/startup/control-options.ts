import type { TierPrices } from "@tollgate/core/limits/tier-prices";
import type { Log } from "@tollgate/core/log";
import type { PriceOverrides } from "@tollgate/core/pricing/overrides";
import type { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import type {
  ControlDatabase,
  ControlDatabaseOptions,
} from "@tollgate/storage/database/open-control-database";
import type { IdentityOptions } from "../auth/create-identity.ts";
import type { OutgoingOptions } from "../channels/create-transports.ts";

export interface ControlOptions {
  readonly host: string;
  readonly port: number;
  /** Where it is; or one that is open already, and stays so: two writers in one process would block each other. */
  readonly database: ControlDatabaseOptions | ControlDatabase;
  readonly ledgerPath: string;
  /** Where the gateway reads its configuration. */
  readonly controlPath: string;
  readonly publicUrl: string;
  readonly secret: string;
  readonly oidc: IdentityOptions["oidc"];
  /** Whose `X-Forwarded-For` counts; absent: nobody's. */
  readonly trustedProxies?: TrustedProxies;
  /** Requests a minute for each credential; 0 or absent: no limit. */
  readonly requestsPerMinute?: number;
  /** The operator's own prices, the same as the gateway's. */
  readonly priceOverrides?: PriceOverrides | null;
  /** What the operator takes for each tier. */
  readonly tierPrices?: TierPrices;
  /** What may be reached outside; absent: what is public, no mail, no Telegram. */
  readonly outgoing?: OutgoingOptions;
  /** How long a request may take to arrive. */
  readonly requestTimeoutMs?: number;
  readonly log: Log;
  /** The dashboard; null: there is no such page. */
  readonly pages?: (request: Request) => Promise<Response | null>;
  readonly now?: () => number;
}
