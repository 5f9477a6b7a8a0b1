/**
 * @fileoverview Names of `tools/source-files.ts` that tests import.
 * @module tests/support/source-files
 */
export {
  PACKAGE_FOLDERS,
  readSourceFiles,
  ROOT,
  SOURCE_ROOTS,
  type SourceFile,
} from "../../tools/source-files.js";
