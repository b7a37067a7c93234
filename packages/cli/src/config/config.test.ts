import { describe, expect, it } from "bun:test";
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { ConfigError, readConfig } from "./config.ts";

const path = temporaryFolder();

function problems(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
  } catch (fault) {
    if (fault instanceof ConfigError) return fault.problems;
    throw fault;
  }
  return [];
}

it("refuses one port for both planes, unless they are on different machines or the port is chosen at startup", () => {
  const same = { SVC_GATEWAY_PORT: "3000" };
  expect(() => readConfig(same)).toThrow("SVC_GATEWAY_PORT and SVC_WEB_PORT must be two ports");
  expect(readConfig({ SVC_GATEWAY_PORT: "0", SVC_WEB_PORT: "0" }).webPort).toBe(0);
  const ofGateway = { ...same, SVC_ROLE: "gateway", SVC_DATABASE_URL: "postgres://u:p@h/d" };
  expect(readConfig(ofGateway).gatewayPort).toBe(3000);
});

it("refuses a query or a fragment in an address that paths are appended to", () => {
  for (const name of [
    "SVC_PUBLIC_URL",
    "SVC_PUBLIC_GATEWAY_URL",
    "SVC_OPENAI_BASE_URL",
    "SVC_XAI_BASE_URL",
  ]) {
    for (const end of ["?key=1", "/path#top", "?"]) {
      expect(() => readConfig({ [name]: `https://example.com${end}` })).toThrow(
        `${name}: must not have a query or a fragment`,
      );
    }
  }
});

