import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { UsageError } from "./command.ts";

export interface Place {
  readonly host: string;
  readonly port: number;
  /** The setting that names the port. */
  readonly variable: "SVC_GATEWAY_PORT" | "SVC_WEB_PORT";
}

type Resolve = (host: string) => Promise<readonly { readonly address: string }[]>;

/** Starts a server; a port that cannot be had is said in a sentence that names it. */
export async function listenAlone<Server>(
  place: Place,
  start: () => Promise<Server>,
  resolve: Resolve = host => lookup(host, { all: true }),
): Promise<Server> {
  try {
    await refuseSecondAddress(place, resolve);
    return await start();
  } catch (fault) {
    throw faultOf(place, fault) ?? fault;
  }
}

/**
 * A name such as `localhost` may stand for several addresses, and a server takes the first of them that is free: two
 * instances would share the name, one on each. So all of them have to be free.
 */
async function refuseSecondAddress({ host, port }: Place, resolve: Resolve): Promise<void> {
  if (port === 0 || isIP(host) !== 0) return;
  const addresses = await resolve(host).catch(() => []);
  for (const { address } of addresses) {
    try {
      Bun.listen({ hostname: address, port, exclusive: true, socket: { data() {} } }).stop(true);
    } catch (fault) {
      // An address that this machine cannot listen on is nobody's: the server takes another one.
      if (codeOf(fault) === "EADDRINUSE") throw fault;
    }
  }
}

function faultOf({ host, port, variable }: Place, fault: unknown): UsageError | null {
  switch (codeOf(fault)) {
    case "EADDRINUSE":
      return new UsageError(
        `port ${port} of ${host} is in use by another program: stop it, or set ${variable} to another port`,
      );
    case "EACCES":
      return new UsageError(`port ${port} of ${host} is not permitted to this user: set ${variable}`);
    case "EADDRNOTAVAIL":
      return new UsageError(`${host} is not an address of this machine: set SVC_HOST`);
    default:
      return null;
  }
}

function codeOf(fault: unknown): unknown {
  return fault instanceof Error && "code" in fault ? fault.code : null;
}
