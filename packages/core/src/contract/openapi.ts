import { z } from "zod";
import { errorKinds } from "../errors.ts";
import { tierTitles } from "../limits/tiers.ts";
import { API_VERSION } from "./api-version.ts";
import type { AnyOperation } from "./operation.ts";
import { operations } from "./operations.ts";

type Json = Record<string, unknown>;

/** The web API in OpenAPI 3.1, made from the contract. `generated/openapi.json` is held equal to it by a test. */
export function openApiDocument(): Json {
  const schemas: Record<string, unknown> = {
    Error: {
      type: "object",
      properties: { error: { type: "string", description: "A sentence for people" } },
      required: ["error"],
    },
  };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of Object.values<AnyOperation>(operations)) {
    const path = operation.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation, schemas) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Tollgate",
      version: API_VERSION,
      description:
        "The management API. Costs are whole microcents: $1 is 10,000,000. Times are ISO 8601, in UTC. Every error has `error`, a sentence.",
    },
    // Relative, so that a page that tries operations calls the server that served the document.
    servers: [{ url: "/" }],
    security: [{ apiKey: [] }, { session: [] }],
    tags: [...new Set(Object.values<AnyOperation>(operations).map(tagOf))].map(name => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "An API key: `sk_live_…` or `sk_test_…`" },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "tollgate.session_token",
          description: "A signed-in member",
        },
      },
      schemas,
      responses: Object.fromEntries(
        Object.entries(meaning).map(([status, description]) => [
          `Error${status}`,
          { description, content: error },
        ]),
      ),
    },
  };
}

function describe(operation: AnyOperation, schemas: Record<string, unknown>): Json {
  const { params, query, body } = operation;
  const parameters = [
    ...parametersOf(params, "path", schemas),
    ...parametersOf(query, "query", schemas),
    ...(operation.scope === null ? [] : [modeParameter]),
  ];
  return {
    operationId: operation.id,
    tags: [tagOf(operation)],
    summary: operation.summary,
    ...(operation.scope === null ? { security: [] } : { description: needs(operation) }),
    ...(operation.isForPeople ? { security: [{ session: [] }] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? {
          requestBody: {
            required: requiredOf(schemaOf(body, "input", schemas)).length > 0,
            content: { "application/json": { schema: schemaOf(body, "input", schemas) } },
          },
        }
      : {}),
    responses: { [operation.status]: success(operation, schemas), ...failures(operation) },
  };
}

const modeParameter = {
  name: "mode",
  in: "query",
  required: false,
  description: "Which traffic a session sees; a key always uses its own mode",
  schema: { type: "string", enum: ["live", "test"] },
};

function tagOf(operation: AnyOperation): string {
  return operation.id.split(".")[0] ?? operation.id;
}

function needs({ scope, role, isForPeople, minTier }: AnyOperation): string {
  if (isForPeople) return "Needs a signed-in member; API keys are refused.";
  const tier = minTier === undefined ? "" : ` Requires the ${tierTitles[minTier]} tier or higher.`;
  return `Needs a key with scope ${scope}, or a member with role ${role}.${tier}`;
}

function parametersOf(
  shape: z.ZodObject | undefined,
  place: string,
  schemas: Record<string, unknown>,
): Json[] {
  if (shape === undefined) return [];
  const object = schemaOf(shape, "input", schemas);
  const required = requiredOf(object);
  return Object.entries(asRecord(object.properties)).map(([name, schema]) => {
    const { description, ...rest } = asRecord(schema);
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

function success(operation: AnyOperation, schemas: Record<string, unknown>): Json {
  if (operation.produces) {
    const content = operation.produces.map(type => [type, { schema: { type: "string" } }]);
    return { description: "A file", content: Object.fromEntries(content) };
  }
  if (operation.output === undefined) return { description: "Done; no content" };
  return {
    description: "Done",
    content: { "application/json": { schema: schemaOf(operation.output, "output", schemas) } },
  };
}

const meaning: Readonly<Record<number, string>> = {
  400: "Something that was sent is wrong; the sentence names it",
  401: "No credential, or one that is not valid",
  402: "The tier does not include this (see `required_tier`, `current_tier`, `upgrade_url`), or no verification is left (`status` is `payment_required`)",
  403: "The credential does not allow this, the organization is not active, or it has not turned a feature on (`next_step`)",
  404: "There is no such object in this organization",
  408: "The body was not complete in time; the connection is closed",
  413: "The body is larger than 10,485,760 bytes",
  429: "More requests within a minute than the limit; see `limit`, `current`, `reset_at`, `retry_after` and the headers `Retry-After` and `RateLimit-*`",
  500: "A fault of ours",
};

const error = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };

function failures(operation: AnyOperation): Json {
  const statuses =
    operation.scope === null
      ? [errorKinds.internal.status, ...(operation.params ? [404, 429] : [])]
      : [
          400,
          401,
          403,
          408,
          413,
          429,
          500,
          ...(operation.params ? [404] : []),
          ...(operation.minTier === undefined ? [] : [402]),
          ...(operation.refusals ?? []),
        ];
  return Object.fromEntries(
    statuses.toSorted().map(status => [status, { $ref: `#/components/responses/Error${status}` }]),
  );
}

/** A schema's JSON; resources with a name move to the components, once. */
function schemaOf(schema: z.ZodType, io: "input" | "output", schemas: Record<string, unknown>): Json {
  const { $schema: _dialect, $defs, ...json } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  for (const [name, inner] of Object.entries($defs ?? {})) {
    schemas[name] ??= lifted({ ...inner, id: undefined });
  }
  return asRecord(lifted(json));
}

/** References point to the components instead of into the schema itself. */
function lifted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lifted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([name, inner]) =>
        name === "$ref" && typeof inner === "string"
          ? [name, inner.replace("#/$defs/", "#/components/schemas/")]
          : [name, lifted(inner)],
      ),
  );
}

function requiredOf(object: Json): unknown[] {
  return Array.isArray(object.required) ? object.required : [];
}

function asRecord(value: unknown): Json {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
