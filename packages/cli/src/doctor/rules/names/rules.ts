/**
 * @fileoverview Rules for names.
 * @module cli/doctor/rules/names/rules
 */
import { filled, rulesFor, toolRule } from "../../item-rule.js";
import type { Rule, Problem } from "../../rule.js";
import { sameFor, show } from "../../facts/place.js";
import type { EntryFact } from "../../facts/facts.js";

/** Rules for names, in the order of the documentation. */
export const NAME_RULES: readonly Rule[] = [
  // Reports tool names over 64 characters, which OpenAI's API and Amazon Bedrock reject.
  toolRule({
    id: "name-length",
    severity: "error",
    title: "Tool name over 64 characters",
    find: ({ name }) => name.length > MAX_NAME,
    message: ({ name }) =>
      `The name has ${name.length} characters (limit: ${MAX_NAME}). OpenAI's API and Amazon Bedrock reject every request with such a tool.`,
    fix: "Shorten the name. Clients add the name of the server, so 40 characters are a good maximum.",
  }),
  // Reports names that exceed 64 characters with the prefix `mcp__<server>__`. One finding per server.
  {
    id: "name-prefix",
    severity: "warning",
    title: "Tool name over 64 characters with the server's name",
    *check({ tools, server }) {
      const { name: serverName } = server;
      if (typeof serverName !== "string" || serverName === "") return;
      const prefix = `mcp__${serverName.replaceAll(/[^a-zA-Z0-9_-]/g, "_")}__`;
      const long = tools.filter(
        ({ name }) => name.length <= MAX_NAME && prefix.length + name.length > MAX_NAME,
      );
      const [longest] = long.toSorted((a, b) => b.name.length - a.name.length);
      if (longest === undefined) return;
      const length = prefix.length + longest.name.length;
      yield {
        place: longest.place,
        message: `With the prefix ${show(prefix)}, the name has ${length} characters (limit: ${MAX_NAME}).${sameFor(long.length - 1, "name")} Clients that add the server's name cannot use the tool.`,
        fix: "Shorten the name of the tool or of the server, and do not repeat the server's name in the names of tools.",
      };
    },
  },
  // Reports tool names with other characters than letters, digits, underscores, and hyphens.
  toolRule({
    id: "name-characters",
    severity: "error",
    title: "Character in a tool name that model APIs reject",
    find: ({ name }) => !/^[a-zA-Z0-9_-]+$/.test(name),
    message: ({ name }) =>
      `A tool name must consist of letters, digits, underscores, and hyphens; got ${showName(name)}. Model APIs reject every request with such a tool.`,
    fix: "Rename the tool, such as `user_create` instead of `user.create`.",
  }),
  // Reports names that occur twice in a list.
  {
    id: "name-duplicate",
    severity: "error",
    title: "Name used twice",
    *check({ tools, prompts }) {
      yield* findDuplicates(tools, "tool");
      yield* findDuplicates(prompts, "prompt");
    },
  },
  // Reports names that differ only in case and punctuation.
  {
    id: "name-collision",
    severity: "warning",
    title: "Names that differ only in case or punctuation",
    *check({ tools }) {
      const known = new Map<string, string>();
      for (const { name, place } of tools) {
        const key = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "_");
        const other = known.get(key);
        if (other === undefined) known.set(key, name);
        else if (other !== name) {
          yield {
            place,
            message: `The name ${show(name)} differs from ${show(other)} only in case or punctuation. Clients that convert names cannot tell them apart.`,
            fix: "Rename one of the tools.",
          };
        }
      }
    },
  },
  // Reports tool names that are names of built-in tools.
  toolRule({
    id: "name-shadow",
    severity: "info",
    title: "Name of a built-in tool",
    find: ({ name }) =>
      filled(Object.keys(BUILT_IN).filter((client) => BUILT_IN[client]?.split(" ").includes(name))),
    message: (_, clients) =>
      `${clients.join(" and ")} ${clients.length === 1 ? "has" : "have"} a built-in tool with this name. Models and users can confuse the two.`,
    fix: "Add a word that says what the tool works on, such as the name of the product.",
  }),
  // Reports prompt names with white space, which cannot be used as commands.
  rulesFor(({ prompts }) => prompts)({
    id: "prompt-name",
    severity: "warning",
    title: "Space in a prompt name",
    find: ({ name }) => name === "" || /\s/.test(name),
    message: ({ name }) =>
      `A prompt name must not contain spaces; got ${showName(name)}. Clients that offer prompts as commands cannot run it.`,
    fix: "Use hyphens or underscores in the name, and put the readable form in `title`.",
  }),
];

/** Maximum length of a function's name at OpenAI and Amazon Bedrock. */
export const MAX_NAME = 64;

function showName(name: string): string {
  return name === "" ? "no name" : show(name);
}

function* findDuplicates(entries: readonly EntryFact[], noun: string): Iterable<Problem> {
  const used = new Set<string>();
  for (const { name, place } of entries) {
    if (name !== "" && used.has(name)) {
      yield {
        place,
        message: `The name ${show(name)} belongs to another ${noun} too. Model APIs reject the list, or one ${noun} hides the other.`,
        fix: `Rename one ${noun}, or remove it from the list.`,
      };
    }
    used.add(name);
  }
}

/** Names of built-in tools by client. */
const BUILT_IN: Readonly<Record<string, string>> = {
  "Claude Code": "Bash Edit Glob Grep NotebookEdit Read Task TodoWrite WebFetch WebSearch Write",
  "Claude's API": "bash code_execution computer memory web_fetch web_search",
  "Gemini CLI":
    "glob google_web_search list_directory read_file read_many_files replace run_shell_command " +
    "save_memory search_file_content web_fetch write_file",
  Cline:
    "ask_followup_question attempt_completion execute_command list_files read_file replace_in_file " +
    "search_files write_to_file",
};
