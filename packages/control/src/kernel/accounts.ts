/** People who can sign in, as operations see them. Memberships define what they may do. */
export interface Accounts {
  /** True: people sign in at an identity provider; there are no passwords and no links. */
  readonly external: boolean;
  /** The first account of this address. */
  findByEmail(email: string): Promise<Account | null>;
  findById(userId: string): Promise<Account | null>;
  /**
   * Without a password the first sign-in is by link or at the identity provider. Another account of the same address
   * does not prevent this: nobody has proven that it is theirs.
   */
  create(email: string, passwordHash?: string): Promise<Account & { readonly signInName: string }>;
  /** A one-time sign-in link, after which the person may choose a password. Refused where sign-in is external. */
  signInLink(userId: string, validMs?: number): Promise<string>;
  hasPassword(userId: string): Promise<boolean>;
  /** False for a wrong password. Counts as a sign-in: throws `too_many_attempts` after too many failures. */
  isPassword(account: Account, password: string): Promise<boolean>;
  setPassword(userId: string, password: string): Promise<void>;
  /** Newest first, valid sessions only. */
  sessions(userId: string): Promise<readonly SignedInSession[]>;
  endSession(userId: string, sessionId: string): Promise<boolean>;
  endSessions(userId: string): Promise<void>;
  endOtherSessions(userId: string, keptSessionId: string): Promise<void>;
}

export interface Account {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly name: string;
}

interface SignedInSession {
  readonly id: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly userAgent: string | null;
}
