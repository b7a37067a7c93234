import { drawCustomer } from "./customers.ts";
import { type Draw, drawFrom } from "./draw.ts";
import {
  type AgentKey,
  agentKeys,
  EXPERIMENT_AGENT,
  habitsOf,
  LOOPING_AGENT,
  UNPRICED_MODEL,
} from "./fleet.ts";

/** A call that is sent through the gateway, where the simulator answers test traffic. */
export interface PlannedCall {
  readonly path: "/v1/chat/completions" | "/v1/messages" | "/v1/embeddings";
  readonly agent: AgentKey;
  readonly session: string | null;
  readonly customer: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

const BYTES_PER_TOKEN = 4;
const PAD = "The customer wrote before about a similar order and was told to wait. ";

const topics = [
  "a parcel that has not arrived",
  "an invoice with the wrong address",
  "a password that cannot be reset",
  "a refund that is late",
  "an export that stops halfway",
  "a price that changed over night",
] as const;

/** A prompt that begins with the text and has about this many tokens. */
function padded(text: string, tokens: number): string {
  const missing = tokens * BYTES_PER_TOKEN - text.length;
  return missing <= 0 ? text : `${text} ${PAD.repeat(Math.ceil(missing / PAD.length)).slice(0, missing)}`;
}

/** An agent that answers its own answers: the prompt grows with every turn until something stops it. */
export function loopCall(turn: number): PlannedCall {
  return {
    path: "/v1/messages",
    agent: LOOPING_AGENT,
    session: "inbox-loop",
    customer: null,
    body: {
      model: "claude-sonnet-4-5",
      max_tokens: 400,
      messages: [
        { role: "user", content: padded(`Sort this message again, attempt ${turn + 1}.`, 1500 + 250 * turn) },
      ],
    },
  };
}

/** Conversations of two calls each, which an experiment splits by session. */
export function experimentCalls(seed: number, sessions: number): PlannedCall[] {
  const draw = drawFrom(seed + 1);
  return Array.from({ length: sessions }, (_, index) => index).flatMap(index => {
    const ask = (text: string): PlannedCall => ({
      path: "/v1/messages",
      agent: EXPERIMENT_AGENT,
      session: experimentSession(index),
      customer: "northwind",
      body: {
        model: "claude-sonnet-4-5",
        max_tokens: 800,
        messages: [{ role: "user", content: padded(text, draw.logNormal(180, 0.8)) }],
      },
    });
    return [
      ask(`Ticket ${index}: a customer asks about ${draw.pick(topics)}.`),
      ask(`Ticket ${index}: thank the customer and close it.`),
    ];
  });
}

export const experimentSession = (index: number) => `ticket-${index}`;

/** A switch to be verified, on calls of an agent without sessions: each of its pairs counts at once. */
export interface PlannedVerification {
  readonly agent: AgentKey;
  readonly prodModel: string;
  readonly candidateModel: string;
  readonly policy: { readonly name: string; readonly margin: number; readonly max_pairs: number };
  call(index: number): PlannedCall;
}

/** One holds, one degrades, and one is asked for more certainty than its pairs can give. */
export function planVerifications(seed: number): PlannedVerification[] {
  const draw = drawFrom(seed + 2);
  const everyday = { name: "Everyday", margin: 0.1, max_pairs: 300 };
  return [
    {
      agent: "reply-drafter",
      prodModel: "gpt-4o",
      candidateModel: "gpt-4o-mini",
      policy: everyday,
      // Some are streamed at the pace of a real model; a candidate's answer is never slower than those.
      call(index) {
        const call = chatOf("reply-drafter", "gpt-4o", draftPrompt(draw, index), draw);
        return index % 3 === 0 ? streamed(call) : call;
      },
    },
    {
      agent: "product-tagger",
      prodModel: "gpt-4.1",
      candidateModel: "gpt-4.1-nano",
      policy: everyday,
      call: index =>
        chatOf("product-tagger", "gpt-4.1", `Tag product ${index}: a ${draw.pick(products)}, new.`, draw),
    },
    {
      agent: "invoice-extractor",
      prodModel: "gemini-2.5-pro",
      candidateModel: "gemini-2.5-flash",
      policy: { name: "Strict", margin: 0.02, max_pairs: 60 },
      call: index => invoiceCall(index, draw),
    },
  ];
}

const products = ["lamp", "chair", "desk", "kettle", "bicycle", "tent", "camera"] as const;

function draftPrompt(draw: Draw, index: number): string {
  return padded(
    `Draft a reply to message ${index} about ${draw.pick(topics)}.`,
    Math.min(4000, draw.logNormal(240, 0.8)),
  );
}

function chatOf(agent: AgentKey, model: string, content: string, draw: Draw): PlannedCall {
  return {
    path: "/v1/chat/completions",
    agent,
    session: null,
    customer: draw.pick(["northwind", "blueharbor", "silverfield"]),
    body: { model, messages: [{ role: "user", content }] },
  };
}

function streamed(call: PlannedCall): PlannedCall {
  return { ...call, body: { ...call.body, stream: true, stream_options: { include_usage: true } } };
}

function invoiceCall(index: number, draw: Draw): PlannedCall {
  const call = chatOf(
    "invoice-extractor",
    "gemini-2.5-pro",
    padded(`Extract the fields of invoice ${index}.`, Math.min(4000, draw.logNormal(900, 0.7))),
    draw,
  );
  const schema = {
    type: "object",
    properties: {
      supplier: { type: "string" },
      number: { type: "string" },
      total_cents: { type: "integer" },
    },
    required: ["supplier", "number", "total_cents"],
    additionalProperties: false,
  };
  return {
    ...call,
    body: {
      ...call.body,
      response_format: { type: "json_schema", json_schema: { name: "invoice", strict: true, schema } },
    },
  };
}

/** Embeddings, and a few failures as the gateway itself records them. */
export function assortedCalls(): PlannedCall[] {
  const embeddings = Array.from(
    { length: 12 },
    (_, index): PlannedCall => ({
      path: "/v1/embeddings",
      agent: "knowledge-indexer",
      session: null,
      customer: null,
      body: { model: "text-embedding-3-small", input: padded(`Article ${index}.`, 100 + 60 * index) },
    }),
  );
  const failures = ["rate_limit", "rate_limit", "overload", "rate_limit", "reset"].map(
    (kind, index): PlannedCall => ({
      path: "/v1/chat/completions",
      agent: "support-triage",
      session: `triage-${index}`,
      customer: "northwind",
      body: {
        model: "gpt-4o-mini",
        messages: [{ role: "user", content: `Which team is this for? tollgate:simulate=${kind}` }],
      },
    }),
  );
  return [...embeddings, ...failures];
}

const chattyAgents = agentKeys.filter(
  // The first is refused by its budget, and the gateway does not know the model of the other.
  key => key !== LOOPING_AGENT && habitsOf(key).models.every(({ model }) => model !== UNPRICED_MODEL),
);
const MAX_MESSAGE_TOKENS = 6000;

/** Ordinary calls of all agents, every other one of them by the given agent. */
export function everydayCalls(seed: number, count: number, favourite: AgentKey | null): PlannedCall[] {
  const draw = drawFrom(seed + 3);
  return Array.from({ length: count }, (_, index) => {
    const drawn = chattyAgents[draw.between(0, chattyAgents.length - 1)] ?? EXPERIMENT_AGENT;
    return everydayCall(favourite !== null && index % 2 === 0 ? favourite : drawn, index, draw);
  });
}

function everydayCall(agent: AgentKey, index: number, draw: Draw): PlannedCall {
  const { models, message, stream } = habitsOf(agent);
  const model = models[draw.weighted(models.map(({ weight }) => weight))]?.model ?? "";
  const content = padded(
    `Case ${index}, about ${draw.pick(topics)}.`,
    Math.min(MAX_MESSAGE_TOKENS, draw.logNormal(...message)),
  );
  if (model.startsWith("text-embedding")) {
    return { path: "/v1/embeddings", agent, session: null, customer: null, body: { model, input: content } };
  }
  const call: PlannedCall = {
    path: "/v1/chat/completions",
    agent,
    session: `case-${Math.floor(index / 3)}`,
    customer: drawCustomer(draw),
    body: { model, messages: [{ role: "user", content }] },
  };
  return stream ? streamed(call) : call;
}
