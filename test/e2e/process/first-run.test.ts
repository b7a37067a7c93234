import { describe, expect, it } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { jsonBody } from "../../support/clients/json-body.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { startInTest } from "../../support/processes/start-in-test.ts";
import { checkout, plainEnvironment, printedKeys, svc } from "../../support/processes/tollgate-process.ts";
import { freePort } from "../../support/servers/free-port.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const folder = temporaryFolder();
const start = startInTest();

describe("the first run", () => {
  it("OPS-003 prints one live key, one test key, and a curl command that works as printed; OPS-006 and its address", async () => {
    const dataDir = folder("first");
    const tollgate = start(dataDir, {}, checkout);
    const url = await tollgate.ready();
    const keys = printedKeys(tollgate.stdout);
    expect([keys.live.length, keys.test.length]).toEqual([1, 1]);
    expect(keys.live[0]).toMatch(/^sk_live_\w{40,}$/);
    expect(keys.test[0]).toMatch(/^sk_test_\w{40,}$/);
    expect(tollgate.stdout).toContain(url);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);

    const printed = /^ {2}curl[\s\S]*?'$/m.exec(tollgate.stdout)?.[0] ?? "no curl was printed";
    const curl = Bun.spawn(["bash", "-c", printed], {
      env: plainEnvironment(),
      stdout: "pipe",
      stderr: "ignore",
    });
    const answer = await new Response(curl.stdout).text();
    expect(await curl.exited).toBe(0);
    expect(answer).toStartWith("HTTP/1.1 200");
    expect(answer.toLowerCase()).toMatch(/\r\nx-gateway-cost: \d+\r\n/);
    expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).toMatchObject({ object: "chat.completion" });

    // Printed commands work unchanged, even if the data is not in the default directory.
    expect(tollgate.stdout).toContain(
      `  SVC_DATA_DIR='${dataDir}' npm run --silent svc -- ledger tail --limit 1 --json\n`,
    );
    const live = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${keys.live[0]}` } });
    expect(live.status).toBe(200);
    // Digests, salts and the ledger must not be readable by others on a shared machine.
    expect(statSync(dataDir).mode & 0o077).toBe(0);
  });

  it("OPS-002 creates `default` once: a second run prints no key, and the first run's keys still work", async () => {
    const dataDir = folder("second");
    const first = start(dataDir, { SVC_DEFAULT_TIER: "lite" });
    await first.ready();
    const { live, test } = printedKeys(first.stdout);
    expect(await first.stop()).toBe(0);

    const second = start(dataDir, { SVC_DEFAULT_TIER: "pro" });
    const url = await second.ready();
    expect(second.stdout).not.toContain("sk_");
    for (const key of [...live, ...test]) {
      const headers = {
        authorization: `Bearer ${key}`,
        "x-provider-key": "k",
        "content-type": "application/json",
      };
      const answer = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body: "{}" });
      // The tier is that of the first run: a later setting does not change it.
      expect([answer.status, answer.headers.get("ratelimit-limit")]).toEqual([400, "100"]);
    }
  });

  it("OPS-002 `default` is enterprise unless SVC_DEFAULT_TIER says otherwise", async () => {
    const tollgate = start(folder("tier"));
    const url = await tollgate.ready();
    const headers = {
      authorization: `Bearer ${printedKeys(tollgate.stdout).live[0]}`,
      "x-provider-key": "k",
    };
    const answer = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body: "{}" });
    expect(answer.headers.get("ratelimit-limit")).toBe("10000");
  });

  for (const { settings, email } of [
    { settings: {}, email: "admin@localhost.localdomain" },
    { settings: { SVC_OWNER_EMAIL: "Ada@Example.com" }, email: "ada@example.com" },
  ]) {
    it(`OPS-003 prints the owner's e-mail address with the link, which signs in ${email}`, async () => {
      const dataDir = folder(email);
      const first = start(dataDir, settings);
      await first.ready();
      expect(first.stdout).toContain(`e-mail address\n${email}.`);
      const account = await accountBehind(first.stdout, first.addressOf("web"));
      expect(account).toMatchObject({
        user: { email },
        memberships: [{ organization: { name: "default" }, role: "owner" }],
      });
      await first.stop();

      // Later runs say how to find it again, and ignore the setting, which is only for the first run.
      const second = start(dataDir, { SVC_OWNER_EMAIL: "late@example.com" });
      await second.ready();
      expect(second.stdout).toContain("/sign-in (locked out?");
      expect((await svc(dataDir, ["user", "list", "--json"])).json()).toMatchObject([
        { organization: "default", email, role: "owner", status: "active" },
      ]);
      const link = await svc(dataDir, ["user", "link", email.toUpperCase()]);
      expect(await accountBehind(link.stdout, second.addressOf("web"))).toMatchObject({ user: { email } });
      const unknown = await svc(dataDir, ["user", "link", "late@example.com"]);
      expect([unknown.exitCode, unknown.stdout]).toEqual([2, ""]);
    });
  }

  it("OPS-003 with an identity provider, SVC_OWNER_EMAIL is the owner instead of the first person to sign in", async () => {
    const dataDir = folder("oidc");
    const tollgate = start(dataDir, {
      SVC_OIDC_ISSUER: "http://127.0.0.1:9",
      SVC_OIDC_CLIENT_ID: "tollgate",
      SVC_OIDC_CLIENT_SECRET: "secret",
      SVC_OWNER_EMAIL: "ada@example.com",
    });
    await tollgate.ready();
    expect(tollgate.stdout).toContain("/sign-in as ada@example.com, who owns the organization.");
    expect(tollgate.stdout).not.toContain("magic-link");
    expect((await svc(dataDir, ["user", "list", "--json"])).json()).toMatchObject([
      { organization: "default", email: "ada@example.com", role: "owner", status: "invited" },
    ]);
  });

  it("OPS-003 prints the keys at the first start that succeeds, not at one that fails", async () => {
    const dataDir = folder("taken");
    const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    const failing = start(dataDir, { SVC_GATEWAY_PORT: String(other.port) });
    expect(await failing.ended()).not.toBe(0);
    expect(failing.stdout).not.toContain("sk_");
    await other.stop(true);
    const next = start(dataDir);
    await next.ready();
    expect(printedKeys(next.stdout).live.length).toBe(1);
  });

  it("OPS-006 OPS-005 writes the address once it answers, at the requested host and port", async () => {
    const port = freePort();
    const tollgate = start(folder("address"), { SVC_GATEWAY_PORT: String(port), SVC_HOST: "localhost" });
    const url = `http://localhost:${port}`;
    await eventually("the address is written", () => existsSync(tollgate.addresses));
    expect(JSON.parse(readFileSync(tollgate.addresses, "utf8"))).toMatchObject({ gateway: url });
    expect(await jsonBody(await fetch(`${url}/health`))).toMatchObject({ status: "ok", version: "1.0.0" });
  });
});

