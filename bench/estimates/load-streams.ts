import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { providerIds } from "@tollgate/core/provider-id";
import type { RecordedStream } from "./recording.ts";

const STREAM = /\.(sse|chunks\.txt)$/;

/**
 * `DIR/<provider>/<name>.sse`, or `<name>.chunks.txt` with one JSON frame per line; next to it, if known,
 * `<name>.request.json`.
 */
export function loadStreams(directory: string): RecordedStream[] {
  const folders = new Set(readdirSync(directory));
  return providerIds
    .filter(provider => folders.has(provider))
    .flatMap(provider => {
      const folder = join(directory, provider);
      const files = new Set(readdirSync(folder));
      return [...files]
        .filter(file => STREAM.test(file))
        .sort()
        .map(file => {
          const request = file.replace(STREAM, ".request.json");
          const bytes = readFileSync(join(folder, file));
          return {
            name: `${provider}/${file}`,
            provider,
            sse: file.endsWith(".sse") ? bytes : framed(bytes.toString()),
            request: files.has(request) ? readFileSync(join(folder, request), "utf8") : null,
          };
        });
    });
}

function framed(lines: string): Uint8Array {
  const frames = lines.split(/\r?\n/).filter(line => line.trim() !== "");
  return Buffer.from(frames.map(frame => `data: ${frame}\n\n`).join(""));
}
