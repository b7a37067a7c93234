import { fail } from "@tollgate/core/errors";
import { TokenBucket } from "@tollgate/core/limits/token-bucket";
import { liveCloseCodes } from "@tollgate/core/live/live-channels";
import { describeFault, type Log } from "@tollgate/core/log";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { LedgerContinuity } from "@tollgate/storage/following/ledger-continuity";
import { repeatUntil } from "@tollgate/storage/following/repeat-until";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { createLiveSeeds } from "@tollgate/storage/read-model/reading/live-seeds";
import type { Server, ServerWebSocket, WebSocketHandler } from "bun";
import type { Principal, ResolvePrincipal } from "../../kernel/context.ts";
import type { SealedCursors } from "../../kernel/sealed-cursors.ts";
import type { Audience } from "./audience.ts";
import { type Credential, credentialOf } from "./credential.ts";
import { CredentialWatch } from "./credential-watch.ts";
import { LiveHub } from "./live-hub.ts";
import { MAX_BUFFERED_BYTES, Viewer } from "./viewer.ts";
import { ViewerProtocol } from "./viewer-protocol.ts";

interface LiveParts {
  readonly database: ControlDatabase;
  readonly ledger: LedgerReader;
  readonly continuity?: LedgerContinuity;
  readonly cursors: SealedCursors;
  readonly resolvePrincipal: ResolvePrincipal;
  /** Turns a fault into the same response that every other endpoint would give. */
  readonly answerFault: (fault: unknown) => Response;
  readonly now: () => number;
  /** Milliseconds on a monotonic clock, for measuring durations. */
  readonly uptimeMs: () => number;
  readonly log: Log;
}

/** What a socket carries from its request until it closes. */
export interface LiveSocket {
  readonly live: LiveChannel;
  readonly principal: Principal;
  readonly credential: Credential;
  open: { readonly viewer: Viewer; readonly audience: Audience; readonly protocol: ViewerProtocol } | null;
}

const MAX_CONNECTIONS = 2500;
/** After a restart all may reconnect at once; only constant reconnecting is slowed down. */
const CONNECTIONS_PER_SECOND = 50;
const CREDENTIALS_EVERY_MS = 400;
const MAX_MESSAGE_BYTES = 16 * 1024;
const IDLE_SECONDS = 60;

/**
 * For `Bun.serve`, which starts before the channel exists. The server sends the pings and drops peers that do not
 * answer.
 */
export const liveSocketHandler: WebSocketHandler<LiveSocket> = {
  maxPayloadLength: MAX_MESSAGE_BYTES,
  idleTimeout: IDLE_SECONDS,
  sendPings: true,
  backpressureLimit: MAX_BUFFERED_BYTES,
  closeOnBackpressureLimit: false,
  perMessageDeflate: false,
  open: socket => socket.data.live.opened(socket),
  message: ({ data: { open } }, message) => open?.protocol.handle(message),
  drain({ data: { open } }) {
    open?.viewer.drained();
    open?.audience.readOn(open.viewer);
  },
  close: socket => socket.data.live.closed(socket.data),
};

export function isLiveRequest(request: Request): boolean {
  return (
    request.method === "GET" &&
    request.url.includes("/api/live") &&
    URL.parse(request.url)?.pathname === "/api/live"
  );
}

/** `GET /api/live`: events, totals, agents, alerts and topology as they change. See `docs/live.md`. */
export class LiveChannel {
  readonly #hub: LiveHub;
  readonly #watch: CredentialWatch;
  /** Open connections, by organization. */
  readonly #connections = new Map<string, number>();
  /** New connections, by organization. */
  readonly #admissions = new Map<string, TokenBucket>();
  readonly #viewers = new Set<Viewer>();
  #isStopping = false;

