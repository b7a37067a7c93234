import { afterAll, describe, expect, it } from "bun:test";
import { parseAllowedTargets } from "./allowed-targets.ts";
import { GuardedClient, type Resolve } from "./guarded-client.ts";
import { OutgoingFault } from "./outgoing-fault.ts";
import { isPrivateAddress } from "./private-addresses.ts";
import { TargetGuard } from "./target-guard.ts";

let reached = 0;
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    reached++;
    const { pathname } = new URL(request.url);
    if (pathname === "/redirect") return Response.redirect("http://169.254.169.254/latest", 302);
    if (pathname === "/large") return new Response("x".repeat(10_000_000));
    if (pathname === "/busy") return new Response("later", { status: 503, headers: { "retry-after": "7" } });
    if (pathname === "/silent") return await new Promise<Response>(() => {});
    return new Response(`${request.headers.get("host")} ${await request.text()}`);
  },
});
afterAll(() => server.stop(true));

const client = (allowed = "", resolve?: Resolve, timeoutMs = 60_000) =>
  new GuardedClient({ guard: TargetGuard.of(allowed), timeoutMs, ...(resolve && { resolve }) });

const faultOf = async (answer: Promise<unknown>): Promise<string> => {
  const fault = await answer.then(
    () => null,
    error => error,
  );
  if (!(fault instanceof OutgoingFault)) throw new Error("it was not refused");
  return fault.kind;
};

describe("private addresses", () => {
  it.each([
    "127.0.0.1",
    "10.1.2.3",
    "169.254.169.254",
    "172.31.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "0.0.0.0",
    "255.255.255.255",
    "::1",
    "::",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:a9fe:a9fe",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "fe80::1%eth0",
    "fd00::1",
    "not an address",
  ])("SEC-005 %s is one", address => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  it.each(["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8"])(
    "%s is none",
    address => {
      expect(isPrivateAddress(address)).toBe(false);
    },
  );
});

describe("GuardedClient", () => {
  it.each([
    `http://127.0.0.1:${server.port}/`,
    `http://localhost:${server.port}/`,
    `http://2130706433:${server.port}/`,
    `http://0177.0.0.1:${server.port}/`,
    `http://0x7f.1:${server.port}/`,
    `http://[::ffff:127.0.0.1]:${server.port}/`,
    `http://127.0.0.1.:${server.port}/`,
    `http://user:secret@127.0.0.1:${server.port}/`,
    "http://169.254.169.254/latest/meta-data/",
    "file:///etc/passwd",
    "ftp://127.0.0.1/",
    "//127.0.0.1/",
  ])("SEC-005 does not reach %s", async address => {
    const before = reached;
    expect(await faultOf(client().post(address, "{}", {}))).toBe("refused");
    expect(reached).toBe(before);
  });

  it("SEC-005 refuses a name with one private address among public ones", async () => {
    const resolve: Resolve = async () => [
      { address: "8.8.8.8", family: 4 },
      { address: "127.0.0.1", family: 4 },
    ];
    expect(await faultOf(client("", resolve).post("http://mixed.example/", "{}", {}))).toBe("refused");
  });

  it("SEC-005 connects to the address that was checked, even if the name resolves to another one a moment later", async () => {
    let asked = 0;
    const resolve: Resolve = async () => {
      asked++;
      return [{ address: asked === 1 ? "127.0.0.1" : "169.254.169.254", family: 4 }];
    };
    const url = `http://rebinding.example:${server.port}/`;
    const answer = await client("127.0.0.0/8", resolve).post(url, "hello", {});
    expect([answer.status, answer.text, asked]).toEqual([200, `rebinding.example:${server.port} hello`, 1]);
  });

  it("SEC-006 reaches exactly the private targets that are allowed, by name, address or range", async () => {
    const here = `http://127.0.0.1:${server.port}/`;
    const named: Resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    expect((await client("127.0.0.1").post(here, "{}", {})).status).toBe(200);
    expect((await client("10.0.0.0/8, 127.0.0.0/8").post(here, "{}", {})).status).toBe(200);
    const url = `http://hooks.internal:${server.port}/`;
    expect((await client("hooks.internal", named).post(url, "{}", {})).status).toBe(200);
    expect(await faultOf(client("other.internal", named).post(url, "{}", {}))).toBe("refused");
    expect(await faultOf(client("127.0.0.2").post(here, "{}", {}))).toBe("refused");
  });

  it("SEC-006 follows no redirect, and reads only the beginning of an answer", async () => {
    const base = `http://127.0.0.1:${server.port}`;
    const redirected = await client("127.0.0.1").post(`${base}/redirect`, "{}", {});
    expect(redirected.status).toBe(302);
    const large = await client("127.0.0.1").post(`${base}/large`, "{}", {});
    expect([large.status, large.text.length]).toEqual([200, 4096]);
  });

  it("reports Retry-After, a timeout and a refused connection", async () => {
    const base = `http://127.0.0.1:${server.port}`;
    expect(await client("127.0.0.1").post(`${base}/busy`, "{}", {})).toEqual({
      status: 503,
      retryAfter: "7",
      text: "later",
    });
    expect(await faultOf(client("127.0.0.1", undefined, 50).post(`${base}/silent`, "{}", {}))).toBe(
      "timeout",
    );
    expect(await faultOf(client("127.0.0.1").post("http://127.0.0.1:9/", "{}", {}))).toBe("unreachable");
    const silence: Resolve = () => new Promise(() => {});
    expect(await faultOf(client("", silence, 50).post("http://slow.example/", "{}", {}))).toBe("timeout");
  });
});

describe("an answer that breaks off", () => {
  it("HOOK-008 after its status still counts: an accepted message is not sent again", async () => {
    const breaking = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data(socket) {
          // Not with a reset, which could discard the status before it was read.
          socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc");
        },
      },
    });
    const answer = await client("127.0.0.1").post(`http://127.0.0.1:${breaking.port}/`, "{}", {});
    expect(answer.status).toBe(200);
    breaking.stop(true);
  });
});

describe("allowed private targets", () => {
  it.each(["10.0.0.0/33", "10.0.0.0/x", "a b", "::1/129", "host/8", "http://host"])(
    "do not take %s",
    entry => {
      expect(() => parseAllowedTargets(entry)).toThrow("is n");
    },
  );
});
