import { describe, expect, it } from "bun:test";
import { layOut } from "./layout.ts";

const node = (agent_id: string, call_count = 1) => ({ agent_id, call_count });
const edge = (from: string, to: string, count = 1) => ({ from, to, count });
const layerOf = (places: ReturnType<typeof layOut>, id: string) => places.get(id)?.layer;

describe("the layout of the topology", () => {
  it("places who takes over to the right of who hands over", () => {
    const places = layOut(
      [node("c"), node("a"), node("b")],
      [edge("a", "b"), edge("b", "c"), edge("a", "c")],
    );
    expect(["a", "b", "c"].map(id => layerOf(places, id))).toEqual([0, 1, 2]);
  });

  it("draws the rarest edge of a cycle backwards", () => {
    const places = layOut([node("a"), node("b")], [edge("b", "a", 1), edge("a", "b", 9)]);
    expect([layerOf(places, "a"), layerOf(places, "b")]).toEqual([0, 1]);
  });

  it("gives every agent a place of its own, whatever the edges name", () => {
    const nodes = Array.from({ length: 500 }, (_, index) => node(`n${index}`, index));
    const edges = Array.from({ length: 2000 }, (_, index) =>
      edge(`n${(index * 7) % 500}`, `n${(index * 13 + 1) % 500}`, index),
    );
    const places = layOut(nodes, [...edges, edge("n1", "n1"), edge("n1", "unknown")]);
    expect(places.size).toBe(500);
    expect(new Set([...places.values()].map(({ layer, row }) => `${layer} ${row}`)).size).toBe(500);
  });
});