  constructor(private readonly parts: LiveParts) {
    const { database, ledger, continuity, cursors, now, log } = parts;
    this.#hub = new LiveHub({
      db: database.db,
      pulse: database.pulse,
      ledger,
      seeds: createLiveSeeds(database),
      cursors,
      ...(continuity ? { continuity } : {}),
      now,
      log,
    });
    this.#watch = new CredentialWatch(database.db, parts.resolvePrincipal, ({ scope, organization }) =>
      this.#hub.changeTier(scope, organization),
    );
  }

  /** undefined: the connection was upgraded to a WebSocket. */
  async answer(request: Request, server: Server<LiveSocket>): Promise<Response | undefined> {
    try {
      const credential = credentialOf(request);
      const principal = await this.parts.resolvePrincipal(credential.request());
      if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
        throw fail("invalid_request", "this is a WebSocket endpoint", {}, { upgrade: "websocket" });
      }
      await this.#hub.ready;
      if (this.#isStopping) throw fail("shutting_down", "the control plane is stopping");
      this.#admit(principal.organization.id);
      const headers = new Headers();
      for (const cookie of principal.setCookies ?? []) headers.append("set-cookie", cookie);
      const data: LiveSocket = { live: this, principal, credential, open: null };
      if (server.upgrade(request, { data, headers })) return undefined;
      throw fail("invalid_request", "the WebSocket handshake is not valid");
    } catch (fault) {
      return this.parts.answerFault(fault);
    }
  }

  #admit(orgId: string): void {
    const known = this.#admissions.get(orgId);
    const admissions = known ?? new TokenBucket(MAX_CONNECTIONS, CONNECTIONS_PER_SECOND);
    if (known === undefined) this.#admissions.set(orgId, admissions);
    const waitMs = admissions.admit(this.parts.uptimeMs());
    if (waitMs === 0) return;
    const retryAfter = { "retry-after": String(Math.ceil(waitMs / 1000)) };
    throw fail("rate_limited", "too many new connections for this organization", {}, retryAfter);
  }

  opened(socket: ServerWebSocket<LiveSocket>): void {
    const { principal, credential } = socket.data;
    const { organization, scope } = principal;
    const connections = this.#connections.get(organization.id) ?? 0;
    if (connections >= MAX_CONNECTIONS) {
      socket.close(liveCloseCodes.tooManyConnections, "too many connections");
      return;
    }
    this.#connections.set(organization.id, connections + 1);
    const viewer = new Viewer(socket, this.parts.uptimeMs);
    const audience = this.#hub.audience(scope, organization);
    audience.enter(viewer);
    this.#viewers.add(viewer);
    this.#watch.add(viewer, credential, principal);
    socket.data.open = { viewer, audience, protocol: new ViewerProtocol(viewer, audience) };
  }

  closed({ open, principal, credential }: LiveSocket): void {
    if (open === null) return;
    const { viewer, audience } = open;
    const { organization } = principal;
    viewer.ended();
    audience.leave(viewer);
    this.#viewers.delete(viewer);
    this.#watch.remove(viewer, credential);
    const connections = (this.#connections.get(organization.id) ?? 1) - 1;
    if (connections > 0) this.#connections.set(organization.id, connections);
    else this.#connections.delete(organization.id);
  }

  get follower(): LiveHub["follower"] {
    return this.#hub.follower;
  }

  /** Runs until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#hub.run(signal), this.#watchCredentials(signal)]);
  }

  /** Closes every connection with a code that asks the client to reconnect. */
  stop(): void {
    this.#isStopping = true;
    for (const viewer of this.#viewers) viewer.close(liveCloseCodes.stopping, "the server is stopping");
  }

  async #watchCredentials(signal: AbortSignal): Promise<void> {
    const refresh = async () => {
      await this.#hub.rest(signal);
      if (this.#hub.hasAudiences && (await this.#watch.recheck())) await this.#hub.refresh(true);
    };
    await repeatUntil(signal, CREDENTIALS_EVERY_MS, refresh, fault =>
      this.parts.log(
        "error",
        "could not recheck the credentials of open connections; retrying",
        describeFault(fault),
      ),
    );
  }
}
