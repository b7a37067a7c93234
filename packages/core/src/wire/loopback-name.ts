import { type IpAddress, parseIpAddress } from "./ip-address.ts";

/** Whether a URL's `hostname` is this machine by name or by address, even in brackets. */
export function isLoopbackName(hostname: string): boolean {
  if (hostname === "localhost") return true;
  const address = parseIpAddress(hostname.replace(/^\[(.*)\]$/, "$1"));
  return address !== null && isLoopback(address);
}

export function isLoopback(address: IpAddress): boolean {
  return address.version === 4 ? address.value >> 24n === 127n : address.value === 1n;
}
