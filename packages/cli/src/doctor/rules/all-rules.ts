/**
 * @fileoverview Every rule of `tenon doctor`, in the order in which they are listed in the documentation.
 * @module cli/doctor/rules/all-rules
 */
import type { Rule } from "../rule.js";
import { HINT_RULES } from "./hints/rules.js";
import { NAME_RULES } from "./names/rules.js";
import { REFERENCE_RULES } from "./references/rules.js";
import { RESULT_RULES } from "./results/rules.js";
import { SECURITY_RULES } from "./security/rules.js";
import { SERVER_RULES } from "./server/rules.js";
import { SHAPE_RULES } from "./shapes/rules.js";
import { TEXT_RULES } from "./texts/rules.js";
import { VENDOR_RULES } from "./vendors/rules.js";

/** Rules by subject: schemas, references, vendors, names, texts, security, hints, results, and the server. */
export const ALL_RULES: readonly Rule[] = [
  ...SHAPE_RULES,
  ...REFERENCE_RULES,
  ...VENDOR_RULES,
  ...NAME_RULES,
  ...TEXT_RULES,
  ...SECURITY_RULES,
  ...HINT_RULES,
  ...RESULT_RULES,
  ...SERVER_RULES,
];
