import { afterAll } from "bun:test";
import { createIdentity, type Identity } from "@tollgate/control/features/auth/create-identity";
import { createSignInLink } from "@tollgate/control/features/auth/create-sign-in-link";
import { createUser } from "@tollgate/control/features/auth/create-user";
import type { OidcSettings } from "@tollgate/control/features/auth/oidc-auth";
import { PasswordHasher } from "@tollgate/control/features/auth/password-hasher";
import { createCheckoutDesk, soldByOperator } from "@tollgate/control/features/checkout/create-checkout-desk";
import { MemoryPredictionBoard } from "@tollgate/control/features/predictions/memory-prediction-board";
import { SealedCursors } from "@tollgate/control/kernel/sealed-cursors";
import { createTransports } from "@tollgate/control/messaging/channels/create-transports";
import { TargetGuard } from "@tollgate/control/messaging/outgoing/target-guard";
import { createApp } from "@tollgate/control/server/web/create-app";
import type { Role } from "@tollgate/core/contract/operation";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { BodyRoom } from "@tollgate/core/wire/body-room";
import { REQUEST_TIMEOUT_MS, RequestBodies } from "@tollgate/core/wire/request-bodies";
import { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import { digestOf, newKeyText } from "@tollgate/storage/config/api-key";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { ReadModel } from "@tollgate/storage/read-model/read-model";
import { Browser } from "../clients/browser-session.ts";
import { organizationRow } from "../rows/organization-row.ts";

export const SECRET = "a secret that is long enough for every test";

export interface LabOptions {
  readonly publicUrl?: string;
  readonly oidc?: (url: string) => OidcSettings;
  readonly now?: () => number;
  readonly secret?: string;
  readonly trustedProxies?: string;
}

export interface Lab {
  readonly url: string;
  readonly identity: Identity;
  readonly db: ControlDatabase["db"];
  organization(name: string): Promise<string>;
  key(orgId: string, mode: "live" | "test", scope: "read" | "write"): Promise<{ id: string; text: string }>;
  /** A browser in which a new member has used the link and chosen a password. */
  member(orgId: string, email: string, role: Role, password?: string): Promise<Browser>;
  memberId(orgId: string, email: string): Promise<string>;
  /** A new browser in which a member has signed in. */
  signIn(email: string, password: string): Promise<Browser>;
}

export const PASSWORD = "seven quiet lanterns";

/** Hashed as in production except for the cost, which would dominate these tests. */
const cheapPasswords = new PasswordHasher(100, 16);

/** The real web application on loopback, with identity and a database, without the ledger's followers. */
export async function startLab({ db, engine }: ControlDatabase, options: LabOptions = {}): Promise<Lab> {
  let answer: (request: Request, peer: string | null) => Promise<Response> = async () => new Response(null);
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request, own) => answer(request, own.requestIP(request)?.address ?? null),
  });
  afterAll(() => server.stop(true));
  const url = `http://127.0.0.1:${server.port}`;
  const publicUrl = options.publicUrl ?? url;
  const now = options.now ?? Date.now;
  const trustedProxies = TrustedProxies.parse(options.trustedProxies ?? "");
  const identity = await createIdentity({
    db,
    engine,
    publicUrl,
    origins: [url],
    secret: options.secret ?? SECRET,
    oidc: options.oidc?.(url) ?? null,
    trustedProxies,
    passwords: cheapPasswords,
    log: () => {},
    now,
  });
  const app = createApp({
    control: {
      db,
      engine,
      pulse: null,
      readModel: unread,
      profile: { agentModels: unreadable, lag: unreadable },
      catalogue: createCatalogue(),
      catalogueWith: ofOrganization => createCatalogue({ ofOrganization }),
      tierPrices: {},
      now,
      newId: () => crypto.randomUUID(),
      startedAt: now(),
      cacheState: null,
      publicUrl,
      gatewayUrl: "http://gateway.test",
      accounts: identity.accounts,
      checkout: await createCheckoutDesk(soldByOperator, { publicUrl, now, log: () => {} }),
      cursors: new SealedCursors(SECRET),
      transports: createTransports({ db, now, publicUrl }),
      targetGuard: TargetGuard.of(),
      wakeSender: () => {},
      experiments: { catchUp: async () => {} },
      verifications: { catchUp: async () => {} },
      freeVerifications: 3,
      continuity: { isDegraded: false, rebuilds: 0 },
      isFollowerStuck: () => false,
      files: { database: null, ledger: { isLost: false, path: "ledger.db" } },
      predictionBoard: new MemoryPredictionBoard(),
    },
    resolvePrincipal: identity.resolvePrincipal,
    identity: identity.handle,
    bodies: new RequestBodies(REQUEST_TIMEOUT_MS, BodyRoom.ofMachine(0)),
    trustedProxies,
    log: () => {},
  });
  answer = (request, peer) => app.fetch(request, peer);

  return {
    url,
    identity,
    db,
    async organization(name) {
      const id = crypto.randomUUID();
      await db
        .insertInto("organizations")
        .values(organizationRow({ id, name, tier: "pro", created_at: Date.now() }))
        .execute();
      return id;
    },
    async key(orgId, mode, scope) {
      const text = newKeyText(mode);
      const id = crypto.randomUUID();
      await db
        .insertInto("api_keys")
        .values({
          id,
          org_id: orgId,
          digest: digestOf(text),
          last_four: text.slice(-4),
          mode,
          scope,
          name: null,
          created_at: Date.now(),
          revoked_at: null,
        })
        .execute();
      return { id, text };
    },
    async member(orgId, email, role, password = PASSWORD) {
      await createUser(identity, { orgId, email, role });
      const browser = new Browser();
      const link = new URL(await createSignInLink(identity, email, { orgId }));
      await browser.send(`${url}${link.pathname}${link.search}`);
      const saved = await browser.post(`${url}/api/account/password`, { password });
      if (saved.status !== 204) throw new Error(`no password: ${saved.status} ${await saved.text()}`);
      return browser;
    },
    async memberId(orgId, email) {
      const row = await db
        .selectFrom("members")
        .select("id")
        .where("org_id", "=", orgId)
        .where("email", "=", email)
        .executeTakeFirstOrThrow();
      return row.id;
    },
    async signIn(email, password) {
      const browser = new Browser();
      const answer = await browser.post(`${url}/api/auth/sign-in/email`, { email, password });
      if (answer.status !== 200) {
        throw new Error(`${email} is not signed in: ${answer.status} ${await answer.text()}`);
      }
      return browser;
    },
  };
}

