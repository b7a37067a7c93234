/**
 * How popular clients are pointed at the gateway. The dashboard shows these texts with the installation's address,
 * docs/clients.md contains them with the default one, and `test/e2e/clients/snippets.test.ts` runs them.
 */
export interface ClientSnippet {
  readonly id: string;
  /** The client's own name. */
  readonly title: string;
  readonly language: "sh" | "ts" | "toml" | "json";
  /** Where the text belongs; null: into a program, or a shell. */
  readonly file: string | null;
  /** What has to be known beyond the text. */
  readonly note: string | null;
  /** `gatewayUrl` without a trailing slash. */
  text(gatewayUrl: string): string;
}

/** The variables that every snippet reads, so that no key is in a program or a command line. */
export function snippetVariables(key: string): string {
  if (key.startsWith("sk_live_")) {
    return `export TOLLGATE_KEY=${key}
export OPENAI_API_KEY=sk-…      # your own keys of the providers
export ANTHROPIC_API_KEY=sk-ant-…`;
  }
  return `export TOLLGATE_KEY=${key}
export OPENAI_API_KEY=anything      # your provider's keys, once TOLLGATE_KEY is a live one
export ANTHROPIC_API_KEY=anything`;
}

export const clientSnippets: readonly ClientSnippet[] = [
  {
    id: "curl",
    title: "curl",
    language: "sh",
    file: null,
    note: null,
    text: gatewayUrl => `curl ${gatewayUrl}/v1/chat/completions \\
  -H "Authorization: Bearer $TOLLGATE_KEY" -H "X-Provider-Key: $OPENAI_API_KEY" \\
  -H "X-Agent-ID: curl" -H "Content-Type: application/json" \\
  -d '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello!"}]}'`,
  },
  {
    id: "openai",
    title: "OpenAI SDK",
    language: "ts",
    file: null,
    note: null,
    text: gatewayUrl => `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "${gatewayUrl}/v1",
  apiKey: process.env.TOLLGATE_KEY,
  defaultHeaders: { "X-Provider-Key": process.env.OPENAI_API_KEY, "X-Agent-ID": "support-bot" },
});

const answer = await client.chat.completions.create({
  model: "gpt-4o-mini",
  messages: [{ role: "user", content: "Hello!" }],
});
console.log(answer.choices[0]?.message.content);`,
  },
  {
    id: "anthropic",
    title: "Anthropic SDK",
    language: "ts",
    file: null,
    note: null,
    text: gatewayUrl => `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({
  baseURL: "${gatewayUrl}",
  apiKey: process.env.TOLLGATE_KEY,
  defaultHeaders: { "X-Provider-Key": process.env.ANTHROPIC_API_KEY, "X-Agent-ID": "writer" },
});

const stream = client.messages.stream({
  model: "claude-sonnet-4-6",
  max_tokens: 200,
  messages: [{ role: "user", content: "Hello!" }],
});
console.log(await stream.finalText());`,
  },
  {
    id: "ai-sdk",
    title: "AI SDK",
    language: "ts",
    file: null,
    note: null,
    text: gatewayUrl => `import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";

const tollgate = createOpenAI({
  baseURL: "${gatewayUrl}/v1",
  apiKey: process.env.TOLLGATE_KEY,
  headers: { "X-Provider-Key": process.env.OPENAI_API_KEY ?? "", "X-Agent-ID": "web-app" },
});

const { text } = await generateText({ model: tollgate("gpt-4o-mini"), prompt: "Hello!" });
console.log(text);`,
  },
  {
    id: "langchain",
    title: "LangChain",
    language: "ts",
    file: null,
    note: null,
    text: gatewayUrl => `import { ChatOpenAI } from "@langchain/openai";

const model = new ChatOpenAI({
  model: "gpt-4o-mini",
  apiKey: process.env.TOLLGATE_KEY,
  configuration: {
    baseURL: "${gatewayUrl}/v1",
    defaultHeaders: { "X-Provider-Key": process.env.OPENAI_API_KEY, "X-Agent-ID": "researcher" },
  },
});
console.log((await model.invoke("Hello!")).content);`,
  },
  {
    id: "claude-code",
    title: "Claude Code",
    language: "sh",
    file: null,
    note: "Headers are separated by line breaks.",
    text: gatewayUrl => `export ANTHROPIC_BASE_URL=${gatewayUrl}
export ANTHROPIC_AUTH_TOKEN=$TOLLGATE_KEY
export ANTHROPIC_CUSTOM_HEADERS="X-Provider-Key: $ANTHROPIC_API_KEY
X-Agent-ID: claude-code"
env -u ANTHROPIC_API_KEY claude`,
  },
  {
    id: "codex",
    title: "Codex",
    language: "toml",
    file: "~/.codex/config.toml",
    note: "Codex speaks the Responses API, which Tollgate offers for openai and xai models.",
    text: gatewayUrl => `model = "gpt-5.2-codex"
model_provider = "tollgate"

[model_providers.tollgate]
name = "Tollgate"
base_url = "${gatewayUrl}/v1"
wire_api = "responses"
env_key = "TOLLGATE_KEY"
env_http_headers = { "X-Provider-Key" = "OPENAI_API_KEY" }
http_headers = { "X-Agent-ID" = "codex" }`,
  },
  {
    id: "opencode",
    title: "opencode",
    language: "json",
    file: "opencode.json",
    note: "Other models are further lines in models.",
    text: gatewayUrl => `{
  "$schema": "https://opencode.ai/config.json",
  "model": "tollgate/gpt-4o-mini",
  "provider": {
    "tollgate": {
      "npm": "@ai-sdk/openai-compatible",
      "name": "Tollgate",
      "options": {
        "baseURL": "${gatewayUrl}/v1",
        "apiKey": "{env:TOLLGATE_KEY}",
        "headers": { "X-Provider-Key": "{env:OPENAI_API_KEY}", "X-Agent-ID": "opencode" }
      },
      "models": { "gpt-4o-mini": { "name": "GPT-4o mini" } }
    }
  }
}`,
  },
  {
    id: "aider",
    title: "aider",
    language: "sh",
    file: null,
    note: "aider reads no variables in its settings, so this writes your provider's key to a file: keep it out of version control.",
    text: gatewayUrl => `cat > .aider.model.settings.yml <<EOF
- name: openai/gpt-4o-mini
  extra_params:
    extra_headers:
      X-Provider-Key: "$OPENAI_API_KEY"
      X-Agent-ID: aider
EOF
aider --model openai/gpt-4o-mini --openai-api-base ${gatewayUrl}/v1 --openai-api-key "$TOLLGATE_KEY"`,
  },
];
