import { describe, expect, it } from "bun:test";
import { openToolClient } from "../../support/labs/tool-clients.ts";
import { budgetStatus, startScriptedWebApi } from "../../support/servers/scripted-web-api.ts";

describe("the web API as the package sees it", () => {
  it("retries reads with back-off while the web API fails, omits unknown fields, and writes once", async () => {
    const api = startScriptedWebApi((request, count) =>
      request.method === "GET" && count > 2
        ? Response.json(budgetStatus)
        : Response.json({ error: "x" }, { status: 503 }),
    );
    const toolClient = await openToolClient("stdio, new client", api.url, "sk_live_x");
    const read = await toolClient.call("svc_get_budget_status");
    expect(read).toMatchObject({ isError: false, structured: { total_spending_microcents: 5 } });
    expect(read.structured).not.toHaveProperty("something_new");
    expect(api.paths).toHaveLength(3);
    const write = await toolClient.call("svc_set_budget", { period: "daily", limit_dollars: 1 });
    expect(write).toMatchObject({ isError: true, facts: { status: 503 } });
    expect(write.text).toContain("backoff");
    expect(api.paths).toHaveLength(4);
    await toolClient.close();
    await api.stop();
  });

  it("TOOL-008 while the web API is down every call is a clear error, and the package survives", async () => {
    const api = startScriptedWebApi(() => Response.json(budgetStatus));
    const toolClient = await openToolClient("stdio, old client", api.url, "sk_live_x");
    expect((await toolClient.call("svc_get_budget_status")).isError).toBe(false);
    await api.stop();
    const read = await toolClient.call("svc_get_budget_status");
    expect(read).toMatchObject({ isError: true, facts: { status: 503 } });
    expect(read.text).toContain("cannot be reached");
    expect(read.text).toContain("backoff");
    const write = await toolClient.call("svc_acknowledge_alert", { alert_ids: [crypto.randomUUID()] });
    expect(write.text).toContain("may or may not have been made");
    expect((await toolClient.tools()).length).toBe(23);
    await toolClient.close();
  });

  it("reveals nothing from an answer that is not the web API's", async () => {
    const api = startScriptedWebApi(
      () => new Response("<html>secret</html>", { headers: { "content-type": "text/html" } }),
    );
    const toolClient = await openToolClient("stdio, new client", api.url, "sk_live_x");
    const { isError, text } = await toolClient.call("svc_get_budget_status");
    expect(isError).toBe(true);
    expect(text).not.toContain("secret");
    await toolClient.close();
    await api.stop();
  });
});
