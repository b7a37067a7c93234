/**
 * Does what a coding agent does with its settings: reads them as it does, and makes one call. The programs themselves
 * are not installed here. `bun coding-agent-stand-in.ts claude|codex|opencode|aider [arguments]`
 */
import { parseArgs } from "node:util";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText } from "ai";

const [program, ...args] = process.argv.slice(2);
const env = (name: string) => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
};

async function post(url: string, headers: Record<string, string>, body: unknown): Promise<void> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}

const messages = [{ role: "user", content: "Hello!" }];

const programs: Readonly<Record<string, () => Promise<void>>> = {
  claude() {
    // With both, Claude Code asks which one to use.
    if (process.env.ANTHROPIC_API_KEY !== undefined) throw new Error("ANTHROPIC_API_KEY is set");
    const lines = env("ANTHROPIC_CUSTOM_HEADERS").split("\n");
    const custom = lines.map(line => [
      line.slice(0, line.indexOf(":")),
      line.slice(line.indexOf(":") + 1).trim(),
    ]);
    const headers = {
      authorization: `Bearer ${env("ANTHROPIC_AUTH_TOKEN")}`,
      "anthropic-version": "2023-06-01",
    };
    return post(
      `${env("ANTHROPIC_BASE_URL")}/v1/messages?beta=true`,
      { ...headers, ...Object.fromEntries(custom) },
      { model: "claude-sonnet-4-6", max_tokens: 100, messages },
    );
  },

  async codex() {
    const settings = Bun.TOML.parse(await Bun.file("config.toml").text()) as {
      readonly model: string;
      readonly model_provider: string;
      readonly model_providers: Readonly<
        Record<
          string,
          {
            readonly base_url: string;
            readonly wire_api: string;
            readonly env_key: string;
            readonly env_http_headers: Record<string, string>;
            readonly http_headers: Record<string, string>;
          }
        >
      >;
    };
    const provider = settings.model_providers[settings.model_provider];
    if (provider?.wire_api !== "responses") throw new Error("Codex speaks only the Responses API");
    const fromEnv = Object.entries(provider.env_http_headers).map(([name, from]) => [name, env(from)]);
    await post(
      `${provider.base_url}/responses`,
      {
        authorization: `Bearer ${env(provider.env_key)}`,
        ...provider.http_headers,
        ...Object.fromEntries(fromEnv),
      },
      { model: settings.model, input: "Hello!" },
    );
  },

  async opencode() {
    const text = (await Bun.file("opencode.json").text()).replace(/\{env:(\w+)\}/g, (_, name) => env(name));
    const settings = JSON.parse(text) as {
      readonly model: string;
      readonly provider: Readonly<
        Record<
          string,
          {
            readonly npm: string;
            readonly options: {
              readonly baseURL: string;
              readonly apiKey: string;
              readonly headers: Record<string, string>;
            };
            readonly models: Readonly<Record<string, unknown>>;
          }
        >
      >;
    };
    const [id = "", model = ""] = settings.model.split("/");
    const provider = settings.provider[id];
    if (provider?.npm !== "@ai-sdk/openai-compatible" || !(model in provider.models)) {
      throw new Error("the model is not one of the provider's");
    }
    const client = createOpenAICompatible({ name: id, ...provider.options });
    await generateText({ model: client(model), prompt: "Hello!" });
  },

  async aider() {
    const options = { type: "string" } as const;
    const { values } = parseArgs({
      args,
      options: { model: options, "openai-api-base": options, "openai-api-key": options },
    });
    const settings = Bun.YAML.parse(await Bun.file(".aider.model.settings.yml").text()) as readonly {
      readonly name: string;
      readonly extra_params: { readonly extra_headers: Record<string, string> };
    }[];
    const own = settings.find(({ name }) => name === values.model);
    if (own === undefined) throw new Error("the settings have another model");
    await post(
      `${values["openai-api-base"]}/chat/completions`,
      { authorization: `Bearer ${values["openai-api-key"]}`, ...own.extra_params.extra_headers },
      { model: values.model?.replace("openai/", ""), messages },
    );
  },
};

const run = programs[program ?? ""];
if (run === undefined) throw new Error(`there is no stand-in for ${program}`);
await run();
