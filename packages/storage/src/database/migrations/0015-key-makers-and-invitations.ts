import type { ControlMigration } from "../control-migration.ts";

export const up: ControlMigration = async ({ schema, uniqueIndex }) => {
  // Creator of a key: an e-mail address or 'cli'; null if unknown. The key has no more rights than that user.
  await schema.alterTable("api_keys").addColumn("created_by", "text").execute();
  await schema.alterTable("api_keys").addColumn("created_by_user", "text").execute();
  // Digest of the code that accepts a pending invitation.
  await schema.alterTable("members").addColumn("invitation", "text").execute();
  await uniqueIndex("members_by_invitation", "members", ["invitation"])
    .where("invitation", "is not", null)
    .execute();
};
