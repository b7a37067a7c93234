export { seededRandom } from "@tollgate/core/statistics/seeded-random";
