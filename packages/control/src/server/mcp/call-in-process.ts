import type { AnyOperation } from "@tollgate/core/contract/operation";
import { operations } from "@tollgate/core/contract/operations";
import { type InputParts, splitInput } from "@tollgate/core/contract/split-input";
import { fail } from "@tollgate/core/errors";
import type { CallOperation } from "@tollgate/tools/tool";
import type { Principal } from "../../kernel/context.ts";
import type { AppParts } from "../http/app-parts.ts";
import { publicError } from "../http/error-response.ts";
import { refuseUnsafe } from "../http/refuse-unsafe.ts";
import { operationRunner, type RunOperation, strangerRunner } from "../operations/run-operation.ts";

const runners = new Map<string, RunOperation>();

/** Runs operations without the network for the request's credential, with every check that HTTP makes. */
export function callInProcess(
  { control, log }: Pick<AppParts, "control" | "log">,
  principal: Principal,
): CallOperation {
  return async (id, ...[input]) => {
    const operation: AnyOperation = operations[id];
    try {
      // The types hold the registry to the contract: this is the operation's output.
      return (await runnerOf(operation)(control, principal, () => safeInput(operation, input))) as never;
    } catch (fault) {
      throw publicError(fault, log);
    }
  };
}

/** The same for a caller without a credential. */
export function callAsStranger({ control, log }: Pick<AppParts, "control" | "log">): CallOperation {
  return async (id, ...[input]) => {
    const operation: AnyOperation = operations[id];
    try {
      const run = strangerRunner(operation, control);
      if (run === null) throw fail("missing_api_key", "This needs an API key");
      return (await run(() => safeInput(operation, input))) as never;
    } catch (fault) {
      throw publicError(fault, log);
    }
  };
}

function safeInput(operation: AnyOperation, input: object | undefined): InputParts {
  const parts = splitInput(operation, { ...input });
  refuseUnsafe(parts);
  return parts;
}

function runnerOf(operation: AnyOperation): RunOperation {
  const known = runners.get(operation.id);
  if (known !== undefined) return known;
  const runner = operationRunner(operation);
  runners.set(operation.id, runner);
  return runner;
}
