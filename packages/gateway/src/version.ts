export const GATEWAY_VERSION = "1.0.0";
