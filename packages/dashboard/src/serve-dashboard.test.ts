import { describe, expect, it } from "bun:test";
import { serveDashboard } from "./serve-dashboard.ts";

const get = (path: string, headers: Record<string, string> = {}) =>
  serveDashboard(new Request(`http://web${path}`, { headers }));

async function scriptPath(): Promise<string> {
  const page = await (await get("/"))?.text();
  return /src="(\/dashboard\/main-\w+\.js)"/.exec(page ?? "")?.[1] ?? "";
}

describe("the dashboard's files", () => {
  it("DASH-001 answers every path of the page with the page, and leaves all others alone", async () => {
    for (const path of ["/", "/calls", "/calls/some-id", "/settings/plan"]) {
      const answer = await get(path);
      expect([path, answer?.status, answer?.headers.get("cache-control")]).toEqual([path, 200, "no-cache"]);
    }
    expect((await get("/no-such-page", { accept: "text/html" }))?.status).toBe(404);
    expect(await get("/no-such-page", { accept: "application/json" })).toBeNull();
    expect(await get("/dashboard/no-such-file.js", { accept: "text/html" })).toBeNull();
    expect(await serveDashboard(new Request("http://web/", { method: "POST" }))).toBeNull();
  });

  it("names the scripts of the path that is asked for, so that they load together", async () => {
    const namedBy = async (path: string) => {
      const page = await (await get(path))?.text();
      const found = page?.matchAll(/<link rel="modulepreload" href="\/dashboard\/([\w-]+)-\w+\.js">/g);
      return [...(found ?? [])].map(([, name]) => name).filter(name => name !== "main");
    };
    // The overview is part of the first script.
    expect(await namedBy("/")).toEqual([]);
    expect(await namedBy("/calls")).toEqual(["calls-page"]);
    expect(await namedBy("/calls/some-id")).toEqual(["calls-page", "call-panel"]);
    expect(await namedBy("/models/some%2Fmodel/")).toEqual(["models-page", "model-panel"]);
    expect(await namedBy("/alerts/settings")).toEqual(["alerts-page", "alert-settings"]);
    expect(await namedBy("/savings")).toEqual(["savings-page", "decisions"]);
    expect(await namedBy("/calls/some-id/more")).toEqual([]);
  });

  it("names only scripts that it has", async () => {
    const page = (await (await get("/agents/some-id"))?.text()) ?? "";
    const paths = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = ""]) => path);
    expect(paths.length).toBeGreaterThan(5);
    for (const path of paths) expect([path, (await get(path))?.status]).toEqual([path, 200]);
  });

  it("keeps scripts forever under a name with their hash, and compresses as the browser asks", async () => {
    const path = await scriptPath();
    for (const [accepted, encoding] of [
      ["gzip, deflate, br", "br"],
      ["gzip", "gzip"],
      ["identity", null],
    ] as const) {
      const answer = await get(path, { "accept-encoding": accepted });
      expect(answer?.headers.get("content-encoding")).toBe(encoding);
      expect(answer?.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(answer?.headers.get("content-type")).toContain("text/javascript");
    }
    const plain = new TextDecoder().decode(await (await get(path))?.arrayBuffer());
    const zipped = await (await get(path, { "accept-encoding": "gzip" }))?.arrayBuffer();
    expect(new TextDecoder().decode(Bun.gunzipSync(zipped ?? new ArrayBuffer()))).toBe(plain);
  });

  it.each([
    ["", "identity"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip;q=1.0, br;q=0.5", "gzip"],
    ["br;q=0.5, gzip;q=0.5", "br"],
    ["br;q=0, gzip", "gzip"],
    ["br ; q = 0.000, gzip", "gzip"],
    ["br;q=0, gzip;q=0", "identity"],
    ["BR, GZIP", "br"],
    ["br;Q=0, GZip", "gzip"],
    ["*", "br"],
    ["br;q=0, *", "gzip"],
    ["gzip, *;q=0.1", "gzip"],
    ["gzip, *;q=0", "gzip"],
    ["identity, br;q=0.5", "identity"],
    ["identity;q=0, gzip", "gzip"],
    ["deflate, zstd, brotli, x-br", "identity"],
  ] as const)("Accept-Encoding: %s is answered with %s", async (accepted, encoding) => {
    const answer = await get(await scriptPath(), { "accept-encoding": accepted });
    expect([answer?.status, answer?.headers.get("content-encoding") ?? "identity"]).toEqual([200, encoding]);
  });

  it.each(["identity;q=0", "*;q=0", "deflate, identity;q=0"])(
    "Accept-Encoding: %s, which accepts nothing that there is, is refused",
    async accepted => {
      const answer = await get(await scriptPath(), { "accept-encoding": accepted });
      expect([answer?.status, answer?.headers.get("vary")]).toEqual([406, "accept-encoding"]);
    },
  );

  it("DASH-008 has nothing inline, and loads nothing from elsewhere", async () => {
    const page = (await (await get("/"))?.text()) ?? "";
    expect(page).not.toMatch(/<script>|<style|style=|\son\w+=/);
    for (const [, address] of page.matchAll(/(?:src|href)="([^"]+)"/g))
      expect(address).toStartWith("/dashboard/");
  });
});
