import { describeFault, type Log } from "@tollgate/core/log";
import { DatabaseUnavailable } from "@tollgate/storage/engine/database-unavailable";
import { type Scope, scopeName } from "@tollgate/storage/ledger/scope";

const TRIES = 3;
const LOGGED_EVERY = 1000;

/**
 * Work that fails for one organization is retried and then skipped, so that it does not delay everybody else's alerts.
 * A database outage affects everybody, so it is never skipped.
 */
export class ScopeFaults {
  readonly #failures = new Map<string, number>();

  constructor(private readonly log: Log) {}

  /** Resolves with false if it was skipped. */
  async attempt(scope: Scope, work: () => Promise<void>): Promise<boolean> {
    const name = scopeName(scope);
    try {
      await work();
      this.#failures.delete(name);
      return true;
    } catch (fault) {
      if (fault instanceof DatabaseUnavailable) throw fault;
      const failures = (this.#failures.get(name) ?? 0) + 1;
      this.#failures.set(name, failures);
      if (failures < TRIES) throw fault;
      if (failures % LOGGED_EVERY === TRIES) {
        const fields = { org_id: scope.orgId, mode: scope.mode, ...describeFault(fault) };
        this.log("error", "could not evaluate an organization's alerts; skipping them for now", fields);
      }
      return false;
    }
  }
}
