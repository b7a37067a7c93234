import { fail } from "@tollgate/core/errors";
import { type ClusterNode, isConfigTooOld } from "../node-state.ts";

/** The sidecar's status is a file: reading it for every call would cost a sixth of the call. */
const CHECK_EVERY_MS = 1000;

/** For nodes that would rather refuse calls than admit a key that may have been revoked since. */
export class OldConfigGuard {
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #isTooOld = false;

  constructor(private readonly node: ClusterNode) {}

  check(nowMs: number): void {
    if (!this.node.refusesOldConfig) return;
    if (Math.abs(nowMs - this.#checkedAtMs) >= CHECK_EVERY_MS) {
      this.#isTooOld = isConfigTooOld(this.node, nowMs);
      this.#checkedAtMs = nowMs;
    }
    if (!this.#isTooOld) return;
    throw fail(
      "configuration_too_old",
      "the call was not made: this gateway has not reached its database for too long to know which keys are valid",
    );
  }
}
