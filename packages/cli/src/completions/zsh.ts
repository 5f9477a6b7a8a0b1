/**
 * @fileoverview Creates the completion script for zsh, with zsh's own `_arguments`.
 * @module cli/completions/zsh
 */
import {
  type CompletedCommand,
  type CompletedFlag,
  formsOf,
  HELP_COMMAND,
  SERVER_FLAGS,
  type Values,
} from "./model.js";
import { escapeZshSpec, quotePosix, toSummary } from "./quote.js";

/** Creates the script. It works in a folder of `fpath` and with `source`. */
export function createZshScript(commands: readonly CompletedCommand[]): string {
  return [
    "#compdef tenon",
    "# Completion of tenon for zsh. Created by: tenon completions zsh",
    "",
    ...commandsFunction(commands),
    HELPERS,
    "_tenon() {",
    "  local curcontext=$curcontext state line tenon=$words[1]",
    "  typeset -A opt_args",
    "  if (( CURRENT == 2 )); then",
    "    _alternative 'commands:command:_tenon_commands' 'flags:flag:(--help --version)'",
    "    return",
    "  fi",
    "  shift words",
    "  (( CURRENT -= 1 ))",
    "  local end=${words[(i)--]}",
    "  case $words[1] in",
    ...commands.flatMap(toCommandCase),
    "    help) (( CURRENT == 2 )) && _tenon_commands ;;",
    "  esac",
    "}",
    "",
    // In a folder of `fpath`, zsh runs the file as the function. Otherwise, the user has sourced it.
    'if [[ "$funcstack[1]" == "_tenon" ]]; then',
    '  _tenon "$@"',
    "else",
    "  compdef _tenon tenon",
    "fi",
    "",
  ].join("\n");
}

function commandsFunction(commands: readonly CompletedCommand[]): readonly string[] {
  const lines = [...commands, HELP_COMMAND].map(({ name, description }) =>
    quotePosix(`${name}:${toSummary(description)}`),
  );
  return [
    "_tenon_commands() {",
    "  local -a commands",
    "  commands=(",
    ...lines.map((line) => `    ${line}`),
    "  )",
    "  _describe -t commands command commands",
    "}",
    "",
  ];
}

/** Action for arguments without suggestions. A message would keep zsh from completing flags at the same position. */
const NOTHING = " _tenon_nothing";

function toCommandCase(command: CompletedCommand): readonly string[] {
  const { name, flags, positionals, hasTarget, takesProgram } = command;
  const specs = [
    ...flags.flatMap(toFlagSpecs),
    ...positionals.map(({ name: argument, values }, index) => {
      const next = positionals[index + 1]?.values.kind === "tools" ? "_tenon_tools" : NOTHING.trim();
      const action = values.kind === "none" ? NOTHING : toAction(values);
      const own = hasTarget && index === 0 ? ` _tenon_target ${next}` : action;
      return quotePosix(`${index + 1}:${escapeZshSpec(argument)}:${own}`);
    }),
  ];
  // After `--`, the program's own completion takes over.
  const program = takesProgram
    ? [
        "      if (( end < CURRENT )); then",
        "        shift $end words",
        "        (( CURRENT -= end ))",
        "        _normal",
        "        return",
        "      fi",
      ]
    : [];
  return [
    `    ${quotePosix(name)})`,
    ...program,
    ["      _arguments -S", ...specs.map((spec) => `        ${spec}`)].join(" \\\n"),
    "      ;;",
  ];
}

/** Creates the specifications of a flag: one for each form. Each form excludes the other unless it is repeatable. */
function toFlagSpecs(flag: CompletedFlag): readonly string[] {
  const { name, description, values, isRepeatable } = flag;
  const forms = formsOf(flag);
  const prefix = isRepeatable ? "*" : forms.length > 1 ? `(${forms.join(" ")})` : "";
  const about = `[${escapeZshSpec(toSummary(description))}]`;
  const value = values === undefined ? "" : `:${escapeZshSpec(name)}:${toAction(values)}`;
  return forms.map((form) => {
    const mark = values === undefined ? "" : form.startsWith("--") ? "=" : "+";
    return quotePosix(`${prefix}${form}${mark}${about}${value}`);
  });
}

const ACTIONS: Readonly<Record<Exclude<Values["kind"], "choices">, string>> = {
  files: "_files",
  folders: "_files -/",
  variables: "_tenon_variables",
  tools: "_tenon_tools",
  none: " ",
};

function toAction(values: Values): string {
  return values.kind === "choices" ? `(${values.words.join(" ")})` : ACTIONS[values.kind];
}

const HELPERS = `_tenon_nothing() {
  return 1
}

_tenon_variables() {
  _parameters -g '*export*'
}

# Suggests files for the server. If a flag selects the server, runs the command for the next argument.
_tenon_target() {
  if [[ -n \${(M)\${(k)opt_args}:#(${SERVER_FLAGS.join("|")})} ]]; then
    "$@"
  else
    _files
  fi
}

# Suggests the tools of the module that the command line names.
_tenon_tools() {
  local module=\${opt_args[--server]:-\${opt_args[-s]:-$line[1]}}
  local -a tools
  [[ -f $module ]] && tools=(\${(f)"$("\${tenon/#\\~/$HOME}" completions --list-tools "$module" 2>/dev/null </dev/null)"})
  compadd -a tools
}
`;
