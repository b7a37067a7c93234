import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { UsageError } from "../config/usage-error.ts";

interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** The setting that names the port. */
  readonly variable: "SVC_GATEWAY_PORT" | "SVC_WEB_PORT";
}

type Resolve = (host: string) => Promise<readonly { readonly address: string }[]>;
const lookupAll: Resolve = host => lookup(host, { all: true });

/** Starts a server; if its port is taken, the error names it. */
export async function listenAlone<Server>(
  address: ListenAddress,
  start: () => Promise<Server>,
  resolve: Resolve = lookupAll,
): Promise<Server> {
  try {
    await refuseUnknownHost(address, resolve);
    await refuseSecondAddress(address, resolve);
    return await start();
  } catch (fault) {
    throw faultOf(address, fault) ?? fault;
  }
}

/** Looked up here because Bun reports a name that it cannot resolve with the code of an earlier error. */
async function refuseUnknownHost({ host }: ListenAddress, resolve: Resolve): Promise<void> {
  if (isIP(host) !== 0) return;
  try {
    await resolve(host);
  } catch (fault) {
    throw cannotListen(host, fault);
  }
}

/**
 * A name such as `localhost` may resolve to several addresses, and a server binds the first free one: two instances
 * would share the name, one on each. So all of them must be free.
 */
async function refuseSecondAddress(address: ListenAddress, resolve: Resolve): Promise<void> {
  if (address.port === 0 || isIP(address.host) !== 0) return;
  if (await isTaken(address.host, address.port, resolve)) throw portInUse(address);
}

/** Whether the port is in use on any address that the host resolves to. */
export async function isTaken(host: string, port: number, resolve: Resolve = lookupAll): Promise<boolean> {
  const addresses = isIP(host) === 0 ? await resolve(host).catch(() => []) : [{ address: host }];
  return addresses.some(({ address }) => {
    try {
      Bun.listen({ hostname: address, port, exclusive: true, socket: { data() {} } }).stop(true);
      return false;
    } catch (fault) {
      // An address that this machine cannot bind is skipped: a server uses another one.
      return codeOf(fault) === "EADDRINUSE";
    }
  });
}

/** Why this machine cannot listen there; null: it can. */
export function whyNotListen(address: ListenAddress): string | null {
  const { host, port, variable } = address;
  try {
    Bun.listen({ hostname: host, port, exclusive: true, socket: { data() {} } }).stop(true);
    return null;
  } catch (fault) {
    // For a name that does not resolve, there is no code.
    return (
      faultOf(address, fault)?.message ??
      `cannot listen on port ${port} of ${host}: set SVC_HOST or ${variable}`
    );
  }
}

function portInUse({ host, port, variable }: ListenAddress): UsageError {
  return new UsageError(
    `port ${port} of ${host} is in use by another program: stop it, or set ${variable} to another port`,
  );
}

function faultOf(address: ListenAddress, fault: unknown): UsageError | null {
  const { host, port, variable } = address;
  switch (codeOf(fault)) {
    case "EADDRINUSE":
      return portInUse(address);
    case "EACCES":
      return new UsageError(`this user may not use port ${port} of ${host}: set ${variable}`);
    case "EADDRNOTAVAIL":
      return new UsageError(`${host} is not an address of this machine: set SVC_HOST`);
    default:
      return isOfListening(fault) ? cannotListen(host, fault) : null;
  }
}

function isOfListening(fault: unknown): boolean {
  return fault instanceof Error && "syscall" in fault && fault.syscall === "listen";
}

export function cannotListen(host: string, fault: unknown): UsageError {
  const reason = fault instanceof Error ? fault.message : String(fault);
  return new UsageError(
    `cannot listen on ${host} (${reason}): set SVC_HOST to an address of this machine, or a name of one`,
  );
}

function codeOf(fault: unknown): unknown {
  return fault instanceof Error && "code" in fault ? fault.code : null;
}