describe("the configuration", () => {
  it("OPS-005 has the documented defaults", () => {
    expect(readConfig({ PATH: "/bin" })).toEqual({
      host: "127.0.0.1",
      gatewayPort: 8787,
      webPort: 3000,
      role: "all",
      nodeId: null,
      maxConfigAgeMs: 3_600_000,
      refusesOldConfig: false,
      dataDir: resolve("./data"),
      baseUrls: {},
      providerTimeoutMs: 60_000,
      requestTimeoutMs: 60_000,
      durability: "normal",
      onDisconnect: "abort",
      defaultTier: "enterprise",
      ownerEmail: null,
      apiRatePerMinute: 1200,
      controlNiceness: 10,
      retentionDays: null,
      priceOverrides: null,
      tierPrices: {},
      freeVerifications: 3,
      publicUrl: "http://127.0.0.1:3000",
      publicGatewayUrl: "http://127.0.0.1:8787",
      isPublicUrlGiven: false,
      secret: null,
      databaseUrl: null,
      redisUrl: null,
      oidc: null,
      smtpUrl: null,
      telegram: null,
      allowedPrivateTargets: "",
      checkout: { stripe: null, isOpenToStrangers: false, operatorContact: null },
      trustedProxies: TrustedProxies.none,
    });
  });

  it("REL-022 refuses a retention of less than a month, and on several machines", () => {
    expect(readConfig({ SVC_RETENTION_DAYS: "90" }).retentionDays).toBe(90);
    for (const days of ["0", "30", "-1", "1e3", "a year", "99999"])
      expect(problems({ SVC_RETENTION_DAYS: days }).join()).toMatch(/^SVC_RETENTION_DAYS: must be/);
    const node = { SVC_ROLE: "gateway", SVC_DATABASE_URL: "postgres://db/x", SVC_RETENTION_DAYS: "90" };
    expect(readConfig(node).retentionDays).toBe(90);
  });

  it("OPS-005 has the mail server, the Telegram bot and the allowed private targets", () => {
    const environment = {
      SVC_SMTP_URL: "smtps://us%40er:p%3Ass@mail.example:465?from=Tollgate <alerts@example.org>",
      SVC_TELEGRAM_BOT_TOKEN: "123456:ABC-def_9",
      SVC_ALLOWED_PRIVATE_TARGETS: "hooks.internal, 10.0.0.0/8 ,::1,",
    };
    expect(readConfig(environment)).toMatchObject({
      smtpUrl: environment.SVC_SMTP_URL,
      telegram: { botToken: "123456:ABC-def_9", apiUrl: "https://api.telegram.org" },
      allowedPrivateTargets: environment.SVC_ALLOWED_PRIVATE_TARGETS,
    });
    const elsewhere = { ...environment, SVC_TELEGRAM_API_URL: "http://127.0.0.1:8081" };
    expect(readConfig(elsewhere).telegram?.apiUrl).toBe("http://127.0.0.1:8081");
    expect(readConfig({ SVC_TELEGRAM_API_URL: "http://127.0.0.1:8081" }).telegram).toBeNull();
  });

  it("LOOP-028 sells verifications with Stripe where its key, its webhook's secret and the price are set", () => {
    const environment = {
      SVC_STRIPE_SECRET_KEY: "sk_test_1234567890",
      SVC_STRIPE_WEBHOOK_SECRET: "whsec_1234567890",
      SVC_VERIFICATION_PRICE_CENTS: "500",
    };
    const settings = {
      secretKey: "sk_test_1234567890",
      webhookSecret: "whsec_1234567890",
      unitPriceCents: 500,
      apiBase: null,
    };
    expect(readConfig(environment).checkout.stripe).toEqual(settings);
    const mocked = { ...environment, SVC_STRIPE_API_BASE: "http://127.0.0.1:12111" };
    expect(readConfig(mocked).checkout.stripe).toEqual({ ...settings, apiBase: "http://127.0.0.1:12111" });
    for (const missing of Object.keys(environment)) {
      const found = problems({ ...environment, [missing]: "" });
      expect(found.join()).toContain("SVC_VERIFICATION_PRICE_CENTS must be set together");
    }
    for (const [name, value] of [
      ["SVC_STRIPE_SECRET_KEY", "pk_live_1234567890"],
      ["SVC_STRIPE_WEBHOOK_SECRET", "1234567890"],
      ["SVC_VERIFICATION_PRICE_CENTS", "49"],
      ["SVC_VERIFICATION_PRICE_CENTS", "5.00"],
      ["SVC_STRIPE_API_BASE", "http://stripe.example"],
      ["SVC_ANONYMOUS_CHECKOUT", "yes"],
      ["SVC_OPERATOR_CONTACT", "javascript:alert(1)"],
    ] as const) {
      const found = problems({ ...environment, [name]: value });
      expect([name, found.length, found.join().includes(name)]).toEqual([name, 1, true]);
      expect(found.join()).not.toContain(value);
    }
    const open = readConfig({ SVC_ANONYMOUS_CHECKOUT: "1", SVC_OPERATOR_CONTACT: "https://help.example" });
    expect(open.checkout).toEqual({
      stripe: null,
      isOpenToStrangers: true,
      operatorContact: "https://help.example",
    });
  });

  it("OPS-005 takes host, ports and data directory from SVC_ variables", () => {
    const environment = {
      SVC_HOST: "0.0.0.0",
      SVC_GATEWAY_PORT: "0",
      SVC_WEB_PORT: "65535",
      SVC_DATA_DIR: "/var/lib/tollgate",
    };
    expect(readConfig(environment)).toMatchObject({
      host: "0.0.0.0",
      gatewayPort: 0,
      webPort: 65_535,
      dataDir: "/var/lib/tollgate",
    });
  });

  it("OPS-007 redirects each provider, and sets how long one may be silent", () => {
    const environment = {
      SVC_OPENAI_BASE_URL: "http://127.0.0.1:1",
      SVC_ANTHROPIC_BASE_URL: "https://a.example/base",
      SVC_GOOGLE_BASE_URL: "http://127.0.0.1:3",
      SVC_XAI_BASE_URL: "http://127.0.0.1:4",
      SVC_PROVIDER_TIMEOUT_MS: "1500",
    };
    expect(readConfig(environment)).toMatchObject({
      baseUrls: {
        openai: "http://127.0.0.1:1",
        anthropic: "https://a.example/base",
        google: "http://127.0.0.1:3",
        xai: "http://127.0.0.1:4",
      },
      providerTimeoutMs: 1500,
    });
    expect(readConfig({}).providerTimeoutMs).toBe(60_000);
  });

  it("OPS-016 ignores the stdio package's variables, and has no other public address than its own", () => {
    const environment = {
      SVC_API_KEY: "sk_live_x",
      SVC_API_URL: "anything",
      SVC_PUBLIC_URL: "https://t.example/",
    };
    expect(readConfig(environment).publicUrl).toBe("https://t.example");
    const gateway = { SVC_PUBLIC_GATEWAY_URL: "https://llm.example/" };
    expect(readConfig(gateway).publicGatewayUrl).toBe("https://llm.example");
    expect(readConfig({ SVC_DURABILITY: "full" }).durability).toBe("full");
    expect(readConfig({ SVC_OWNER_EMAIL: "Ada@Example.com" }).ownerEmail).toBe("ada@example.com");
  });

  it("treats an empty value as unset", () => {
    expect(readConfig({ SVC_GATEWAY_PORT: "", SVC_DATABASE_URL: "" }).gatewayPort).toBe(8787);
  });

  it("OPS-008 reports all errors together", () => {
    const found = problems({
      SVC_GATEWAY_PORT: "70000",
      SVC_WEB_PORT: "http",
      SVC_DURABILITY: "sometimes",
      SVC_OPENAI_BASE_URL: "ftp://files.example",
      SVC_DEFAULT_TIER: "gold",
      SVC_PRICES_FILE: path("absent.json"),
      SVC_GATEWAY_PROT: "1",
      SVC_TYPO: "",
      SVC_SMTP_URL: "mail.example",
      SVC_TELEGRAM_BOT_TOKEN: "a token",
      SVC_TELEGRAM_API_URL: "api.telegram.org",
      SVC_ALLOWED_PRIVATE_TARGETS: "10.0.0.0/33",
      SVC_TRUSTED_PROXIES: "proxy.internal",
    });
    for (const name of [
      "SVC_GATEWAY_PORT",
      "SVC_WEB_PORT",
      "SVC_DURABILITY",
      "SVC_OPENAI_BASE_URL",
      "SVC_DEFAULT_TIER",
      "SVC_PRICES_FILE",
      "SVC_GATEWAY_PROT is not a known variable",
      "SVC_TYPO is not a known variable",
      "SVC_SMTP_URL",
      "SVC_TELEGRAM_BOT_TOKEN",
      "SVC_TELEGRAM_API_URL",
      "SVC_ALLOWED_PRIVATE_TARGETS: entry 1",
      "SVC_TRUSTED_PROXIES",
    ]) {
      expect(found.filter(problem => problem.startsWith(name)).length).toBe(1);
    }
    expect(found.length).toBe(13);
  });

  for (const [name, value] of [
    ["SVC_GATEWAY_PORT", " "],
    ["SVC_GATEWAY_PORT", "-1"],
    ["SVC_GATEWAY_PORT", "0x50"],
    ["SVC_GATEWAY_PORT", "80.5"],
    ["SVC_PROVIDER_TIMEOUT_MS", "0"],
    ["SVC_PROVIDER_TIMEOUT_MS", "1e3"],
    ["SVC_PROVIDER_TIMEOUT_MS", "Infinity"],
    ["SVC_ON_DISCONNECT", "ABORT"],
    ["SVC_XAI_BASE_URL", "api.x.ai"],
    ["SVC_SECRET", "short"],
    ["SVC_OWNER_EMAIL", "ada"],
    ["SVC_OWNER_EMAIL", "ada@example.com, bob@example.com"],
    ["SVC_SMTP_URL", "http://mail.example"],
    ["SVC_SMTP_URL", "smtp://"],
    ["SVC_SMTP_URL", "smtp://mail.example?requireTls=true"],
    ["SVC_SMTP_URL", "smtp://mail.example?requireTLS=yes"],
    ["SVC_SMTP_URL", "smtp://mail.example?from=nobody"],
    ["SVC_SMTP_URL", "smtp://mail.example?from=a@b.example%0d%0aBcc:c@d.example"],
    ["SVC_SMTP_URL", "smtp://user:100%@mail.example"],
    ["SVC_TELEGRAM_BOT_TOKEN", "1/../getUpdates"],
    ["SVC_TELEGRAM_API_URL", "ftp://127.0.0.1"],
    ["SVC_ALLOWED_PRIVATE_TARGETS", "http://hooks.internal"],
    ["SVC_ALLOWED_PRIVATE_TARGETS", "127.0.0.1,10.0.0.0/x"],
    ["SVC_TRUSTED_PROXIES", "10.0.0.0/33"],
  ] as const) {
    it(`OPS-008 refuses ${name}=${JSON.stringify(value)}`, () => {
      expect(problems({ [name]: value }).map(problem => problem.split(":")[0])).toEqual([name]);
    });
  }

  it("never quotes a value: one may be a secret", () => {
    const secret = "s3cr3t";
    const names = [
      "SVC_SECRET",
      "SVC_OPENAI_BASE_URL",
      "SVC_GATEWAY_PORT",
      "SVC_DURABILITY",
      "SVC_DEFAULT_TIER",
      "SVC_OWNER_EMAIL",
      "SVC_PUBLIC_URL",
      "SVC_PUBLIC_GATEWAY_URL",
      "SVC_OIDC_ISSUER",
      "SVC_PRICES_FILE",
      "SVC_UNKNOWN",
      "SVC_SMTP_URL",
      "SVC_TELEGRAM_API_URL",
    ];
    const found = problems(Object.fromEntries(names.map(name => [name, secret])));
    expect(found.length).toBe(names.length);
    expect(found.join("\n")).not.toContain(secret);
    const parts = problems({
      SVC_SMTP_URL: `smtp://${secret}:${secret}%@${secret}?from=${secret}`,
      SVC_TELEGRAM_BOT_TOKEN: `${secret}!`,
      SVC_ALLOWED_PRIVATE_TARGETS: `${secret}!`,
    });
    expect(parts.length).toBe(3);
    expect(parts.join("\n")).not.toContain(secret);
  });

  it("OPS-008 reports what is wrong in the price file, entry by entry", () => {
    const price = { provider: "openai", model: "m", input_per_million_cents: 1, output_per_million_cents: 2 };
    const file = path("prices.json");
    for (const [content, expected] of [
      ["{", ["SVC_PRICES_FILE: the file is not valid JSON"]],
      [JSON.stringify([price, { ...price, provider: "nobody" }]), ["SVC_PRICES_FILE: entry 1"]],
      [
        JSON.stringify([
          { ...price, input_per_million_cents: "free" },
          { ...price, x: 1 },
        ]),
        ["SVC_PRICES_FILE: entry 0", "SVC_PRICES_FILE: entry 1"],
      ],
      [JSON.stringify([price, price]), ["SVC_PRICES_FILE: entry 1"]],
    ] as const) {
      writeFileSync(file, content);
      const found = problems({ SVC_PRICES_FILE: file });
      expect(found.length).toBe(expected.length);
      for (const [index, start] of expected.entries()) expect(found[index]).toStartWith(start);
    }
    writeFileSync(file, JSON.stringify([price]));
    expect(readConfig({ SVC_PRICES_FILE: file }).priceOverrides).toMatchObject([{ model: "m" }]);
  });
});
