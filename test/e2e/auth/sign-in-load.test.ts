import { afterAll, expect, it } from "bun:test";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { startTollgate } from "../../support/labs/tollgate-process.ts";

const inFolder = temporaryFolder();
// Each client its own address, or the limit on failures would answer instead.
const tollgate = startTollgate(inFolder("data"), { SVC_TRUSTED_PROXIES: "127.0.0.1" });
afterAll(() => tollgate.end());

const signIn = (web: string, email: string, client: string) =>
  fetch(`${web}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": client },
    body: JSON.stringify({ email, password: "a wrong password" }),
  });

it("SEC-009 while hundreds of wrong sign-ins wait for their hash, everybody else is answered", async () => {
  await tollgate.ready();
  const web = tollgate.addressOf("web");
  const statuses: number[] = [];
  const signIns = Array.from({ length: 200 }, async (_, i) => {
    const answer = await signIn(web, `nobody-${i}@example.org`, `203.0.113.${i}`);
    statuses.push(answer.status);
    return await answer.text();
  });
  const count = (status: number) => statuses.filter(seen => seen === status).length;
  for (let i = 0; i < 20; i++) {
    expect((await fetch(`${web}/api/health`)).status).toBe(200);
  }
  // Twenty answers, one after the other, and most of what was asked before them is still waiting.
  expect(count(401)).toBeLessThan(50);

  const sentences = await Promise.all(signIns);
  expect(count(401) + count(429)).toBe(200);
  expect(count(401)).toBeGreaterThanOrEqual(100);
  expect(count(429)).toBeGreaterThan(0);
  expect(sentences.filter(text => text.includes("Too many people are signing in"))).toHaveLength(count(429));
});

it("SEC-009 while one network's sign-ins wait for their hash, those of others are taken", async () => {
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
