/**
 * @fileoverview Rule `secret-parameter`: a tool takes a credential as an argument.
 * @module cli/doctor/rules/security/secret-parameter
 */
import { isSecretName } from "@tenon/internal/security/secret-names";
import { show } from "../../facts/place.js";
import { typesOf } from "../../facts/schema-nodes.js";
import type { Rule } from "../../rule.js";

/** Reports parameters for passwords, keys, and tokens, which models and logs see. */
export const secretParameter: Rule = {
  id: "secret-parameter",
  severity: "warning",
  title: "Credential as an argument",
  *check({ tools }) {
    for (const { schema, place, property } of tools.flatMap(({ inputNodes }) => inputNodes)) {
      if (property === undefined || !isSecretName(property, { isCertain: true })) continue;
      if (typeof schema === "boolean" || !typesOf(schema).includes("string")) continue;
      yield {
        place,
        message: `The argument ${show(property)} is a credential. The model, the conversation, and the client's logs contain its value.`,
        fix: "Read the credential from the environment or from the request's authorization, or ask the user for it.",
      };
    }
  },
};
