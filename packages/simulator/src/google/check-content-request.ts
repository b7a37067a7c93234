import { maxOutputTokens } from "@tollgate/core/models/max-output";
import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";
import { listOf, numberOrNull, objectOf, textOf } from "../json-object.ts";
import { type GoogleProblem, invalidArgument, unknownField } from "./google-error.ts";
import { generatesImages, signsCalls, signsImages, takesFormatBesideTools } from "./model-traits.ts";
import { pickField, toCamel } from "./pick-field.ts";
import { functionCall, functionResponse, partsOf } from "./read-content-prompt.ts";

const words = (text: string) => new Set(text.split(/\s+/));

const requestFields = words(
  "contents systemInstruction tools toolConfig safetySettings generationConfig cachedContent serviceTier labels model store",
);
const configFields = words(
  `temperature topP topK candidateCount maxOutputTokens stopSequences seed presencePenalty frequencyPenalty
  responseMimeType responseSchema responseJsonSchema responseModalities responseLogprobs logprobs thinkingConfig
  speechConfig imageConfig mediaResolution enableEnhancedCivicAnswers audioTimestamp responseFormat`,
);
/** The subset of OpenAPI that `parameters` and `responseSchema` understand. */
const schemaFields = words(
  `type format title description nullable enum maxItems minItems properties required minProperties maxProperties
  minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum`,
);

/** As strict as the real API where a wrong translation would show; null if it would accept the request. */
export function checkContentRequest(model: string, body: JsonObject, stream: boolean): GoogleProblem | null {
  return (
    checkFields(body) ??
    checkConfig(model, body, stream) ??
    checkTools(model, body) ??
    checkContents(model, body)
  );
}

function checkFields(body: JsonObject): GoogleProblem | null {
  const unknown = Object.keys(body).find(key => !requestFields.has(toCamel(key)));
  if (unknown !== undefined) return unknownField(unknown, "");
  if (listOf(body.contents).length === 0) {
    return invalidArgument("* GenerateContentRequest.contents: contents is not specified\n");
  }
  return null;
}

function checkConfig(model: string, body: JsonObject, stream: boolean): GoogleProblem | null {
  const config = objectOf(pickField(body, "generationConfig"));
  const unknown = Object.keys(config).find(key => !configFields.has(toCamel(key)));
  if (unknown !== undefined) return unknownField(unknown, "generation_config");
  const limit = numberOrNull(pickField(config, "maxOutputTokens"));
  const most = stream || !/^gemini-4/.test(model) ? maxOutputTokens("google", model) : 32_768;
  if (limit !== null && limit > most) {
    return invalidArgument(
      `Unable to submit request because it has a maxOutputTokens value of ${limit} but the supported range is from 1 (inclusive) to ${most + 1} (exclusive). Update the value and try again.`,
    );
  }
  const modalities = listOf(pickField(config, "responseModalities"));
  if (modalities.some(modality => textOf(modality).toUpperCase() === "IMAGE") && !generatesImages(model)) {
    return invalidArgument(
      `The requested combination of response modalities (${modalities.join(", ")}) is not supported by the model. models/${model} accepts the following combination of response modalities:\n* TEXT\n`,
    );
  }
  const thinking = objectOf(pickField(config, "thinkingConfig"));
  if (
    pickField(thinking, "thinkingBudget") !== undefined &&
    pickField(thinking, "thinkingLevel") !== undefined
  ) {
    return invalidArgument("You can only set only one of thinking budget and thinking level.");
  }
  const schema = pickField(config, "responseSchema");
  const typed = schema ?? pickField(config, "responseJsonSchema");
  if (typed !== undefined && pickField(config, "responseMimeType") !== "application/json") {
    return invalidArgument("A response schema is only allowed with response mime type 'application/json'.");
  }
  return schema === undefined ? null : checkSchema(schema, "generation_config.response_schema");
}

