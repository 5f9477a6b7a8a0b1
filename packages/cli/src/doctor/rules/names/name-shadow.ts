/**
 * @fileoverview Rule `name-shadow`: a tool has the name of a tool that clients have built in.
 * @module cli/doctor/rules/names/name-shadow
 */
import type { Rule } from "../../rule.js";

/** Reports tool names that are names of built-in tools. */
export const nameShadow: Rule = {
  id: "name-shadow",
  severity: "info",
  title: "Name of a built-in tool",
  *check({ tools }) {
    for (const { name, place } of tools) {
      const clients = Object.entries(BUILT_IN).flatMap(([client, names]) =>
        names.includes(name) ? [client] : [],
      );
      if (clients.length === 0) continue;
      yield {
        place,
        message: `${clients.join(" and ")} ${clients.length === 1 ? "has" : "have"} a built-in tool with this name. Models and users can confuse the two.`,
        fix: "Add a word that says what the tool works on, such as the name of the product.",
      };
    }
  },
};

/** Names of built-in tools by client. */
const BUILT_IN: Readonly<Record<string, readonly string[]>> = {
  "Claude Code": [
    "Bash",
    "Edit",
    "Glob",
    "Grep",
    "NotebookEdit",
    "Read",
    "Task",
    "TodoWrite",
    "WebFetch",
    "WebSearch",
    "Write",
  ],
  "Claude's API": ["bash", "code_execution", "computer", "memory", "web_fetch", "web_search"],
  "Gemini CLI": [
    "glob",
    "google_web_search",
    "list_directory",
    "read_file",
    "read_many_files",
    "replace",
    "run_shell_command",
    "save_memory",
    "search_file_content",
    "web_fetch",
    "write_file",
  ],
  Cline: [
    "ask_followup_question",
    "attempt_completion",
    "execute_command",
    "list_files",
    "read_file",
    "replace_in_file",
    "search_files",
    "write_to_file",
  ],
};
