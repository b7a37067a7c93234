import { hostedTools, sharedTools, strangerTools } from "./catalog.ts";
import type { Tool } from "./tool.ts";

type Surface = "stdio" | "hosted" | "strangers";

/** The tools of each entry point. */
export const surfaces: Readonly<Record<Surface, readonly Tool[]>> = {
  stdio: sharedTools,
  hosted: [...sharedTools, ...hostedTools],
  strangers: strangerTools,
};
