import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { settingNames } from "../../packages/cli/src/config/config.ts";
import { startTestGateway, type TestGateway } from "../support/labs/test-gateway.ts";

const root = join(import.meta.dir, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const files = readdirSync(join(root, "deploy"), { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))
  .sort();
const namesIn = (text: string, pattern: RegExp) => [...new Set(text.match(pattern) ?? [])].sort();
const metricsIn = (text: string) =>
  namesIn(text, /\bsvc_(gateway|control|web)_\w+/g).map(name => name.replace(/_bucket$/, ""));

/** Every name is written out where it is exported; some metrics depend on the settings. */
const exported = new Set(
  ["gateway", "control"].flatMap(name =>
    [...new Glob(`packages/${name}/src/**/*.ts`).scanSync(root)]
      .filter(path => !path.endsWith(".test.ts"))
      .flatMap(path => metricsIn(read(path))),
  ),
);

describe("deploy/", () => {
  it.each(files)("%s sets only variables that exist", path => {
    const unknown = namesIn(read(path), /\bSVC_[A-Z0-9_]+/g).filter(name => !settingNames.has(name));
    expect(unknown).toEqual([]);
  });

  it.each(files.filter(path => path.endsWith(".yaml") && !path.includes("/templates/")))(
    "%s is YAML",
    path => {
      expect(Bun.YAML.parse(read(path))).toBeObject();
    },
  );

  it.each(["deploy/grafana/tollgate.json", "deploy/prometheus/alerts.yaml"])(
    "%s uses only metrics that are exported",
    path => {
      const used = metricsIn(read(path));
      expect(used.length).toBeGreaterThan(10);
      expect(used.filter(name => !exported.has(name))).toEqual([]);
    },
  );

  it("alerts.test.yaml tests every alert: that it fires, and that it does not", () => {
    const alerts = [...read("deploy/prometheus/alerts.yaml").matchAll(/alert: (\w+)/g)].map(
      ([, name]) => name,
    );
    const tested = [...read("deploy/prometheus/alerts.test.yaml").matchAll(/alertname: (\w+)/g)];
    expect(alerts.length).toBeGreaterThan(10);
    expect(tested.map(([, name]) => name).sort()).toEqual([...alerts, ...alerts].sort());
  });

  it("compose.yaml: the host has the address that SVC_TRUSTED_PROXIES names, and nobody else can get it or the proxy's", () => {
    const text = read("deploy/compose.yaml");
    const { networks, services } = Bun.YAML.parse(text) as {
      networks: { default: { ipam: { config: { ip_range: string; gateway: string }[] } } };
      services: Record<"proxy", { networks: { default: { ipv4_address: string } } }>;
    };
    const network = networks.default.ipam.config[0];
    const proxy = services.proxy.networks.default.ipv4_address;
    expect(network?.ip_range).toBe("172.30.87.128/25");
    expect([proxy, network?.gateway]).toEqual(["172.30.87.2", "172.30.87.1"]);
    expect(text).toContain(`SVC_TRUSTED_PROXIES: ${proxy}\n`);
    expect(text).toContain(`add ${network?.gateway}, where its connections come from`);
  });

  it("the image is built from every source file", () => {
    const ignored = read(".dockerignore")
      .trim()
      .split("\n")
      .flatMap(pattern => [new Glob(pattern), new Glob(`${pattern}/**`)]);
    const sources = ["packages/*/src/**", "packages/*/package.json", "scripts/**", "generated/**", "*.json"]
      .flatMap(pattern => [...new Glob(pattern).scanSync({ cwd: root, dot: true })])
      .filter(path => !path.includes("node_modules/"));
    expect(sources.length).toBeGreaterThan(1000);
    expect(sources.filter(path => ignored.some(glob => glob.match(path)))).toEqual([]);
  });

  it("docs/operations.md has every exported metric, and no other", () => {
    expect(metricsIn(read("docs/operations.md"))).toEqual([...exported].sort());
  });
});

describe("a gateway of several without a configuration", () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const node = { id: "node-1", maxConfigAgeMs: 1000, refusesOldConfig: false, sidecarStatus: () => null };
    gateway = await startTestGateway({ node });
  });
  afterAll(() => gateway.stop());

  it("is starting, so that a load balancer sends it nothing", async () => {
    const answer = await fetch(`${gateway.url}/health`);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({
      status: "starting",
      node: { id: "node-1", database: "down", config_age_seconds: null, unshipped_events: null },
    });
  });
});
