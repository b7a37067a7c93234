import type { SidecarStatus } from "@tollgate/storage/shared-ledger/sidecar-status";

/** One of several gateways that share a PostgreSQL. */
export interface ClusterNode {
  readonly id: string;
  /** If PostgreSQL has not confirmed the configuration for longer than this, the node is degraded. */
  readonly maxConfigAgeMs: number;
  /** Such a node refuses calls: a key may have been revoked since. */
  readonly refusesOldConfig: boolean;
  /** null: the sidecar has not reached PostgreSQL yet. */
  readonly sidecarStatus: () => SidecarStatus | null;
}

interface NodeState {
  /** It has no configuration yet, and knows no key. */
  readonly isStarting: boolean;
  readonly isDatabaseUp: boolean;
  /** The following are null if nothing is known yet. */
  readonly configAgeSeconds: number | null;
  readonly unshippedEvents: number | null;
  /** Events older than this are shipped. */
  readonly shippingLagSeconds: number | null;
  readonly isDegraded: boolean;
}

/** The sidecar asks PostgreSQL every second. */
const MAX_SILENCE_MS = 10_000;

/** From the sidecar's last status, so it also shows that the sidecar is gone. */
export function nodeState(node: ClusterNode, newestSeq: number, nowMs: number): NodeState {
  const status = node.sidecarStatus();
  if (status === null) {
    return {
      isStarting: true,
      isDatabaseUp: false,
      configAgeSeconds: null,
      unshippedEvents: null,
      shippingLagSeconds: null,
      isDegraded: false,
    };
  }
  const ageMs = (atMs: number) => Math.max(0, nowMs - atMs);
  // A ledger that ends before the last shipped event has lost events: it is unknown how many of the rest are shipped.
  const hasLostEvents = status.shippedSeq > newestSeq;
  const unshippedEvents = hasLostEvents ? null : newestSeq - status.shippedSeq;
  return {
    isStarting: false,
    isDatabaseUp: ageMs(status.databaseAtMs) <= MAX_SILENCE_MS,
    configAgeSeconds: ageMs(status.configurationAtMs) / 1000,
    unshippedEvents,
    shippingLagSeconds: unshippedEvents === 0 ? 0 : ageMs(status.completeAtMs) / 1000,
    isDegraded: hasLostEvents || isConfigTooOld(node, nowMs),
  };
}

/** A node without any configuration knows no key, and has nothing that could be too old. */
export function isConfigTooOld({ sidecarStatus, maxConfigAgeMs }: ClusterNode, nowMs: number): boolean {
  const status = sidecarStatus();
  return status !== null && nowMs - status.configurationAtMs > maxConfigAgeMs;
}
