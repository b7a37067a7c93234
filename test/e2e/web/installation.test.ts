import { afterAll, beforeAll, expect, it } from "bun:test";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

it("tells every caller where gateway, web API and tools are, and how people sign in", async () => {
  const { client } = await lab.organization("starter");
  expect(await client.call("installation.get")).toEqual({
    gateway_url: "http://127.0.0.1:8787",
    web_url: "http://tollgate.test",
    mcp_url: "http://tollgate.test/mcp",
    sign_in: "password",
  });
});
