/**
 * Preloaded into a process (`BUN_OPTIONS=--preload=…`): writes the host of every connection and every DNS lookup to the
 * file named by CONNECTIONS_FILE, one per line.
 */
import dns from "node:dns";
import { appendFileSync } from "node:fs";
import net from "node:net";
import tls from "node:tls";

const file = process.env.CONNECTIONS_FILE ?? "";
const note = (to: string) => appendFileSync(file, `${to}\n`);

/** The host that `connect(port, host)` or `connect({ host, path })` connects to. */
function hostOf(args: readonly unknown[]): string {
  const [first, second] = args;
  const target = Array.isArray(first) ? first[0] : first;
  if (typeof target !== "object" || target === null) return typeof second === "string" ? second : "localhost";
  if ("path" in target && typeof target.path === "string") return "socket file";
  if ("unix" in target && typeof target.unix === "string") return "socket file";
  if ("host" in target && typeof target.host === "string") return target.host;
  return "hostname" in target && typeof target.hostname === "string" ? target.hostname : "localhost";
}

function watch(owner: object, name: string, toHost: (args: readonly unknown[]) => string): void {
  const original: unknown = Reflect.get(owner, name);
  if (typeof original !== "function") throw new Error(`there is no ${name} to watch`);
  const watched = new Proxy(original, {
    apply(call, self, args: unknown[]) {
      note(toHost(args));
      return Reflect.apply(call as (...args: unknown[]) => unknown, self, args);
    },
    construct(call, args: unknown[], newTarget) {
      note(toHost(args));
      return Reflect.construct(call, args, newTarget);
    },
  });
  Reflect.set(owner, name, watched);
}

const urlHost = ([target]: readonly unknown[]) =>
  new URL(target instanceof Request ? target.url : String(target)).hostname;

watch(globalThis, "fetch", urlHost);
watch(globalThis, "WebSocket", urlHost);
watch(Bun, "connect", hostOf);
watch(net, "connect", hostOf);
watch(net, "createConnection", hostOf);
watch(net.Socket.prototype, "connect", hostOf);
watch(tls, "connect", hostOf);
watch(dns, "lookup", ([name]) => String(name));
watch(dns.promises, "lookup", ([name]) => String(name));
