import { describe, expect, it } from "bun:test";
import { ownOrigins, requireJson, requireOwnOrigin } from "./own-origin.ts";

const origins = ownOrigins(["https://tollgate.example/", "http://127.0.0.1:3000"]);
const refused = expect.objectContaining({ code: "foreign_origin" });

function outcome(headers: Record<string, string>, ifMissing: "refuse" | "allow" = "refuse"): unknown {
  try {
    requireOwnOrigin(new Request("http://x/", { method: "POST", headers }), origins, ifMissing);
    return "ours";
  } catch (fault) {
    return fault;
  }
}

describe("requireOwnOrigin", () => {
  for (const origin of [
    "https://tollgate.example",
    "http://127.0.0.1:3000",
    "http://localhost:3000",
    "http://[::1]:3000",
  ]) {
    it(`accepts ${origin}`, () => expect(outcome({ origin })).toBe("ours"));
  }

  for (const origin of [
    "http://tollgate.example",
    "https://tollgate.example:8443",
    "https://tollgate.example.evil.example",
    "https://evil.example",
    "http://127.0.0.1:3001",
    "http://127.0.0.2:3000",
    "null",
    "",
  ]) {
    it(`refuses ${JSON.stringify(origin)}`, () => expect(outcome({ origin })).toEqual(refused));
  }

  it("uses Sec-Fetch-Site only if there is no Origin", () => {
    expect(outcome({ "sec-fetch-site": "same-origin" })).toBe("ours");
    for (const site of ["same-site", "cross-site", "none"]) {
      expect(outcome({ "sec-fetch-site": site })).toEqual(refused);
    }
    expect(outcome({ origin: "https://evil.example", "sec-fetch-site": "same-origin" })).toEqual(refused);
  });

  it("accepts a request without either header only on demand", () => {
    expect(outcome({})).toEqual(refused);
    expect(outcome({}, "allow")).toBe("ours");
    expect(outcome({ origin: "https://evil.example" }, "allow")).toEqual(refused);
  });
});

describe("requireJson", () => {
  const send = (type: string | undefined, body: string | undefined) => () =>
    requireJson(
      new Request("http://x/", {
        method: "POST",
        ...(type === undefined ? {} : { headers: { "content-type": type } }),
        ...(body === undefined ? {} : { body }),
      }),
    );

  it("accepts JSON, or no body", () => {
    expect(send("application/json", "{}")).not.toThrow();
    expect(send("Application/JSON; charset=utf-8", "{}")).not.toThrow();
    expect(send(undefined, undefined)).not.toThrow();
  });

  it("refuses what a form can send", () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      undefined,
    ]) {
      expect(send(type, "{}")).toThrow(refused);
    }
  });
});
