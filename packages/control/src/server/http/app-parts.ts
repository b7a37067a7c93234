import type { Log } from "@tollgate/core/log";
import type { RequestBodies } from "@tollgate/core/wire/request-bodies";
import type { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import type { Directory } from "@tollgate/storage/config/directory";
import type { FollowerStatus } from "@tollgate/storage/following/follower";
import type { Control, ResolvePrincipal } from "../../kernel/context.ts";

export interface AppParts {
  readonly control: Control;
  /** For the metrics. Absent in tests without followers. */
  readonly followers?: () => readonly FollowerStatus[];
  /** Whether this control plane does the background work. Absent in tests without it. */
  readonly leadsJobs?: () => boolean;
  readonly resolvePrincipal: ResolvePrincipal;
  /** The local copy of the keys, which also answers while the database is away. Absent: there is none. */
  readonly copiedKeys?: Pick<Directory, "findByDigest">;
  /** Sign-in and its routes; null: not one of its paths. Absent in tests that need none. */
  readonly identity?: (request: Request, peer: string | null) => Promise<Response | null>;
  /** The dashboard; null: there is no such page. */
  readonly pages?: (request: Request) => Promise<Response | null>;
  /** Addresses of this plane besides the public one. */
  readonly ownUrls?: readonly string[];
  readonly bodies: RequestBodies;
  /** Absent: none. */
  readonly trustedProxies?: TrustedProxies;
  /** Requests per minute for each credential; 0 or absent: no limit. */
  readonly requestsPerMinute?: number;
  readonly log: Log;
}
