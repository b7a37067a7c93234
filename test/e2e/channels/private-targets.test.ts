import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { startReceiver } from "../../support/servers/start-receiver.ts";

const inside = startReceiver(() => new Response("the secret of the house"));
let asked = 0;
let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab(undefined, {
    timeoutMs: 60_000,
    allowedPrivateTargets: "127.0.0.2",
    resolve: async hostname => {
      asked++;
      // The second lookup returns an internal address.
      if (hostname === "rebinding.example") {
        return [{ address: asked === 1 ? "127.0.0.2" : "127.0.0.1", family: 4 }];
      }
      return [
        { address: hostname === "mixed.example" ? "8.8.8.8" : "127.0.0.1", family: 4 },
        { address: "::1", family: 6 },
      ];
    },
  });
});
afterAll(async () => {
  await lab.stop();
  await inside.stop();
});

const { port } = inside;

describe("user-supplied addresses for alerts", () => {
  it("SEC-005 never reach a name with a private address, and report that to the user", async () => {
    const address = `http://mixed.example:${port}/`;
    const { client } = await lab.organization();
    await client.call("alerts.preferences.update", { slack_webhook: address, webhook_url: address });
    const { channels } = await client.call("alerts.test", {});
    const refused = {
      delivered: false,
      error: "Private addresses are blocked unless listed in SVC_ALLOWED_PRIVATE_TARGETS",
      status: null,
      answer: null,
    };
    expect(channels).toEqual([
      { channel: "slack", ...refused },
      { channel: "webhook", ...refused },
    ]);
    expect(inside.received.length).toBe(0);
  });

  it("SEC-005 are connected to as checked, even if the name resolves differently a moment later", async () => {
    asked = 0;
    const { client } = await lab.organization();
    await client.call("alerts.preferences.update", { webhook_url: `http://rebinding.example:${port}/` });
    // Nothing listens at the checked address, and the other one is not tried.
    expect((await client.call("alerts.test", {})).channels).toEqual([
      { channel: "webhook", delivered: false, error: "The connection failed", status: null, answer: null },
    ]);
    expect([asked, inside.received.length]).toEqual([1, 0]);
  });

  it.each([
    "file:///etc/passwd",
    "ftp://127.0.0.1/",
    "//127.0.0.1/",
    "http://user:secret@127.0.0.1/",
    "127.0.0.1",
  ])("SEC-005 are rejected as %s", async address => {
    const { liveKey } = await lab.organization();
    for (const name of ["slack_webhook", "webhook_url"]) {
      const answer = await lab.send("/api/alerts/preferences", {
        method: "PATCH",
        key: liveKey,
        body: JSON.stringify({ [name]: address }),
        headers: { "content-type": "application/json" },
      });
      expect(answer.status).toBe(400);
    }
  });
});

/** Every operation with an address, and the name of its field. */
const registrations = [
  ["PATCH", () => "/api/alerts/preferences", "slack_webhook"],
  ["PATCH", () => "/api/alerts/preferences", "webhook_url"],
  ["POST", (orgId: string) => `/api/webhooks/generic/${orgId}`, "url"],
  ["PATCH", (_: string, webhookId: string) => `/api/webhooks/${webhookId}`, "url"],
] as const;

async function register(address: string) {
  const { id, liveKey, client } = await lab.organization();
  const webhook = { url: "https://example.org/", events: ["event.created" as const], secret: "s" };
  const { id: webhookId } = await client.call("webhooks.register", { orgId: id, ...webhook });
  const answers: [string, number, unknown][] = [];
  for (const [method, path, field] of registrations) {
    const body = { ...(method === "POST" ? webhook : {}), [field]: address };
    const answer = await lab.send(path(id, webhookId), { method, key: liveKey, body: JSON.stringify(body) });
    const { error } = (await answer.json()) as { error?: string };
    answers.push([field, answer.status, error]);
  }
  return answers;
}

describe("an address that is private by its text", () => {
  it.each([
    "http://127.0.0.1/",
    "https://127.0.0.1:8443/hook",
    "http://localhost/",
    "http://LOCALHOST:3000/",
    "http://localhost./",
    "http://hooks.localhost/",
    "http://10.1.2.3/",
    "http://192.168.1.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::]/",
    "http://[fd00::1]/",
    "http://[fe80::1]/",
    "http://2130706433/",
    "http://0177.0.0.1/",
    "http://0x7f000001/",
    "http://127.1/",
    "http://0.0.0.0/",
    "http://127.0.0.1./",
  ])("SEC-005 is rejected at registration: %s", async address => {
    const sentence = "private addresses are blocked unless listed in SVC_ALLOWED_PRIVATE_TARGETS";
    expect(await register(address)).toEqual(
      registrations.map(([, , field]) => [field, 400, `${field}: ${sentence}`]),
    );
  });

  it.each(["http://127.0.0.2/hook", "https://8.8.8.8/", "http://not-resolved-yet.example/"])(
    "SEC-006 is accepted if it is allowed or public: %s",
    async address => {
      expect((await register(address)).map(([, status]) => status)).toEqual([200, 200, 201, 200]);
    },
  );
});

describe("the addresses of alert mails", () => {
  it.each([
    ["one@example.org", 200],
    ["one@example.org, two@example.org", 200],
    ["one@example.org,", 400],
    ["one@example.org two@example.org", 400],
    ["one@example.org\r\nBcc: two@example.org", 400],
    ["One <one@example.org>", 400],
    [Array.from({ length: 11 }, (_, index) => `a${index}@example.org`).join(), 400],
  ] as const)("%j: %d", async (email, status) => {
    const { liveKey } = await lab.organization();
    const answer = await lab.send("/api/alerts/preferences", {
      method: "PATCH",
      key: liveKey,
      body: JSON.stringify({ email }),
      headers: { "content-type": "application/json" },
    });
    expect(answer.status).toBe(status);
  });
});