describe("an invalid configuration", () => {
  it("OPS-008 stops the start, reports all errors together, and creates nothing", async () => {
    const dataDir = folder("wrong");
    const tollgate = start(dataDir, {
      SVC_GATEWAY_PORT: "high",
      SVC_DURABILTY: "full",
      SVC_ON_DISCONNECT: "cling",
    });
    expect(await tollgate.ended()).not.toBe(0);
    for (const name of ["SVC_GATEWAY_PORT", "SVC_DURABILTY", "SVC_ON_DISCONNECT"]) {
      expect(tollgate.stderr).toContain(name);
    }
    expect([tollgate.stdout, existsSync(dataDir)]).toEqual(["", false]);
  });

  it("OPS-008 stops commands too", async () => {
    const result = await svc(folder("wrong-too"), ["prices", "list", "--json"], { SVC_NONSENSE: "1" });
    expect(result.exitCode).not.toBe(0);
    const error = expect.stringContaining("SVC_NONSENSE is not a known variable");
    expect([result.json(), result.stderr]).toEqual([{ error }, error]);
  });
});

/** The account that a printed sign-in link signs in. */
async function accountBehind(printed: string, web: string): Promise<unknown> {
  const link = /http\S+magic-link\S+/.exec(printed)?.[0] ?? "no link was printed";
  const signedIn = await fetch(link, { redirect: "manual" });
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  return await (await fetch(`${web}/api/account`, { headers: { cookie } })).json();
}
