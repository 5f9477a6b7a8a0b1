/**
 * @fileoverview Warnings for tool names that some clients cannot handle. As in the official SDK, they are written to
 * standard error, and the tool is registered anyway.
 * @module sdk/mcp-server/registrations/tool-names
 */
import { printable } from "@tenon/internal/text";

/** Warns if a tool name contains characters that the MCP specification advises against. */
export function warnAboutToolName(name: string): void {
  const problems = problemsOf(name);
  if (problems.length === 0) return;
  process.emitWarning(
    `Tool ${JSON.stringify(printable(name))}: the name ${problems.join(", and it ")}. Some clients may reject it. ` +
      "Use only letters, digits, underscores, dashes, and dots, and start and end with a letter or a digit.",
  );
}

function problemsOf(name: string): readonly string[] {
  const invalid = [...new Set(name.replaceAll(/[A-Za-z0-9._-]/gu, ""))].slice(0, 10);
  return [
    ...(invalid.length > 0
      ? [`contains ${invalid.map((one) => JSON.stringify(printable(one))).join(", ")}`]
      : []),
    ...(/^[.-]|[.-]$/u.test(name) ? ["starts or ends with a dash or a dot"] : []),
  ];
}
