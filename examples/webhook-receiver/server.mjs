// A receiver of Tollgate's webhooks, on plain Node 20:
//   WEBHOOK_SECRET=<the secret you registered> PORT=4000 node examples/webhook-receiver/server.mjs
import { createServer } from "node:http";
import { SeenDeliveries } from "./seen-deliveries.mjs";
import { whyRefused } from "./verify-webhook.mjs";

const secret = process.env.WEBHOOK_SECRET;
if (!secret) {
  console.error("WEBHOOK_SECRET is not set");
  process.exit(1);
}
const MAX_BODY_BYTES = 1_048_576;
const seen = new SeenDeliveries();

async function readBody(request) {
  const pieces = [];
  let size = 0;
  for await (const piece of request) {
    size += piece.length;
    if (size > MAX_BODY_BYTES) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** Resolves with [status, answer]. */
async function receive(request) {
  if (request.method !== "POST") return [405, { error: "POST, please" }];
  const body = await readBody(request);
  if (body === null) return [413, { error: "too large" }];
  const { headers } = request;
  const reason = whyRefused({ headers, body, secret, nowSeconds: Date.now() / 1000 });
  if (reason !== null) return [401, { error: reason }];

  const news = seen.note(headers["webhook-id"], headers["webhook-timestamp"]);
  if (news === "replay") return [409, { error: "this delivery was received before" }];
  if (news === "again") return [200, { success: true, duplicate: true }];

  const { event_type, timestamp, data } = JSON.parse(body);
  // Your own work goes here. Answer first and work later if it takes long: after 15 s it counts as failed.
  console.log(JSON.stringify({ event_type, timestamp, id: data.id, cost_microcents: data.cost_microcents }));
  return [200, { success: true }];
}

const server = createServer((request, response) => {
  receive(request)
    .catch(() => [400, { error: "this could not be read" }])
    .then(([status, answer]) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
});
server.listen(Number(process.env.PORT ?? 4000), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
