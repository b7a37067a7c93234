import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { openApiDocument } from "@tollgate/core/contract/openapi";
import type { AnyOperation } from "@tollgate/core/contract/operation";
import { operations } from "@tollgate/core/contract/operations";
import { specEndpoints } from "../../spec-surface.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly { name: string; in: string; required: boolean; schema: unknown }[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Document {
  readonly openapi: string;
  readonly info: { title: string; version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

describe("the API's description", () => {
  it("WEB-013 equals docs/openapi.json, a link to the generated file (if not: npm run generate)", async () => {
    const committed = await Bun.file(`${import.meta.dir}/../../../docs/openapi.json`).json();
    expect(committed).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
    expect(await (await lab.send("/api/openapi.json")).json()).toEqual(committed);
  });

  it("WEB-013 is OpenAPI 3.1 of version 1.11.0 and describes every operation, and nothing else", async () => {
    const document = (await (await lab.send("/api/openapi.json")).json()) as Document;
    expect([document.openapi, document.info.version]).toEqual(["3.1.0", "1.11.0"]);
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`,
      ),
    );
    const declared = Object.values<AnyOperation>(operations).map(
      ({ id, method, path }) => `${id} ${method} ${path.replace(/:(\w+)/g, "{$1}")}`,
    );
    expect(described.toSorted()).toEqual(declared.toSorted());
  });

  it("WEB-018 has the shape of every specified endpoint", async () => {
    const document = (await (await lab.send("/api/openapi.json")).json()) as Document;
    const requests = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
    );
    const missing = specEndpoints
      .map(({ method, path }) => `${method} ${path}`)
      .filter(name => !requests.includes(name));
    expect(missing).toEqual([]);
  });

  it("WEB-013 is valid: references resolve, path parameters are declared and required, ids are unique", async () => {
    const document = (await (await lab.send("/api/openapi.json")).json()) as Document;
    for (const reference of referencesIn(document)) {
      const [, ...steps] = reference.split("/");
      let at: unknown = document;
      for (const step of steps) at = (at as Record<string, unknown> | undefined)?.[step];
      expect([reference, typeof at]).toEqual([reference, "object"]);
    }
    const ids = new Set<string>();
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const described of Object.values(methods)) {
        expect(ids.has(described.operationId)).toBe(false);
        ids.add(described.operationId);
        const inPath = (described.parameters ?? []).filter(parameter => parameter.in === "path");
        expect(inPath.map(({ name }) => name)).toEqual(
          [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ""),
        );
        expect(inPath.every(({ required }) => required)).toBe(true);
        expect(Object.keys(described.responses).length).toBeGreaterThan(0);
        for (const { schema } of described.parameters ?? []) expect(schema).toBeObject();
      }
    }
  });

  it("documents 402 for everything that has to be paid for: a tier, more budgets, a verification", () => {
    const document: { paths: Document["paths"] } = JSON.parse(JSON.stringify(openApiDocument()));
    const refusing = Object.values(document.paths)
      .flatMap(methods => Object.values(methods))
      .filter(({ responses }) => "402" in responses)
      .map(({ operationId }) => operationId);
    const tiered = Object.values<AnyOperation>(operations).filter(({ minTier }) => minTier !== undefined);
    expect(refusing.toSorted()).toEqual(
      [...tiered.map(({ id }) => id), "budgets.create", "budgets.set", "verify.requests.create"].toSorted(),
    );
  });
});

function referencesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === "$ref" && typeof inner === "string" ? [inner] : referencesIn(inner),
  );
}
