/** The customer's backend, in its own process: receives deliveries, and reports how many arrived and when. */
let count = 0;
let firstAt = 0;
let lastAt = 0;

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    if (request.method === "GET") {
      const said = { count, firstAt, lastAt };
      if (new URL(request.url).pathname === "/forget") count = 0;
      return Response.json(said);
    }
    await request.arrayBuffer();
    lastAt = performance.now();
    if (count === 0) firstAt = lastAt;
    count += 1;
    return Response.json({ success: true });
  },
});
console.log(JSON.stringify({ port: server.port }));
