import { describe, expect, it } from "bun:test";
import { binomialCdf } from "./binomial-tail.ts";
import { fisherExact } from "./fisher-exact.ts";
import { mannKendall } from "./mann-kendall.ts";
import { median } from "./median.ts";
import { medianAbsoluteDeviation } from "./median-absolute-deviation.ts";
import { modifiedZScore } from "./modified-z-score.ts";
import { normalCdf, normalQuantile } from "./normal-distribution.ts";
import { rateRatioPValue } from "./rate-ratio-p-value.ts";
import { tQuantile, tUpperTail } from "./t-distribution.ts";
import { theilSen } from "./theil-sen.ts";
import { wilsonInterval } from "./wilson-interval.ts";

const Z_95 = 1.6448536269514722;
const DAYS = [100, 104, 98, 102, 97, 250, 101, 99, 103, 100, 96, 105, 98, 102];
const RISING = [1, 2, 3, 5, 4, 6, 8, 7];

/** Each value was computed by two methods that share no code: closed form, enumeration, quadrature or root finding. */
const ACCEPTED: readonly (readonly [string, () => number | null | undefined, number])[] = [
  ["Φ⁻¹(.975)", () => normalQuantile(0.975), 1.959963984540055],
  ["Φ⁻¹(.95)", () => normalQuantile(0.95), 1.6448536269514733],
  ["Φ⁻¹(.8)", () => normalQuantile(0.8), 0.8416212335729147],
  ["Φ(−z₀.₉₇₅)", () => normalCdf(-1.959963984540054), 0.025],
  ["Φ far in the tail", () => normalCdf(-37), 5.725571222524292e-300],
  ["Mann–Kendall's normal p", () => normalCdf(-2.8455120410060126), 0.0022170041515503502],
  ["t₉(.975)", () => tQuantile(0.975, 9), 2.2621571627982053],
  ["t₁(.975), a Cauchy quantile", () => tQuantile(0.975, 1), Math.tan(0.475 * Math.PI)],
  ["t₂(.975), closed form", () => tQuantile(0.975, 2), 0.95 / Math.sqrt(2 * 0.975 * 0.025)],
  ["Welch's two-sided p", () => 2 * tUpperTail(6.278635128433073, 11.956847982400369), 4.142323051969932e-5],
  ["t at 1e9 degrees", () => tQuantile(0.975, 1e9), 1.9599639869123253],
  ["ranks 40 to 61 of 100", () => binomialCdf(60, 100, 0.5) - binomialCdf(39, 100, 0.5), 0.9647997997822952],
  [
    "ranks 90 to 100 of 100",
    () => binomialCdf(99, 100, 0.95) - binomialCdf(89, 100, 0.95),
    0.9826070607121813,
  ],
  ["ranks 936 to 964", () => binomialCdf(963, 1000, 0.95) - binomialCdf(935, 1000, 0.95), 0.9580952682226541],
  ["Wilson 7/50 low", () => wilsonInterval(7, 50)?.low, 0.06950833427016288],
  ["Wilson 7/50 high", () => wilsonInterval(7, 50)?.high, 0.2618619371058554],
  ["Wilson 0/10 low", () => wilsonInterval(0, 10)?.low, 0],
  ["Wilson 0/10 high", () => wilsonInterval(0, 10)?.high, 0.2775327998628894],
  ["Wilson 10/10 low", () => wilsonInterval(10, 10)?.low, 0.7224672001371106],
  ["Wilson 10/10 high", () => wilsonInterval(10, 10)?.high, 1],
  ["Wilson 1/1 low", () => wilsonInterval(1, 1)?.low, 0.20654931437723728],
  ["Wilson 3/10 high", () => wilsonInterval(3, 10)?.high, 0.6032218525388549],
  ["Wilson one-sided 3/10", () => wilsonInterval(3, 10, Z_95)?.low, 0.1268765839031978],
  ["Wilson one-sided 30/100", () => wilsonInterval(30, 100, Z_95)?.low, 0.23070495436914523],
  ["median", () => median(DAYS), 100.5],
  ["MAD", () => medianAbsoluteDeviation(DAYS), 2.5],
  ["modified z of 130", () => modifiedZScore(130, DAYS), 7.959099999999999],
  ["modified z of 112", () => modifiedZScore(112, DAYS), 3.1027],
  ["20 in 7 days, then 9 in one", () => rateRatioPValue(20, 7, 9, 1), 0.007099114161360479],
  ["0 in 7 days, then 2 in one", () => rateRatioPValue(0, 7, 2, 1), 0.015625],
  ["0 in 7 days, then 3 in one", () => rateRatioPValue(0, 7, 3, 1), 0.001953125],
  ["Fisher 9/100 against 2/100", () => fisherExact(9, 100, 2, 100), 0.029110358790143752],
  ["Mann–Kendall S", () => mannKendall(RISING)?.s, 24],
  ["Mann–Kendall exact p", () => mannKendall(RISING)?.pRising, 0.0008680555555555555],
  ["Theil–Sen", () => theilSen(RISING.map((y, x) => [x, y] as const))?.slope, 1],
];

describe("statistics", () => {
  it.each([...ACCEPTED])("agree with the accepted value to nine digits: %s", (_, compute, accepted) => {
    const value = compute() ?? Number.NaN;
    expect(Math.abs(value - accepted)).toBeLessThanOrEqual(1e-9 * Math.abs(accepted));
  });
});
