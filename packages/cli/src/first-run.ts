import type { Config } from "./config.ts";
import { withControlStore } from "./open-store.ts";

export interface FirstRun {
  readonly liveKey: string;
  readonly testKey: string;
}

/** On an empty store: the organization `default` and its two keys. Later runs find it there and make nothing. */
export function firstRun(config: Config): FirstRun | null {
  return withControlStore(config, store => {
    if (!store.isEmpty) return null;
    const now = Date.now();
    const { id } = store.createOrganization("default", config.defaultTier, now);
    return {
      liveKey: store.createKey(id, "live", "write", now).key,
      testKey: store.createKey(id, "test", "write", now).key,
    };
  });
}

export function welcome(gatewayUrl: string, created: FirstRun): string {
  return `
First run: the organization "default" was made. Its keys are shown this once:

  live key  ${created.liveKey}
  test key  ${created.testKey}

A first call, answered by the built-in simulator (the test key needs no provider account):

  curl -i ${gatewayUrl}/v1/chat/completions \\
    -H "Authorization: Bearer ${created.testKey}" \\
    -H "X-Provider-Key: anything" \\
    -H "Content-Type: application/json" \\
    -d '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello!"}]}'

Its cost in microcents is in the X-Gateway-Cost header. Where it went:

  npm run --silent svc -- ledger tail --limit 1 --json

`;
}
