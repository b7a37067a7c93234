import { type IpAddress, networkOf } from "@tollgate/core/wire/ip-address";

/** How many places one client may have among those who wait for a password to be hashed. */
export interface PasswordShare {
  readonly name: string;
  readonly places: number;
}

const NETWORK_PLACES = 10;
/** Whoever has many IPv6 networks has them side by side, often a whole /48. */
const SITE_PREFIX_BITS = 48;
const SITE_PLACES = 20;

/** By network, not by account: the names that a stranger can type are without number. */
export function sharesOfClient(client: IpAddress | null): PasswordShare[] {
  if (client === null) return [{ name: "unknown", places: NETWORK_PLACES }];
  const network = { name: networkOf(client), places: NETWORK_PLACES };
  if (client.version === 4) return [network];
  return [network, { name: networkOf(client, SITE_PREFIX_BITS), places: SITE_PLACES }];
}

/** Of somebody who is signed in. Nobody changes their password twice at the same moment. */
export function sharesOfAccount(userId: string): PasswordShare[] {
  return [{ name: `account ${userId}`, places: 1 }];
}
