import type { AnyOperation, Role } from "@tollgate/core/contract/operation";
import { type OperationId, operations } from "@tollgate/core/contract/operations";
import { type Tier, tierNames } from "@tollgate/core/limits/tiers";
import { createContext, type ReactNode, useContext } from "react";
import type { Output } from "./use-operation.ts";

/** The signed-in account and the organization that is shown. */
export interface Session {
  readonly account: Output<"account.get">;
  readonly organization: Output<"organization.get">;
  readonly role: Role;
}

const SessionContext = createContext<Session | null>(null);

export function SessionProvider({
  session,
  children,
}: {
  readonly session: Session;
  readonly children: ReactNode;
}) {
  return <SessionContext value={session}>{children}</SessionContext>;
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("nobody is signed in here");
  return session;
}

export function roleIn(account: Output<"account.get">): Role {
  const own = account.memberships.find(({ organization }) => organization.id === account.organization.id);
  return own?.role ?? "viewer";
}

/** From the least to the most. `operation.ts` has the same list, next to schemas that a browser does not need. */
const rolesInOrder: Readonly<Record<Role, number>> = { viewer: 0, admin: 1, owner: 2 };

interface Permissions {
  readonly role: Role;
  /** Whether this person may: a button that the server would refuse is not shown. */
  can(id: OperationId): boolean;
  /** The tier it takes, if the organization's is below; null: included. */
  missingTier(id: OperationId): Tier | null;
}

export function permissionsOf(role: Role, tier: Tier): Permissions {
  return {
    role,
    can(id) {
      const operation: AnyOperation = operations[id];
      return rolesInOrder[role] >= rolesInOrder[operation.role];
    },
    missingTier(id) {
      const { minTier }: AnyOperation = operations[id];
      return minTier === undefined || tierNames.indexOf(tier) >= tierNames.indexOf(minTier) ? null : minTier;
    },
  };
}

export function useRole(): Permissions {
  const { role, organization } = useSession();
  return permissionsOf(role, organization.tier);
}
