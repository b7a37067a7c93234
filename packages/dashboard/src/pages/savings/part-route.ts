import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { readHeadlineDays } from "./headline-days.ts";
import { savingsRoute } from "./route.ts";

/** Savings, pending decisions, and changes in force. */
export const decisionsRoute = createRoute({
  getParentRoute: () => savingsRoute,
  path: "/",
  validateSearch: readHeadlineDays,
  component: lazyRouteComponent(() => import("./decisions.tsx"), "Decisions"),
});

export const suggestionsRoute = createRoute({
  getParentRoute: () => savingsRoute,
  path: "suggestions",
  staticData: { filters: ["agent"] },
  component: lazyRouteComponent(() => import("./suggestions.tsx"), "Suggestions"),
});

export const leaksRoute = createRoute({
  getParentRoute: () => savingsRoute,
  path: "leaks",
  staticData: { filters: ["agent"] },
  component: lazyRouteComponent(() => import("./leaks.tsx"), "Leaks"),
});

export const experimentsRoute = createRoute({
  getParentRoute: () => savingsRoute,
  path: "experiments",
  staticData: { filters: ["agent"] },
  component: lazyRouteComponent(() => import("./experiments.tsx"), "Experiments"),
});

export const verificationRoute = createRoute({
  getParentRoute: () => savingsRoute,
  path: "verification",
  staticData: { filters: ["agent"] },
  component: lazyRouteComponent(() => import("./verification.tsx"), "Verification"),
});

/** One verification, in a panel beside the list. */
export const verificationRequestRoute = createRoute({
  getParentRoute: () => verificationRoute,
  path: "$requestId",
  component: lazyRouteComponent(() => import("./verification-panel.tsx"), "VerificationPanel"),
});
