import { undoOnExit } from "../kit/at-exit.ts";
import { progress } from "../kit/progress.ts";
import { temporaryDirectory } from "../kit/temporary-directory.ts";
import { buildData, OtherData } from "./build-data.ts";
import { type DataOptions, optionsUsage, readOptions } from "./options.ts";

export interface PreparedData extends DataOptions {
  readonly folder: string;
}

/** Builds the data that a bench's arguments describe, or finds it. null: they are invalid, and the user knows why. */
export async function prepareData(bench: string, args: readonly string[]): Promise<PreparedData | null> {
  let options: DataOptions;
  try {
    options = readOptions(args);
  } catch (error) {
    console.error(
      `${error instanceof Error ? error.message : "bad arguments"}\nusage: bench ${bench} ${optionsUsage}`,
    );
    return null;
  }
  undoOnExit();
  const folder = options.data ?? temporaryDirectory(bench);
  try {
    progress(`the data directory was ${await buildData(folder, options)}`);
  } catch (error) {
    if (!(error instanceof OtherData)) throw error;
    console.error(error.message);
    return null;
  }
  return { ...options, folder };
}
