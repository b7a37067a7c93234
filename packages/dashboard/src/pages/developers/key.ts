import type { Output } from "../../data/use-operation.ts";

export type Key = Output<"keys.list">["keys"][number];
