/**
 * @fileoverview Creates the completion script for fish 3 and later.
 * @module cli/completions/fish
 */
import { type CompletedCommand, formsOf, HELP_COMMAND, SERVER_FLAGS, type Values } from "./model.js";
import { quoteFish, toSummary } from "./quote.js";

/** Creates the script. */
export function createFishScript(commands: readonly CompletedCommand[]): string {
  return [
    "# Completion of tenon for fish. Created by: tenon completions fish",
    "",
    ...testFunctions(commands),
    HELPERS,
    "complete -c tenon -e",
    "complete -c tenon -f",
    ...[...commands, HELP_COMMAND].map(
      ({ name, description }) =>
        `complete -c tenon -n __tenon_at_start -a ${quoteFish(name)} -d ${quoteFish(toSummary(description))}`,
    ),
    "complete -c tenon -n __tenon_at_start -l help -s h -d 'Show the help text'",
    "complete -c tenon -n __tenon_at_start -l version -s v -d 'Show the version'",
    `complete -c tenon -n '__tenon_at help 1' -a ${quoteFish(commands.map(({ name }) => name).join(" "))}`,
    ...commands.flatMap(toCommandLines),
    "",
  ].join("\n");
}

/** Creates the functions that return true if a flag takes a value, and if the first argument is a server. */
function testFunctions(commands: readonly CompletedCommand[]): readonly string[] {
  const flags = commands.flatMap(({ name, flags: own }) =>
    own
      .filter(({ values }) => values !== undefined)
      .flatMap((flag) => formsOf(flag).map((form) => quoteFish(`${name} ${form}`))),
  );
  const targets = commands.filter(({ hasTarget }) => hasTarget).map(({ name }) => quoteFish(name));
  return [
    "function __tenon_takes_value",
    `    contains -- "$argv[1] $argv[2]" ${flags.join(" ")}`,
    "end",
    "",
    "function __tenon_has_target",
    `    contains -- "$argv[1]" ${targets.join(" ")}`,
    "end",
    "",
  ];
}

function toCommandLines({ name, flags, positionals, takesProgram }: CompletedCommand): readonly string[] {
  return [
    "",
    ...flags.map((flag) => {
      const short = flag.short === undefined ? "" : ` -s ${flag.short}`;
      const about = ` -d ${quoteFish(toSummary(flag.description))}`;
      const values = flag.values === undefined ? "" : ` ${toOptions(flag.values)}`;
      return `complete -c tenon -n ${quoteFish(`__tenon_in ${name}`)} -l ${flag.name}${short}${values}${about}`;
    }),
    ...positionals.flatMap(({ values }, index) =>
      values.kind === "none"
        ? []
        : [`complete -c tenon -n ${quoteFish(`__tenon_at ${name} ${index + 1}`)} ${toArguments(values)}`],
    ),
    ...(takesProgram
      ? [`complete -c tenon -n ${quoteFish(`__tenon_after ${name}`)} -F -a '(__fish_complete_command)'`]
      : []),
  ];
}

/** Sources of suggestions. fish expands the words after -a, so they are plain words. */
const SOURCES: Readonly<Record<Exclude<Values["kind"], "choices">, string>> = {
  files: "-F",
  folders: "-a '(__fish_complete_directories (commandline -ct))'",
  variables: "-a '(set -nx)'",
  tools: "-a '(__tenon_tools)'",
  none: "",
};

function toArguments(values: Values): string {
  return values.kind === "choices" ? `-a ${quoteFish(values.words.join(" "))}` : SOURCES[values.kind];
}

/** Options for the value of a flag. */
function toOptions(values: Values): string {
  return `${values.kind === "files" ? "-r" : "-x"} ${toArguments(values)}`.trimEnd();
}

const HELPERS = `# True while the command is still to be written.
function __tenon_at_start
    test (count (commandline -opc)) -eq 1
end

# Prints the arguments of the command before the cursor, one per line.
function __tenon_arguments
    set -l words (commandline -opc)
    test (count $words) -gt 2; or return
    set -l command $words[2]
    set -l skip no
    for i in (seq 3 (count $words))
        set -l word $words[$i]
        if test $skip = yes
            set skip no
            continue
        end
        switch $word
            case '-?*'
                # The flag takes the place of the first argument.
                set -l flag (string replace -r '=.*' '' -- $word)
                if __tenon_has_target $command; and contains -- $flag ${SERVER_FLAGS.join(" ")}
                    set -l value (string replace -r '^[^=]*=?' '' -- $word)
                    test -n "$value"; or set value $words[(math $i + 1)]
                    printf '%s\\n' "$value"
                end
                test "$flag" = "$word"; and __tenon_takes_value $command $word; and set skip yes
            case '*'
                printf '%s\\n' $word
        end
    end
end

# True inside the command, before "--".
function __tenon_in
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test "$words[2]" = "$argv[1]"; and not contains -- -- $words
end

# True if the cursor is at the argument with this number.
function __tenon_at
    __tenon_in $argv[1]; and test (count (__tenon_arguments)) -eq (math $argv[2] - 1)
end

# True after "--".
function __tenon_after
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test "$words[2]" = "$argv[1]"; and contains -- -- $words
end

# Prints the tools of the module that the command line names.
function __tenon_tools
    set -l words (commandline -opc)
    set -l module (__tenon_arguments)[1]
    if test -f "$module"
        $words[1] completions --list-tools $module 2>/dev/null </dev/null
    end
end
`;
