import { z } from "zod";

/** What deliveries are signed with: any text. */
export const webhookSecret = z.string().min(1).max(1024);
