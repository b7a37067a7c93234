import { fail } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { isJsonObject } from "@tollgate/core/wire/json-fields";
import { type ModelCapabilities, modelCapabilities } from "./model-traits.ts";

/** Adapts a request written for another Claude model: omits or rewrites what this one would reject. */
export function fitModel(body: JsonObject, model: string): JsonObject {
  const capabilities = modelCapabilities(model);
  if (!capabilities.forcedTools && forcesTool(body))
    throw fail("unsupported_feature", `${model} cannot be forced to call a tool`);
  const fitted: Record<string, unknown> = { ...body };
  if (!capabilities.sampling) {
    delete fitted.temperature;
    delete fitted.top_p;
    delete fitted.top_k;
  }
  // Models from 4.1 on reject both together.
  if (capabilities.structuredOutput && isSet(fitted.temperature)) delete fitted.top_p;
  fitThinking(fitted, capabilities);
  fitEffort(fitted, capabilities);
  return fitted;
}

function forcesTool({ tool_choice: choice }: JsonObject): boolean {
  return isJsonObject(choice) && (choice.type === "any" || choice.type === "tool");
}

function fitThinking(body: Record<string, unknown>, capabilities: ModelCapabilities): void {
  if (!isJsonObject(body.thinking)) return;
  const { type, display } = body.thinking;
  if (type === "enabled" && !capabilities.budgetThinking) {
    if (capabilities.adaptiveThinking) {
      body.thinking = { type: "adaptive", ...(display !== undefined && { display }) };
    } else delete body.thinking;
  }
  const cannotAdapt = type === "adaptive" && !capabilities.adaptiveThinking;
  if (cannotAdapt || (type === "disabled" && !capabilities.canDisableThinking)) delete body.thinking;
}

function fitEffort(body: Record<string, unknown>, capabilities: ModelCapabilities): void {
  if (!isJsonObject(body.output_config) || body.output_config.effort === undefined) return;
  const { effort, ...rest } = body.output_config;
  if (!capabilities.adaptiveThinking) {
    if (Object.keys(rest).length > 0) body.output_config = rest;
    else delete body.output_config;
  } else if (effort === "xhigh" && !capabilities.xhighEffort) {
    body.output_config = { ...rest, effort: "high" };
  }
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
