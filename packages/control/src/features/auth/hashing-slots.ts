import { type IpAddress, networkOf } from "@tollgate/core/wire/ip-address";

/** How many slots of the password-hashing queue a client may hold at once. */
export interface HashingSlots {
  /** Whose slots they are; clients with the same name share them. */
  readonly name: string;
  readonly slots: number;
}

const NETWORK_SLOTS = 10;
/** A client with many IPv6 networks usually has adjacent ones, often a whole /48. */
const SITE_PREFIX_BITS = 48;
const SITE_SLOTS = 20;

/** By network, not by account: a stranger can type any number of names. */
export function slotsOfClient(client: IpAddress | null): HashingSlots[] {
  if (client === null) return [{ name: "unknown", slots: NETWORK_SLOTS }];
  const network = { name: networkOf(client), slots: NETWORK_SLOTS };
  if (client.version === 4) return [network];
  return [network, { name: networkOf(client, SITE_PREFIX_BITS), slots: SITE_SLOTS }];
}

/** For a signed-in person, who has no reason to change a password twice at once. */
export function slotsOfAccount(userId: string): HashingSlots[] {
  return [{ name: `account ${userId}`, slots: 1 }];
}