function checkTools(model: string, body: JsonObject): GoogleProblem | null {
  const mimeType = pickField(objectOf(pickField(body, "generationConfig")), "responseMimeType");
  const hasFunctions = listOf(body.tools).some(
    tool => listOf(pickField(objectOf(tool), "functionDeclarations")).length > 0,
  );
  if (mimeType === "application/json" && hasFunctions && !takesFormatBesideTools(model)) {
    return invalidArgument("Function calling with a response mime type: 'application/json' is unsupported");
  }
  for (const [at, tool] of listOf(body.tools).entries()) {
    const declarations = listOf(pickField(objectOf(tool), "functionDeclarations"));
    for (const [index, entry] of declarations.entries()) {
      const declaration = objectOf(entry);
      const place = `tools[${at}].function_declarations[${index}]`;
      if (!/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/.test(textOf(declaration.name))) {
        return invalidArgument(`* GenerateContentRequest.${place}.name: Invalid function name.\n`);
      }
      const problem =
        declaration.parameters === undefined
          ? null
          : checkSchema(declaration.parameters, `${place}.parameters`);
      if (problem) return problem;
    }
  }
  return null;
}

function checkSchema(schema: unknown, place: string): GoogleProblem | null {
  if (!isJsonObject(schema)) return invalidArgument(`Invalid value at '${place}': a schema is an object.`);
  const unknown = Object.keys(schema).find(key => !schemaFields.has(toCamel(key)));
  if (unknown !== undefined) return unknownField(unknown, place);
  if (schema.type !== undefined && typeof schema.type !== "string") {
    return invalidArgument(
      `Invalid value at '${place}.type': Proto field is not repeating, cannot start list.`,
    );
  }
  const inner: [string, unknown][] = [
    ...Object.entries(objectOf(schema.properties)).map(([key, value]): [string, unknown] => [
      `${place}.properties[${key}]`,
      value,
    ]),
    ...listOf(pickField(schema, "anyOf")).map((value, at): [string, unknown] => [
      `${place}.any_of[${at}]`,
      value,
    ]),
    ...(schema.items === undefined ? [] : [[`${place}.items`, schema.items] satisfies [string, unknown]]),
  ];
  for (const [at, value] of inner) {
    const problem = checkSchema(value, at);
    if (problem) return problem;
  }
  return null;
}

function checkContents(model: string, body: JsonObject): GoogleProblem | null {
  let open = 0;
  for (const [at, entry] of listOf(body.contents).entries()) {
    const content = objectOf(entry);
    const parts = partsOf(content);
    const role = content.role;
    if (role !== undefined && role !== "user" && role !== "model" && role !== "function") {
      return invalidArgument("Please use a valid role: user, model.");
    }
    if (parts.length === 0) {
      return invalidArgument(
        `* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.\n`,
      );
    }
    const responses = parts.filter(part => functionResponse(part) !== null);
    for (const [index, part] of parts.entries()) {
      const response = functionResponse(part);
      if (response && textOf(response.name) === "") {
        const place = `contents[${at}].parts[${index}].function_response.name`;
        return invalidArgument(`* GenerateContentRequest.${place}: Name cannot be empty.\n`);
      }
      if (response && !isJsonObject(response.response)) {
        return invalidArgument(
          `Invalid value at 'contents[${at}].parts[${index}].function_response.response'`,
        );
      }
    }
    if (responses.length !== open) {
      return invalidArgument(
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      );
    }
    const calls = parts.filter(part => functionCall(part) !== null);
    open = calls.length;
    // Of parallel calls only the first is signed. The sentinel that skips the check counts as a signature.
    const [first] = calls;
    if (first && signsCalls(model) && textOf(pickField(first, "thoughtSignature")) === "") {
      return invalidArgument("Function call is missing a thought_signature in functionCall parts.");
    }
    const unsigned = role === "model" && signsImages(model) ? findUnsigned(parts) : -1;
    if (unsigned !== -1) {
      const kind = parts[unsigned]?.text === undefined ? "Image" : "Text";
      return invalidArgument(
        `${kind} part is missing a thought_signature in content position ${at + 1}, part position ${unsigned + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
      );
    }
  }
  return open === 0
    ? null
    : invalidArgument("Please ensure that function call turn is followed by a function response turn.");
}

/** Of an image model's answer the first part and every image are signed. */
function findUnsigned(parts: readonly JsonObject[]): number {
  return parts.findIndex(
    (part, at) =>
      (at === 0 || pickField(part, "inlineData") !== undefined) &&
      textOf(pickField(part, "thoughtSignature")) === "",
  );
}
