/**
 * @fileoverview Rule `secret-value`: a definition contains a credential.
 * @module cli/doctor/rules/security/secret-value
 */
import { isJsonObject } from "@tenon/internal/json";
import { isSecretName } from "@tenon/internal/security/secret-names";
import type { Facts } from "../../facts/facts.js";
import { placeOf } from "../../facts/place.js";
import { listTexts } from "../../facts/strings.js";
import type { Problem, Rule } from "../../rule.js";
import { findCredential, isRandom } from "./find-secret.js";

/** Reports credentials in definitions. The message never contains the value. */
export const secretValue: Rule = {
  id: "secret-value",
  severity: "error",
  title: "Credential in a definition",
  *check(facts) {
    const reported = new Set<string>();
    for (const { text, place, isName } of listTexts(facts)) {
      const kind = isName ? undefined : findCredential(text);
      if (kind === undefined) continue;
      reported.add(place);
      yield toProblem(place, `The text contains ${kind}.`);
    }
    for (const place of secretDefaults(facts)) {
      if (!reported.has(place))
        yield toProblem(place, "The default value of this credential looks like a real one.");
    }
  },
};

function toProblem(place: string, message: string): Problem {
  return {
    place,
    message: `${message} Every client and model receives it.`,
    fix: "Revoke the credential, remove it from the definition, and read it from the environment in the handler.",
  };
}

/** Finds parameters for credentials whose default value looks generated. */
function* secretDefaults({ tools }: Facts): Iterable<string> {
  for (const { schema, place, property = "" } of tools.flatMap(({ inputNodes }) => inputNodes)) {
    if (!isJsonObject(schema) || !isSecretName(property, { isCertain: true })) continue;
    const { default: value } = schema;
    if (typeof value === "string" && value.length >= MIN_SECRET && isRandom(value))
      yield placeOf(place, "default");
  }
}

/** Minimum length of a default value that is taken for a credential. */
const MIN_SECRET = 12;
