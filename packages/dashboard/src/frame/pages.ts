import { useRouter } from "@tanstack/react-router";
import type { IconName } from "../parts/icon.tsx";

export interface PageEntry {
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  readonly key: string | undefined;
}

interface RouteNode {
  readonly options: {
    readonly path?: string;
    readonly staticData?: { readonly title?: string; readonly icon?: IconName; readonly key?: string };
  };
}

/** The pages with an icon, in the order of the route list (`app/routes.ts`). */
export function usePages(): readonly PageEntry[] {
  const { routeTree } = useRouter();
  const children: readonly RouteNode[] = Object.values(routeTree.children ?? {});
  return children.flatMap(({ options: { path, staticData } }) =>
    path !== undefined && staticData?.title !== undefined && staticData.icon !== undefined
      ? [{ path, title: staticData.title, icon: staticData.icon, key: staticData.key }]
      : [],
  );
}
