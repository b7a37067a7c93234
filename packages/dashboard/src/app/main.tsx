import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "../data/query-client.ts";
import { scopeOf } from "../data/scope.tsx";
import { askWhoIsSignedIn } from "../data/session-queries.ts";
import { returnFromSignIn } from "../data/sign-in.ts";
import { parseQuery, readViewSearch } from "../data/view-search.ts";
import { createAppRouter } from "./router.ts";

returnFromSignIn();
const queries = createQueryClient();
askWhoIsSignedIn(queries, scopeOf(readViewSearch(parseQuery(location.search))));
const root = document.getElementById("root");
if (root === null) throw new Error("the page has no root");
createRoot(root).render(
  // The page's policy allows no style elements.
  <CSPProvider disableStyleElements>
    <QueryClientProvider client={queries}>
      <RouterProvider router={createAppRouter()} />
    </QueryClientProvider>
  </CSPProvider>,
);
