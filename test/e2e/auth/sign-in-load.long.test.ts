import { afterAll, expect, it } from "bun:test";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { startTollgate } from "../../support/processes/tollgate-process.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const inFolder = temporaryFolder();
// Each client has its own address; otherwise the limit on failures would answer.
const tollgate = startTollgate(inFolder("data"), { SVC_TRUSTED_PROXIES: "127.0.0.1" });
afterAll(() => tollgate.end());

const signIn = (web: string, email: string, client: string, signal?: AbortSignal) =>
  fetch(`${web}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": client },
    body: JSON.stringify({ email, password: "a wrong password" }),
    ...(signal === undefined ? {} : { signal }),
  });

it("SEC-009 sign-ins of other networks are processed while those of one network wait for their hash", async () => {
  await tollgate.ready();
  const web = tollgate.addressOf("web");
  const firstRefusal = Promise.withResolvers<void>();
  const flood = Array.from({ length: 120 }, async (_, i) => {
    const answer = await signIn(web, `flood-${i}@example.org`, `2001:db8:1:${i}::1`);
    await answer.text();
    if (answer.status === 429) firstRefusal.resolve();
    return answer.status;
  });
  await firstRefusal.promise;
  expect((await signIn(web, "somebody@example.org", "2001:db8:2::1")).status).toBe(401);
  expect((await signIn(web, "somebody@example.org", "198.51.100.1")).status).toBe(401);
  const statuses = await Promise.all(flood);
  expect(statuses.filter(status => status === 401).length).toBeGreaterThanOrEqual(20);
  expect(statuses.filter(status => status !== 401 && status !== 429)).toEqual([]);
});

it("SEC-009 everyone else is answered while hundreds of wrong sign-ins wait for their hash", async () => {
  await tollgate.ready();
  const web = tollgate.addressOf("web");
  const statuses: number[] = [];
  const refusals: string[] = [];
  const leaving = new AbortController();
  const signIns = Array.from({ length: 200 }, async (_, i) => {
    const answer = await signIn(web, `nobody-${i}@example.org`, `203.0.113.${i}`, leaving.signal);
    const text = await answer.text();
    statuses.push(answer.status);
    if (answer.status === 429) refusals.push(text);
  });
  // Answered while most of the earlier requests are still waiting.
  expect((await fetch(`${web}/api/health`)).status).toBe(200);
  expect(statuses.filter(status => status === 401).length).toBeLessThan(100);

  await eventually("there is no more room", () => refusals.length > 0);
  // A hundred hashes take seconds: do not wait for the rest.
  leaving.abort();
  await Promise.allSettled(signIns);
  expect(refusals.filter(text => !text.includes("Too many people are signing in"))).toEqual([]);
  expect(statuses.filter(status => status !== 401 && status !== 429)).toEqual([]);
});
