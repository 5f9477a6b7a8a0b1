/**
 * @fileoverview Compiles a project like `tsc`, but checks only its own files and the declarations of some packages:
 * `node check-own-declarations.mjs TYPESCRIPT TSCONFIG PACKAGE …`. Declarations of other packages take most of the time.
 * @module tests/support/packages/check-own-declarations
 */
import { createRequire } from "node:module";

const [, , compiler = "", config = "", ...packages] = process.argv;
const ts = createRequire(import.meta.url)(compiler);

const parsed = ts.getParsedCommandLineOfConfigFile(
  config,
  {},
  { ...ts.sys, onUnRecoverableConfigFileDiagnostic },
);
const program = ts.createProgram({ rootNames: parsed.fileNames, options: parsed.options });
const isOwn = ({ fileName }) =>
  !fileName.includes("/node_modules/") ||
  packages.some((name) => fileName.includes(`/node_modules/${name}/`));
const own = program.getSourceFiles().filter(isOwn);
const problems = [
  ...parsed.errors,
  ...program.getConfigFileParsingDiagnostics(),
  ...program.getOptionsDiagnostics(),
  ...program.getSyntacticDiagnostics(),
  ...program.getGlobalDiagnostics(),
  ...own.flatMap((file) => program.getSemanticDiagnostics(file)),
];
// Emitting reports inferred types that a declaration cannot name. Without a file, it would check all packages.
for (const file of own.filter(({ isDeclarationFile }) => !isDeclarationFile))
  problems.push(...program.emit(file).diagnostics);
if (packages.some((name) => !own.some(({ fileName }) => fileName.includes(`/node_modules/${name}/`))))
  throw new Error("The project does not import all packages.");
const host = {
  getCurrentDirectory: () => process.cwd(),
  getCanonicalFileName: (name) => name,
  getNewLine: () => "\n",
};
process.stdout.write(ts.formatDiagnostics(problems, host));
process.exitCode = problems.length === 0 ? 0 : 1;

function onUnRecoverableConfigFileDiagnostic(problem) {
  throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, "\n"));
}
