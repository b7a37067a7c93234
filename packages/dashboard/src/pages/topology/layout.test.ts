import { describe, expect, it } from "bun:test";
import { layOut } from "./layout.ts";

const node = (agent_id: string, call_count = 1) => ({ agent_id, call_count });
const edge = (from: string, to: string, count = 1) => ({ from, to, count });
const columnOf = (places: ReturnType<typeof layOut>, id: string) => places.get(id)?.column;
const columnsIn = (places: ReturnType<typeof layOut>) =>
  new Set([...places.values()].map(({ column }) => column));

describe("the layout of the topology", () => {
  it("places who takes over to the right of who hands over", () => {
    const places = layOut(
      [node("c"), node("a"), node("b")],
      [edge("a", "b"), edge("b", "c"), edge("a", "c")],
      5,
    );
    expect(["a", "b", "c"].map(id => columnOf(places, id))).toEqual([0, 1, 2]);
  });

  it("draws the rarest edge of a cycle backwards", () => {
    const places = layOut([node("a"), node("b")], [edge("b", "a", 1), edge("a", "b", 9)], 5);
    expect([columnOf(places, "a"), columnOf(places, "b")]).toEqual([0, 1]);
  });

  it("gives every agent a place of its own, whatever the edges name", () => {
    const nodes = Array.from({ length: 500 }, (_, index) => node(`n${index}`, index));
    const edges = Array.from({ length: 2000 }, (_, index) =>
      edge(`n${(index * 7) % 500}`, `n${(index * 13 + 1) % 500}`, index),
    );
    const places = layOut(nodes, [...edges, edge("n1", "n1"), edge("n1", "unknown")], 5);
    expect(places.size).toBe(500);
    expect(new Set([...places.values()].map(({ column, row }) => `${column} ${row}`)).size).toBe(500);
    expect(columnsIn(places).size).toBe(5);
  });

  it("needs no more columns than there is room for: a long chain keeps its order", () => {
    const ids = Array.from({ length: 12 }, (_, index) => `n${index}`);
    const places = layOut(
      ids.map(id => node(id)),
      ids.slice(1).map((id, index) => edge(`n${index}`, id)),
      4,
    );
    expect(ids.map(id => columnOf(places, id))).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3]);
  });

  it("divides a long column, so that the picture is not much higher than wide, also beside a long chain", () => {
    const workers = Array.from({ length: 40 }, (_, index) => `w${index}`);
    const chain = Array.from({ length: 10 }, (_, index) => `c${index}`);
    const star = workers.map(id => edge("router", id));
    const rowsWith = (ids: readonly string[], edges: readonly ReturnType<typeof edge>[], columns: number) => {
      const places = layOut(
        ids.map(id => node(id)),
        edges,
        columns,
      );
      expect(columnsIn(places).size).toBe(columns);
      expect(columnOf(places, "router")).toBe(0);
      return 1 + Math.max(...[...places.values()].map(({ row }) => row));
    };
    expect([2, 3, 5, 9].map(columns => rowsWith(["router", ...workers], star, columns))).toEqual([
      40, 20, 10, 5,
    ]);
    const edges = [...star, ...chain.slice(1).map((id, index) => edge(`c${index}`, id))];
    expect(rowsWith(["router", ...workers, ...chain], edges, 5)).toBeLessThan(20);
  });
});
