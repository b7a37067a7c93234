import { isOwned } from "../data-directory/single-owner.ts";
import { isTaken, whyNotListen } from "../planes/listen-alone.ts";
import type { Check, Patient, Say } from "./finding.ts";

const PATIENCE_MS = 3000;

/** Checks that the planes answer or, while stopped, that their ports are free. */
export const checkPorts: Check = {
  name: "ports",
  async run(patient, say) {
    const { running, config, files } = patient;
    if (running) return await askPlanes(running, say);
    await lookForStrangers(patient, "gateway", config.gatewayPort, files.gatewayLock, say);
    await lookForStrangers(patient, "web", config.webPort, files.controlLock, say);
  },
};

async function askPlanes({ addresses }: NonNullable<Patient["running"]>, say: Say): Promise<void> {
  if (addresses === null) return say("warning", "Tollgate is starting or stopping");
  if (addresses.gateway !== null) await ask("gateway", `${addresses.gateway}/health`, say);
  if (addresses.web !== null) await ask("web", `${addresses.web}/api/health`, say);
}

async function ask(plane: string, url: string, say: Say): Promise<void> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const body: unknown = await answer.json();
    const status = typeof body === "object" && body !== null && "status" in body ? body.status : "unknown";
    if (answer.ok && status === "ok") say("ok", `${plane}: ${url} answers`);
    else say("error", `${plane}: ${url} answers ${answer.status}, status ${status}`);
  } catch {
    say("error", `${plane}: ${url} does not answer`);
  }
}

async function lookForStrangers(
  { config: { host } }: Patient,
  plane: "gateway" | "web",
  port: number,
  lock: string,
  say: Say,
): Promise<void> {
  if (isOwned(lock)) {
    say("warning", `${plane}: still running although its supervisor was killed; it ends with its last call`);
    return;
  }
  if (port !== 0 && (await isTaken(host, port))) {
    return say("error", `${plane}: port ${port} of ${host} is in use by another program`);
  }
  const variable = plane === "gateway" ? "SVC_GATEWAY_PORT" : "SVC_WEB_PORT";
  const reason = whyNotListen({ host, port, variable });
  if (reason !== null) say("error", `${plane}: ${reason}`);
  else if (port === 0) say("ok", `${plane}: port is chosen at startup`);
  else say("ok", `${plane}: port ${port} of ${host} is free`);
}
