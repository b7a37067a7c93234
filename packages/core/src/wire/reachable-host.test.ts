import { expect, it } from "bun:test";
import { reachableHost } from "./reachable-host.ts";

it.each([
  ["127.0.0.1", "http://127.0.0.1:1/"],
  ["0.0.0.0", "http://127.0.0.1:1/"],
  ["::", "http://[::1]:1/"],
  ["::1", "http://[::1]:1/"],
  ["host.example", "http://host.example:1/"],
])("a server listening on %s is reachable at %s", (host, url) => {
  expect(new URL(`http://${reachableHost(host)}:1/`).href).toBe(url);
});
