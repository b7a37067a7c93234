import { Outlet } from "@tanstack/react-router";
import { Tabs } from "../../parts/tabs.tsx";

const tabs = [
  { to: "/developers", title: "API keys" },
  { to: "/developers/connect", title: "Connect a client" },
  { to: "/developers/webhooks", title: "Webhooks" },
  { to: "/developers/tools", title: "Tools (MCP)" },
] as const;

export function DevelopersPage() {
  return (
    <>
      <Tabs label="Developers" tabs={tabs} />
      <Outlet />
    </>
  );
}
