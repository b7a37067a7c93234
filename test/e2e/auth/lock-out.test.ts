import { describe, expect, it } from "bun:test";
import { Browser } from "../../support/clients/browser-session.ts";
import { jsonBody } from "../../support/clients/json-body.ts";
import { cpuTimeMs } from "../../support/cpu-time.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type Lab, PASSWORD, startLab } from "../../support/labs/identity-lab.ts";

const databases = controlDatabases();
const WINDOW_MS = 15 * 60_000;

function signIn(lab: Lab, email: string, password: string, address?: string): Promise<Response> {
  const headers = address === undefined ? {} : { "x-forwarded-for": address };
  return new Browser().post(`${lab.url}/api/auth/sign-in/email`, { email, password }, headers);
}

for (const engine of systemEngines) {
  describe(`repeated failures, ${engine}`, () => {
    it("locks an address for 15 minutes after 10 failures, even for the right password", async () => {
      let now = Date.now();
      const lab = await startLab(await databases.open(engine), { now: () => now });
      await lab.member(await lab.organization("first"), "a@example.org", "owner");
      for (let failure = 0; failure < 10; failure++) {
        expect((await signIn(lab, "a@example.org", "wrong password")).status).toBe(401);
      }
      now += 60_000;
      const locked = await signIn(lab, "A@example.org", PASSWORD);
      expect(locked.status).toBe(429);
      expect(locked.headers.get("retry-after")).toBe(`${14 * 60}`);
      expect(locked.headers.getSetCookie()).toEqual([]);
      now += WINDOW_MS - 60_001;
      expect((await signIn(lab, "a@example.org", PASSWORD)).status).toBe(429);
      now += 1;
      expect((await signIn(lab, "a@example.org", PASSWORD)).status).toBe(200);
    });

    it("a success is not counted as a failure, and does not reset the count", async () => {
      let now = Date.now();
      const lab = await startLab(await databases.open(engine), { now: () => now });
      await lab.member(await lab.organization("first"), "a@example.org", "owner");
      for (let success = 0; success < 12; success++) {
        expect((await signIn(lab, "a@example.org", PASSWORD)).status).toBe(200);
      }
      for (let failure = 0; failure < 9; failure++) await signIn(lab, "a@example.org", "wrong password");
      expect((await signIn(lab, "a@example.org", PASSWORD)).status).toBe(200);
      expect((await signIn(lab, "a@example.org", "wrong password")).status).toBe(401);
      expect((await signIn(lab, "a@example.org", PASSWORD)).status).toBe(429);
      now += WINDOW_MS;
      expect((await signIn(lab, "a@example.org", PASSWORD)).status).toBe(200);
    });

    it("the owner of one account with an address cannot keep guessing another account's password", async () => {
      const lab = await startLab(await databases.open(engine), { trustedProxies: "127.0.0.1" });
      await lab.member(await lab.organization("corp"), "carol@corp.example", "owner");
      const squatter = await lab.member(await lab.organization("two"), "squatter@two.example", "owner");
      const invitation = { email: "carol@corp.example", role: "viewer" };
      const { accept_url } = await jsonBody(await squatter.post(`${lab.url}/api/members`, invitation));
      const code = new URL(`${accept_url}`).searchParams.get("invitation");
      const own = "the squatter's password";
      const accepted = await new Browser().post(
        `${lab.url}/api/auth/invitations/accept`,
        { invitation: code, password: own },
        { origin: lab.url },
      );
      expect(accepted.status).toBe(200);

      const guesses: number[] = [];
      for (let round = 0; round < 2; round++) {
        const address = `203.0.113.${round}`;
        for (let guess = 0; guess < 8; guess++) {
          const password = `guess ${round} ${guess}`;
          guesses.push((await signIn(lab, "carol@corp.example", password, address)).status);
        }
        await signIn(lab, "carol@corp.example", own, address);
      }
      // Accepting the invitation also was a wrong guess at Carol's password.
      expect(guesses).toEqual([...Array<number>(9).fill(401), ...Array<number>(7).fill(429)]);
    });

    it("of many concurrent guesses at most 10 are evaluated", async () => {
      const lab = await startLab(await databases.open(engine), { trustedProxies: "127.0.0.1" });
      await lab.member(await lab.organization("first"), "a@example.org", "owner");
      const guesses = await Promise.all(
        Array.from({ length: 30 }, (_, i) =>
          signIn(lab, "a@example.org", "wrong password", `203.0.113.${i}`),
        ),
      );
      expect(guesses.filter(answer => answer.status === 401)).toHaveLength(10);
      expect(guesses.filter(answer => answer.status === 429)).toHaveLength(20);
    });

    it("locks a client after 50 failures over many accounts, and no other client", async () => {
      const lab = await startLab(await databases.open(engine), { trustedProxies: "127.0.0.1" });
      await lab.member(await lab.organization("first"), "a@example.org", "owner");
      for (let i = 0; i < 50; i++) {
        expect((await signIn(lab, `u${i}@example.org`, "wrong", "203.0.113.9")).status).toBe(401);
      }
      expect((await signIn(lab, "a@example.org", PASSWORD, "203.0.113.9")).status).toBe(429);
      expect((await signIn(lab, "a@example.org", PASSWORD, "203.0.113.10")).status).toBe(200);
    });

    it("SEC-009 a client cannot appear as another one by sending X-Forwarded-For", async () => {
      const lab = await startLab(await databases.open(engine));
      const statuses: number[] = [];
      for (let i = 0; i < 51; i++) {
        statuses.push((await signIn(lab, `u${i}@example.org`, "wrong", `203.0.113.${i}`)).status);
      }
      expect(statuses).toEqual([...Array<number>(50).fill(401), 429]);
    });

    it("an unknown address is answered and locked like a wrong password", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("first");
      await lab.member(orgId, "known@example.org", "owner");
      await lab.identity.accounts.create("without-password@example.org");
      const answers = [];
      for (const email of ["known@example.org", "unknown@example.org", "without-password@example.org"]) {
        const answer = await signIn(lab, email, "wrong password");
        const headers = Object.fromEntries(answer.headers);
        delete headers.date;
        answers.push({ status: answer.status, headers, body: await answer.text() });
      }
      expect(answers[1]).toEqual(answers[0]);
      expect(answers[2]).toEqual(answers[0]);
      for (let failure = 1; failure < 10; failure++)
        await signIn(lab, "unknown@example.org", "wrong password");
      expect((await signIn(lab, "unknown@example.org", "wrong password")).status).toBe(429);
    });

    it("guesses of the current password count like sign-ins", async () => {
      const lab = await startLab(await databases.open(engine));
      const browser = await lab.member(await lab.organization("first"), "a@example.org", "viewer");
      const guess = () =>
        browser.post(`${lab.url}/api/account/password`, { password: "a new one", current_password: "wrong" });
      for (let failure = 0; failure < 10; failure++) expect((await guess()).status).toBe(400);
      expect((await guess()).status).toBe(429);
    });
  });
}

it("an unknown address takes as long as a wrong password: a hash is computed for both", async () => {
  const lab = await startLab(await databases.open("sqlite"));
  await lab.member(await lab.organization("first"), "known@example.org", "owner");
  const timeOf = (email: string) =>
    cpuTimeMs(async () => expect((await signIn(lab, email, "wrong password")).status).toBe(401));
  // In turns, and the cheapest of nine: whatever else this process does only adds to some of them.
  let known = Number.POSITIVE_INFINITY;
  let unknown = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 9; turn++) {
    known = Math.min(known, await timeOf("known@example.org"));
    unknown = Math.min(unknown, await timeOf("unknown@example.org"));
  }
  expect(unknown).toBeGreaterThan(known / 2);
});
