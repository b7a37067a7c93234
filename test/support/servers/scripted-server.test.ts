import { describe, expect, it } from "bun:test";
import { gzipSync } from "node:zlib";
import { eventually } from "../waiting/eventually.ts";
import { writeAnswer, writeChunk, writeChunkedHead, writeHead, writeLastChunk } from "./http-bytes.ts";
import { parseRequest } from "./receive-request.ts";
import { type Script, type ScriptedServer, serveScript } from "./scripted-server.ts";

async function withServer<T>(script: Script, use: (server: ScriptedServer) => Promise<T>): Promise<T> {
  const server = await serveScript(script);
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

const post = (url: string, body: string, signal?: AbortSignal) =>
  fetch(url, { method: "POST", body, ...(signal ? { signal } : {}) });

const frames = ["data: one\n\n", "data: two\n\n", "data: three\n\n"];

describe("serveScript", () => {
  it("plays an answer, and records the request's raw head and body", () =>
    withServer([writeChunkedHead(), ...frames.map(writeChunk), writeLastChunk], async server => {
      const response = await post(`${server.url}/path?x=1`, "héllo");
      expect(response.headers.get("content-type")).toBe("text/event-stream");
      expect(await response.text()).toBe(frames.join(""));
      const [connection] = server.connections;
      expect(connection?.request).toMatchObject({ method: "POST", path: "/path?x=1" });
      expect(connection?.request.head).toStartWith("POST /path?x=1 HTTP/1.1\r\n");
      expect(connection?.request.body.toString()).toBe("héllo");
      await connection?.closed;
      expect(connection?.closedAtMs).toBeNumber();
    }));

  it.each([0, 1, 2, 3])(
    "resets after chunk %d: earlier chunks are received, then the connection breaks",
    count => {
      const sent = frames.slice(0, count);
      // A reset discards unread data.
      const isRead = Promise.withResolvers<void>();
      const script: Script = [
        writeChunkedHead(),
        ...sent.map(writeChunk),
        { do: "until", promise: isRead.promise },
        { do: "reset" },
      ];
      return withServer(script, async server => {
        const response = await post(server.url, "");
        let seen = "";
        const look = () => {
          if (seen === sent.join("")) isRead.resolve();
        };
        const drained = (async () => {
          look();
          for await (const chunk of response.body ?? []) {
            seen += Buffer.from(chunk).toString();
            look();
          }
        })();
        await expect(drained).rejects.toThrow();
        expect(seen).toBe(sent.join(""));
      });
    },
  );

  it("resets before any header", () =>
    withServer([{ do: "reset" }], async server => {
      await expect(post(server.url, "x")).rejects.toThrow();
    }));

  it("closes properly, but too early", () =>
    withServer(
      [writeHead(200, { "content-length": "100" }), { do: "write", bytes: "short" }, { do: "end" }],
      async server => {
        const response = await post(server.url, "x");
        await expect(response.text()).rejects.toThrow();
      },
    ));

  it("hangs before headers until the caller disconnects, and notices that", () =>
    withServer([{ do: "hang" }], async server => {
      const controller = new AbortController();
      const answer = post(server.url, "x", controller.signal);
      await eventually("the client is connected", () => server.connections.length > 0);
      controller.abort();
      await expect(answer).rejects.toThrow();
      await server.connections[0]?.closed;
      expect(server.connections[0]?.closedAtMs).toBeNumber();
    }));

  it("waits for the test between two chunks", () => {
    const gate = Promise.withResolvers<void>();
    const script: Script = [
      writeChunkedHead(),
      writeChunk("a"),
      { do: "until", promise: gate.promise },
      writeChunk("b"),
      writeLastChunk,
    ];
    return withServer(script, async server => {
      const response = await post(server.url, "");
      const reader = response.body?.getReader();
      expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("a");
      gate.resolve();
      expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("b");
    });
  });

  it("floods only as fast as it is read, and stops when the reader disconnects", () => {
    const script: Script = [
      writeHead(200, {}),
      { do: "flood", bytes: "x".repeat(65_536), times: Number.POSITIVE_INFINITY },
    ];
    return withServer(script, async server => {
      const controller = new AbortController();
      const response = await post(server.url, "", controller.signal);
      await response.body?.getReader().read();
      controller.abort();
      await server.connections[0]?.closed;
    });
  });

  it("answers each request with its own script: HTML errors, gzip, a wrong content type", () => {
    const scripts = [
      writeAnswer(502, "<html>bad gateway</html>", { "content-type": "text/html" }),
      writeAnswer(200, gzipSync('{"a":1}'), { "content-encoding": "gzip" }),
      writeAnswer(200, "plain", { "content-type": "text/plain" }),
    ];
    return withServer(
      (_, at) => scripts[at] ?? [],
      async server => {
        const html = await post(server.url, "1");
        expect([html.status, await html.text()]).toEqual([502, "<html>bad gateway</html>"]);
        expect(await (await post(server.url, "2")).json()).toEqual({ a: 1 });
        expect((await post(server.url, "3")).headers.get("content-type")).toBe("text/plain");
        expect([server.opened, server.connections.length]).toEqual([3, 3]);
      },
    );
  });
});

describe("parseRequest", () => {
  const sized = Buffer.from("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello");
  const chunked = Buffer.from(
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
  );
  it.each([
    ["with its length", sized],
    ["in chunks", chunked],
  ] as const)("waits for every byte of a body %s", (_, bytes) => {
    for (let end = 0; end < bytes.length; end += 1) expect(parseRequest(bytes.subarray(0, end))).toBeNull();
    expect(parseRequest(bytes)?.body.toString()).toBe("hello");
  });
});
