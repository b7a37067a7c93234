import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { drip, dripBody } from "../../support/clients/drip-body.ts";
import { sendBytes } from "../../support/clients/send-bytes.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { eventually } from "../../support/waiting/eventually.ts";

let lab: ControlLab;
let liveKey: string;

beforeAll(async () => {
  lab = await startControlLab(undefined, undefined, { requestTimeoutMs: 300 });
  ({ liveKey } = await lab.organization());
});
afterAll(() => lab.stop());

const json = { "content-type": "application/json" };
const withKey = () => ({ ...json, authorization: `Bearer ${liveKey}`, host: new URL(lab.url).host });

describe("a body that never ends", () => {
  for (const [path, headers] of [
    ["/api/auth/sign-in/email", () => json],
    ["/api/budgets", withKey],
    ["/mcp", withKey],
  ] as const) {
    it(`SEC-011 is 408 on ${path}, and the connection is closed`, async () => {
      const answer = await dripBody(lab.url, path, headers());
      expect([answer.status, JSON.parse(answer.body)]).toEqual([
        408,
        { error: "the request body was not complete within 0.3 seconds (SVC_REQUEST_TIMEOUT_MS)" },
      ]);
    });
  }

  for (const path of ["/api/budgets", "/mcp"]) {
    it(`SEC-011 is not awaited without a credential on ${path}: 401, and the connection is closed`, async () => {
      expect((await dripBody(lab.url, path, json)).status).toBe(401);
      const wrong = { ...json, authorization: "Bearer sk_live_wrong" };
      expect((await dripBody(lab.url, path, wrong)).status).toBe(401);
    });
  }

  for (const [what, status] of [
    ["GET /api/health", 200],
    ["POST /nowhere", 404],
  ] as const) {
    it(`SEC-011 keeps no connection open where no body is expected: ${what}`, async () => {
      expect((await drip(lab.url, what, {})).status).toBe(status);
    });
  }
});

it("a client that disconnects in the middle of its body is not a fault, and logs nothing", async () => {
  const paths = ["/api/auth/sign-in/email", "/api/budgets", "/mcp"];
  const leave = async (path: string) => {
    const lines = Object.entries(withKey()).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `POST ${path} HTTP/1.1\r\ncontent-length: 500\r\n${lines.join("")}\r\n`;
    await sendBytes(lab.url, [head, '{"name"'], { patienceMs: 50 });
  };
  const answered = async (operation: string) =>
    (await (await fetch(`${lab.url}/metrics`)).text()).includes(`operation="${operation}",status="499"`);
  // Again, because on a busy machine the body may be late before its client is seen to be gone.
  await eventually("they have ended", async () => {
    for (const path of paths) await leave(path);
    return (await answered("budgets.create")) && (await answered("mcp"));
  });
  expect(lab.logged.filter(line => line.includes('"error"'))).toEqual([]);
});