const unreadable = () => Promise.reject(new Error("identity asks nothing of the read model"));
const unread: ReadModel = {
  // Shown with each key; nobody calls here.
  keyUsage: async () => new Map(),
  usage: unreadable,
  breakdown: unreadable,
  costKinds: unreadable,
  firstCallAt: unreadable,
  usageByAgent: unreadable,
  unpricedCalls: unreadable,
  usageSeries: unreadable,
  costSeries: unreadable,
  latencyHours: unreadable,
  activeScopes: unreadable,
  agentsByCost: unreadable,
  spendingAgents: unreadable,
  agentPage: unreadable,
  countAgents: unreadable,
  fleetCounts: unreadable,
  agentsById: unreadable,
  agentIds: unreadable,
  agent: unreadable,
  refusals: unreadable,
  refusalCounts: unreadable,
  events: unreadable,
  rateCards: () => new Map(),
  event: unreadable,
  explainedEvent: unreadable,
  sessions: unreadable,
  sessionsOf: unreadable,
  session: unreadable,
  customers: unreadable,
  customer: unreadable,
  customerDays: unreadable,
  configVersions: unreadable,
  budgetSpend: unreadable,
  outcomes: unreadable,
  monthlyCalls: unreadable,
  newestSeq: unreadable,
  agentHealth: unreadable,
  outcomesByAgent: unreadable,
  agentVolumes: unreadable,
  agentSignals: unreadable,
  lag: unreadable,
  followedUntil: unreadable,
};
