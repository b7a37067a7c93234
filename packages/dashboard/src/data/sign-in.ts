import { HOUR_MS } from "@tollgate/core/time/durations";
import { notify } from "./notices.ts";

/** Signing in ends at "/"; what was open before is kept, and opened again. */
const KEPT = "tollgate-return";
const KEPT_MS = HOUR_MS;

let isLeaving = false;

export function goToSignIn(): void {
  if (isLeaving) return;
  isLeaving = true;
  const place = location.pathname + location.search;
  if (place !== "/") sessionStorage.setItem(KEPT, JSON.stringify({ place, atMs: Date.now() }));
  location.assign("/sign-in");
}

/** Before the router starts. */
export function returnFromSignIn(): void {
  const kept = sessionStorage.getItem(KEPT);
  if (kept === null) return;
  sessionStorage.removeItem(KEPT);
  if (location.pathname !== "/" || location.search !== "") return;
  const { place, atMs } = JSON.parse(kept) as { place: string; atMs: number };
  // Only a path of this page; "//host" would be another one.
  if (/^\/(?!\/)/.test(place) && Date.now() - atMs < KEPT_MS) history.replaceState(null, "", place);
}

/** A failure is reported: someone who believed it had worked would leave the session open. */
export async function signOut(): Promise<void> {
  isLeaving = true;
  const answer = await fetch("/api/auth/sign-out", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  }).catch(() => null);
  if (answer?.ok || answer?.status === 401) {
    location.assign("/sign-in");
    return;
  }
  isLeaving = false;
  notify({ kind: "problem", text: "You are still signed in: signing out failed. Try again." });
}
