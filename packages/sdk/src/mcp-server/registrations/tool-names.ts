/**
 * @fileoverview Warnings for tool names that some clients cannot handle, with the official SDK's texts. The tool is
 * registered anyway.
 * @module sdk/mcp-server/registrations/tool-names
 */
import { escapeControls } from "@tenon/internal/text";

/** Warns if a tool name contains characters that the MCP specification advises against. */
export function warnAboutToolName(name: string): void {
  const problems = problemsOf(name);
  if (problems.length === 0) return;
  const lines = [
    `Tool name validation warning for "${escapeControls(name)}":`,
    ...problems.map((problem) => `  - ${problem}`),
    "Tool registration will proceed, but this may cause compatibility issues.",
    "Consider updating the tool name to conform to the MCP tool naming standard.",
    `See SEP: Specify Format for Tool Names (${PROPOSAL}) for more details.`,
  ];
  // oxlint-disable-next-line no-console -- as in the official SDK, so that applications find and silence the same calls
  for (const line of lines) console.warn(line);
}

const PROPOSAL = "https://github.com/modelcontextprotocol/modelcontextprotocol/issues/986";
const ALLOWED = "Allowed characters are: A-Z, a-z, 0-9, underscore (_), dash (-), and dot (.)";

function problemsOf(name: string): readonly string[] {
  const parsing = "which may cause parsing issues";
  const invalid = [...new Set(name.replaceAll(/[A-Za-z0-9._-]/gu, ""))];
  const shown = invalid.map((one) => `"${escapeControls(one)}"`).join(", ");
  return [
    ...(name.includes(" ") ? [`Tool name contains spaces, ${parsing}`] : []),
    ...(name.includes(",") ? [`Tool name contains commas, ${parsing}`] : []),
    ...(/^-|-$/u.test(name) ? [`Tool name starts or ends with a dash, ${parsing} in some contexts`] : []),
    ...(/^\.|\.$/u.test(name) ? [`Tool name starts or ends with a dot, ${parsing} in some contexts`] : []),
    ...(invalid.length > 0 ? [`Tool name contains invalid characters: ${shown}`, ALLOWED] : []),
  ];
}
