import { TollgateError } from "@tollgate/core/errors";
import { liveCloseCodes } from "@tollgate/core/live/live-channels";
import type { ControlDb } from "@tollgate/storage/database/schema";
import type { Principal, ResolvePrincipal } from "../../kernel/context.ts";
import type { Credential } from "./credential.ts";
import type { Viewer } from "./viewer.ts";

interface Group {
  readonly credential: Credential;
  readonly orgId: string;
  readonly viewers: Set<Viewer>;
  checkedAt: number;
}

const MAX_AGE_MS = 30_000;

/** Rechecks the credentials of open connections, once for all connections that share one. */
export class CredentialWatch {
  readonly #groups = new Map<string, Group>();
  #revision: number | null = null;

  constructor(
    private readonly db: ControlDb,
    private readonly resolvePrincipal: ResolvePrincipal,
    /** Receives the current principal of every credential that is still valid. */
    private readonly onPrincipal: (principal: Principal) => void,
  ) {}

  add(viewer: Viewer, credential: Credential, principal: Principal): void {
    const known = this.#groups.get(credential.name);
    if (known !== undefined) {
      known.viewers.add(viewer);
      return;
    }
    this.#groups.set(credential.name, {
      credential,
      orgId: principal.organization.id,
      viewers: new Set([viewer]),
      checkedAt: performance.now(),
    });
  }

  remove(viewer: Viewer, credential: Credential): void {
    const group = this.#groups.get(credential.name);
    group?.viewers.delete(viewer);
    if (group?.viewers.size === 0) this.#groups.delete(credential.name);
  }

  /** Resolves with whether settings have changed since the last check. */
  async recheck(): Promise<boolean> {
    const row = await this.db.selectFrom("config_revision").select("revision").executeTakeFirst();
    const revision = row?.revision ?? 0;
    const isChange = revision !== this.#revision;
    for (const group of [...this.#groups.values()]) {
      if (isChange || performance.now() - group.checkedAt > MAX_AGE_MS) await this.#check(group);
    }
    this.#revision = revision;
    return isChange;
  }

  async #check(group: Group): Promise<void> {
    try {
      const principal = await this.resolvePrincipal(group.credential.request(), { isRecheck: true });
      group.checkedAt = performance.now();
      if (principal.organization.id === group.orgId) {
        this.onPrincipal(principal);
        return;
      }
      // The request named no organization, and the person's default one has changed.
      close(group, liveCloseCodes.credentialEnded, "the account's default organization has changed");
    } catch (fault) {
      // A failed check does not mean that the credential is invalid.
      if (!(fault instanceof TollgateError)) throw fault;
      if (fault.code === "organization_inactive") {
        close(group, liveCloseCodes.organizationInactive, "the organization is not active");
      } else if (fault.status < 500) {
        close(group, liveCloseCodes.credentialEnded, "the credential is no longer valid");
      }
    }
  }
}

function close(group: Group, code: number, reason: string): void {
  for (const viewer of group.viewers) viewer.close(code, reason);
}
