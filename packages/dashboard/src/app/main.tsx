import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "../data/query-client.ts";
import { returnFromSignIn } from "../data/sign-in.ts";
import { createAppRouter } from "./router.ts";

returnFromSignIn();
const root = document.getElementById("root");
if (root === null) throw new Error("the page has no root");
createRoot(root).render(
  // The page's policy allows no style elements.
  <CSPProvider disableStyleElements>
    <QueryClientProvider client={createQueryClient()}>
      <RouterProvider router={createAppRouter()} />
    </QueryClientProvider>
  </CSPProvider>,
);
