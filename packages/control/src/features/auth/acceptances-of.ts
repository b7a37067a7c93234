import { AuditTrail } from "@tollgate/storage/config/audit-trail";
import { auditedDb } from "@tollgate/storage/config/audited-db";
import { newId } from "@tollgate/storage/config/new-id";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { clientKind } from "../../kernel/client-kind.ts";

interface AcceptingPerson {
  readonly email: string;
  readonly sessionId: string | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/**
 * A database for accepting invitations outside of an operation. What is changed through it is recorded like
 * `account.accept_invitation`, in the organization of the changed membership.
 */
export function acceptancesOf(
  db: ControlDb,
  { email, sessionId, ip, userAgent }: AcceptingPerson,
  now: () => number,
): ControlDb {
  const trail = new AuditTrail(
    {
      operation: "account.accept_invitation",
      scope: null,
      objectId: null,
      actorKind: "member",
      actor: email,
      sessionId,
      ip,
      client: clientKind(userAgent),
    },
    { now, newId },
  );
  return auditedDb(db, trail);
}
