/** A budget status, with a field that clients do not know. */
export const budgetStatus = {
  organization_id: "o",
  total_spending_microcents: 5,
  unpriced_calls: 0,
  budgets: [],
  alerts_triggered: 0,
  something_new: true,
};

/** A web API that answers as a test wants, and notes the requests. */
export function startScriptedWebApi(answer: (request: Request, count: number) => Response) {
  const paths: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      paths.push(`${request.method} ${new URL(request.url).pathname}`);
      return answer(request, paths.length);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, paths, stop: () => server.stop(true) };
}
