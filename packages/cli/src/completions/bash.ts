/**
 * @fileoverview Creates the completion script for bash 3.2 and later, without the bash-completion package.
 * @module cli/completions/bash
 */
import { type CompletedCommand, formsOf, SERVER_FLAGS, type Values } from "./model.js";
import { quotePosix } from "./quote.js";

/** Creates the script. It defines functions that start with `_tenon`, and does not run anything. */
export function createBashScript(commands: readonly CompletedCommand[]): string {
  const names = [...commands.map(({ name }) => name), "help"];
  return [
    "# Completion of tenon for bash. Created by: tenon completions bash",
    "",
    ...wordsFunction("_tenon_commands", [["*", [...names, "--help", "--version"]]]),
    ...wordsFunction(
      "_tenon_flags",
      commands.map(({ name, flags }) => [quotePosix(name), flags.flatMap(formsOf)]),
    ),
    ...testFunction(
      "_tenon_is_repeatable",
      commands.flatMap(({ name, flags }) =>
        flags
          .filter(({ isRepeatable }) => isRepeatable)
          .flatMap((flag) => formsOf(flag).map((form) => `${name} ${form}`)),
      ),
    ),
    ...testFunction(
      "_tenon_is_server_flag",
      commands
        .filter(({ hasTarget }) => hasTarget)
        .flatMap(({ name }) => SERVER_FLAGS.map((flag) => `${name} ${flag}`)),
    ),
    ...kindFunction(commands),
    BODY,
    "",
  ].join("\n");
}

type Case = readonly [pattern: string, words: readonly string[]];

/** Creates a function that sets the array `words` to the words of the first pattern that matches its argument. */
function wordsFunction(name: string, cases: readonly Case[]): readonly string[] {
  return [
    `${name}() {`,
    "  words=()",
    '  case "$1" in',
    ...cases.map(([pattern, words]) => `    ${pattern}) words=(${words.map(quotePosix).join(" ")}) ;;`),
    "  esac",
    "}",
    "",
  ];
}

/** Creates a function that returns true if its argument is one of the words. */
function testFunction(name: string, words: readonly string[]): readonly string[] {
  return [
    `${name}() {`,
    '  case "$1" in',
    ...words.map((word) => `    ${quotePosix(word)}) return 0 ;;`),
    "  esac",
    "  return 1",
    "}",
    "",
  ];
}

/**
 * Creates the function that sets `kind` and `words` for the value of a flag, or of the argument with a number. It fails
 * if the flag takes no value.
 */
function kindFunction(commands: readonly CompletedCommand[]): readonly string[] {
  const cases = commands.flatMap(({ name, flags, positionals }) => [
    ...flags.flatMap((flag) =>
      flag.values === undefined
        ? []
        : [
            toCase(
              formsOf(flag).map((form) => `${name} ${form}`),
              flag.values,
            ),
          ],
    ),
    ...positionals.map(({ values }, index) => toCase([`${name} ${index + 1}`], values)),
  ]);
  return [
    "_tenon_values() {",
    "  kind=none words=()",
    '  case "$1 $2" in',
    ...cases.map((line) => `    ${line}`),
    `    'help 1') kind=choices; words=(${commands.map(({ name }) => quotePosix(name)).join(" ")}) ;;`,
    "    *) return 1 ;;",
    "  esac",
    "}",
    "",
  ];
}

function toCase(patterns: readonly string[], values: Values): string {
  const words = values.kind === "choices" ? `; words=(${values.words.map(quotePosix).join(" ")})` : "";
  return `${patterns.map(quotePosix).join(" | ")}) kind=${values.kind}${words} ;;`;
}

/**
 * The part of the script that is the same for all commands. Readline splits words at `=` and `:`, so they are joined
 * first. Suggestions are compared as text: `compgen -W` would expand them. If nothing is suggested, readline completes
 * file names, which it quotes correctly.
 */
const BODY = `# Joins the words around = and :, which readline has split. Sets the array line.
_tenon_line() {
  local i word glue='' last
  line=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    last=$((\${#line[@]} - 1))
    if ((last >= 1)) && [[ $word == [=:]* && -z \${word//[=:]/} ]]; then
      line[last]+=$word
      glue=yes
    elif [[ -n $glue && -n $word ]]; then
      line[last]+=$word
      glue=''
    else
      line+=("$word")
      glue=''
    fi
  done
}

# Suggests the words that start with the text.
_tenon_suggest() {
  local text=$1 word
  shift
  for word in "$@"; do
    [[ $word == "$text"* ]] && COMPREPLY+=("$word")
  done
  compopt +o default 2>/dev/null
  return 0
}

# Suggests values of the kind that _tenon_values has set.
_tenon_complete_value() {
  local text=$1 word
  case $kind in
    files) ;;
    folders) compopt -o dirnames +o default 2>/dev/null ;;
    choices) _tenon_suggest "$text" "\${words[@]}" ;;
    variables)
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -e -- "$text")
      compopt +o default 2>/dev/null
      ;;
    tools)
      words=()
      if [[ -f $module ]]; then
        while IFS= read -r word; do
          words+=("$word")
        done < <("\${line[0]/#\\~/$HOME}" completions --list-tools "$module" 2>/dev/null </dev/null)
      fi
      _tenon_suggest "$text" "\${words[@]}"
      ;;
    *) compopt +o default 2>/dev/null ;;
  esac
  return 0
}

_tenon() {
  local line words kind command cur flag='' used=' ' module='' position=0 i last word
  COMPREPLY=()
  _tenon_line
  last=$((\${#line[@]} - 1))
  cur=\${line[last]}
  if ((last <= 1)); then
    _tenon_commands
    _tenon_suggest "$cur" "\${words[@]}"
    return 0
  fi
  command=\${line[1]}
  for ((i = 2; i < last; i++)); do
    word=\${line[i]}
    if [[ -n $flag ]]; then
      [[ $flag == --server || $flag == -s ]] && module=$word
      flag=''
      continue
    fi
    case $word in
      --)
        # The first word after -- is a program. Its arguments may be files.
        if ((i == last - 1)); then
          while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -c -- "$cur")
        fi
        return 0
        ;;
      -?*)
        used+="\${word%%=*} "
        # The flag takes the place of the first argument.
        _tenon_is_server_flag "$command \${word%%=*}" && position=$((position + 1))
        [[ $word == --server=* ]] && module=\${word#*=}
        [[ $word != *=* ]] && _tenon_values "$command" "$word" && flag=$word
        ;;
      *)
        position=$((position + 1))
        [[ -z $module ]] && module=$word
        ;;
    esac
  done
  if [[ -n $flag ]]; then
    _tenon_values "$command" "$flag"
    _tenon_complete_value "$cur"
  elif [[ $cur == --*=* ]]; then
    if _tenon_values "$command" "\${cur%%=*}"; then
      _tenon_complete_value "\${cur#*=}"
      if [[ $COMP_WORDBREAKS != *=* ]]; then
        for ((i = 0; i < \${#COMPREPLY[@]}; i++)); do COMPREPLY[i]="\${cur%%=*}=\${COMPREPLY[i]}"; done
      fi
    fi
  elif [[ $cur == -* ]]; then
    _tenon_flags "$command"
    for word in "\${words[@]}"; do
      if [[ $used != *" $word "* ]] || _tenon_is_repeatable "$command $word"; then
        _tenon_suggest "$cur" "$word"
      fi
    done
    compopt +o default 2>/dev/null
  else
    _tenon_values "$command" "$((position + 1))" || kind=none
    _tenon_complete_value "$cur"
  fi
  return 0
}

complete -o default -F _tenon tenon`;
