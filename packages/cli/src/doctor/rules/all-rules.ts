/**
 * @fileoverview Every rule of `tenon doctor`, in the order in which they are listed in the documentation.
 * @module cli/doctor/rules/all-rules
 */
import type { Rule } from "../rule.js";
import { hintContradiction } from "./hints/hint-contradiction.js";
import { hintDestructive } from "./hints/hint-destructive.js";
import { hintReadOnly } from "./hints/hint-read-only.js";
import { hintSpelling } from "./hints/hint-spelling.js";
import { hintsMissing } from "./hints/hints-missing.js";
import { nameCharacters } from "./names/name-characters.js";
import { nameCollision } from "./names/name-collision.js";
import { nameDuplicate } from "./names/name-duplicate.js";
import { nameLength } from "./names/name-length.js";
import { namePrefix } from "./names/name-prefix.js";
import { nameShadow } from "./names/name-shadow.js";
import { promptName } from "./names/prompt-name.js";
import { refLocal } from "./references/ref-local.js";
import { refRecursive } from "./references/ref-recursive.js";
import { refRemote } from "./references/ref-remote.js";
import { refUnresolved } from "./references/ref-unresolved.js";
import { outputMissing } from "./results/output-missing.js";
import { resultSize } from "./results/result-size.js";
import { structuredContent } from "./results/structured-content.js";
import { hiddenCharacters } from "./security/hidden-characters.js";
import { modelInstructions } from "./security/model-instructions.js";
import { secretParameter } from "./security/secret-parameter.js";
import { secretValue } from "./security/secret-value.js";
import { cursorRepeated } from "./server/cursor-repeated.js";
import { deadlineMissing } from "./server/deadline-missing.js";
import { definitionSize } from "./server/definition-size.js";
import { listFailed } from "./server/list-failed.js";
import { resourceUri } from "./server/resource-uri.js";
import { serverVersion } from "./server/server-version.js";
import { toolCount } from "./server/tool-count.js";
import { arrayItems } from "./shapes/array-items.js";
import { enumValues } from "./shapes/enum-values.js";
import { invalidKeyword } from "./shapes/invalid-keyword.js";
import { outputType } from "./shapes/output-type.js";
import { requiredUndefined } from "./shapes/required-undefined.js";
import { rootCombinator } from "./shapes/root-combinator.js";
import { rootType } from "./shapes/root-type.js";
import { schemaDepth } from "./shapes/schema-depth.js";
import { schemaDialect } from "./shapes/schema-dialect.js";
import { tupleItems } from "./shapes/tuple-items.js";
import { unboundedArray } from "./shapes/unbounded-array.js";
import { untypedProperty } from "./shapes/untyped-property.js";
import { descriptionDuplicate } from "./texts/description-duplicate.js";
import { descriptionLong } from "./texts/description-long.js";
import { descriptionMissing } from "./texts/description-missing.js";
import { descriptionName } from "./texts/description-name.js";
import { instructionsLong } from "./texts/instructions-long.js";
import { parameterUndescribed } from "./texts/parameter-undescribed.js";
import { patternInvalid } from "./vendors/pattern-invalid.js";
import { patternLookaround } from "./vendors/pattern-lookaround.js";
import { propertyNames } from "./vendors/property-names.js";
import { stringFormat } from "./vendors/string-format.js";
import { typeUnion } from "./vendors/type-union.js";
import { vendorKeywords } from "./vendors/vendor-keywords.js";

/** Rules by subject: schemas, references, vendors, names, texts, security, hints, results, and the server. */
export const ALL_RULES: readonly Rule[] = [
  rootCombinator,
  rootType,
  outputType,
  arrayItems,
  tupleItems,
  requiredUndefined,
  untypedProperty,
  enumValues,
  invalidKeyword,
  schemaDialect,
  schemaDepth,
  unboundedArray,
  refUnresolved,
  refRemote,
  refRecursive,
  refLocal,
  propertyNames,
  patternLookaround,
  patternInvalid,
  vendorKeywords,
  typeUnion,
  stringFormat,
  nameLength,
  namePrefix,
  nameCharacters,
  nameDuplicate,
  nameCollision,
  nameShadow,
  promptName,
  descriptionMissing,
  descriptionName,
  descriptionDuplicate,
  descriptionLong,
  parameterUndescribed,
  instructionsLong,
  hiddenCharacters,
  modelInstructions,
  secretValue,
  secretParameter,
  hintContradiction,
  hintReadOnly,
  hintDestructive,
  hintSpelling,
  hintsMissing,
  resultSize,
  structuredContent,
  outputMissing,
  toolCount,
  definitionSize,
  deadlineMissing,
  listFailed,
  cursorRepeated,
  resourceUri,
  serverVersion,
];
