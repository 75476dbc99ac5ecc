import type { Command } from "commander";
import {
  type CompletedOption,
  type CompletionNode,
  toCompletionNodes,
} from "../completion_tree.ts";
import { type CliIo, type GlobalOptions, writeJson } from "../io.ts";

const SCRIPTS: Readonly<
  Record<string, (nodes: readonly CompletionNode[]) => string>
> = {
  bash: toBash,
  zsh: toZsh,
  fish: toFish,
  powershell: toPowerShell,
};

/** Prints what makes a shell complete the words of kbdb, written from the commands themselves. */
export function completions(
  io: CliIo,
  program: Command,
  shell: string,
  { format }: GlobalOptions,
): number {
  const script = SCRIPTS[shell]?.(toCompletionNodes(program)) ?? "";
  if (format === "json") writeJson(io, { shell, script });
  else io.out.write(script);
  return 0;
}

/** Quotes a text for a shell of the Bourne family. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Steps from a command to one inside it, as patterns `WHERE:WORD`. */
function toSteps(nodes: readonly CompletionNode[]): string[] {
  return nodes.filter(({ where }) => where !== "").map(({ where }) => {
    const at = where.lastIndexOf(" ");
    const above = at === -1 ? "" : where.slice(0, at);
    return `      ${quote(`${above}:${where.slice(at + 1)}`)}) where=${
      quote(where)
    } ;;`;
  });
}

/** Patterns `WHERE:FLAG` of the options a test picks. */
function toPatterns(
  { where, options }: CompletionNode,
  test: (option: CompletedOption) => boolean,
): string[] {
  return options.filter(test).flatMap(({ flags }) =>
    flags.map((flag) => quote(`${where}:${flag}`))
  );
}

function toBash(nodes: readonly CompletionNode[]): string {
  const choices = nodes.flatMap((node) =>
    node.options.filter((option) => option.choices.length > 0).map((option) =>
      `    ${
        toPatterns(node, (one) => one === option).join("|")
      }) COMPREPLY=($(compgen -W ${
        quote(option.choices.join(" "))
      } -- "$cur")); return ;;`
    )
  );
  const free = nodes.map((node) =>
    toPatterns(
      node,
      ({ takesValue, choices }) => takesValue && choices.length === 0,
    )
  ).filter((patterns) => patterns.length > 0)
    .map((patterns) => `    ${patterns.join("|")}) return ;;`);
  const words = nodes.map(({ where, words, options }) =>
    `    ${quote(where)}) words=${
      quote(words.map(({ word }) => word).join(" "))
    } options=${quote(options.flatMap(({ flags }) => flags).join(" "))} ;;`
  );
  return lines(
    "# Completion of kbdb for bash: source <(kbdb completions bash)",
    "_kbdb() {",
    '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"',
    "  local where='' words='' options='' i",
    "  COMPREPLY=()",
    "  for ((i = 1; i < COMP_CWORD; i++)); do",
    '    case "$where:${COMP_WORDS[i]}" in',
    ...toSteps(nodes),
    "    esac",
    "  done",
    '  case "$where:$prev" in',
    ...choices,
    ...free,
    "  esac",
    '  case "$where" in',
    ...words,
    "  esac",
    '  if [[ "$cur" == -* ]]; then words="$options"; fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    "}",
    "complete -o default -o bashdefault -F _kbdb kbdb",
  );
}

function toZsh(nodes: readonly CompletionNode[]): string {
  const described = (word: string, about: string) =>
    quote(`${word.replaceAll(":", "\\:")}:${about}`);
  const choices = nodes.flatMap((node) =>
    node.options.filter((option) => option.choices.length > 0).map((option) =>
      `    ${toPatterns(node, (one) => one === option).join("|")}) compadd -- ${
        option.choices.map(quote).join(" ")
      }; return ;;`
    )
  );
  const free = nodes.map((node) =>
    toPatterns(
      node,
      ({ takesValue, choices }) => takesValue && choices.length === 0,
    )
  ).filter((patterns) => patterns.length > 0)
    .map((patterns) => `    ${patterns.join("|")}) _files; return ;;`);
  const cases = nodes.flatMap(({ where, words, options }) => [
    `    ${quote(where)})`,
    `      kbdb_words=(${
      words.map(({ word, about }) => described(word, about)).join(" ")
    })`,
    `      kbdb_options=(${
      options.flatMap(({ flags, about }) =>
        flags.map((flag) => described(flag, about))
      ).join(" ")
    })`,
    "      ;;",
  ]);
  return lines(
    "#compdef kbdb",
    "# Completion of kbdb for zsh: kbdb completions zsh > a folder of $fpath/_kbdb",
    "_kbdb() {",
    "  local where='' i",
    "  local -a kbdb_words kbdb_options",
    "  for ((i = 2; i < CURRENT; i++)); do",
    '    case "$where:${words[i]}" in',
    ...toSteps(nodes),
    "    esac",
    "  done",
    '  case "$where:${words[CURRENT-1]}" in',
    ...choices,
    ...free,
    "  esac",
    '  case "$where" in',
    ...cases,
    "  esac",
    '  if [[ "${words[CURRENT]}" == -* ]]; then',
    "    _describe -o 'option' kbdb_options",
    "  elif (( ${#kbdb_words} )); then",
    "    _describe 'command' kbdb_words || _files",
    "  else",
    "    _files",
    "  fi",
    "}",
    'if [[ "${funcstack[1]}" == "_kbdb" ]]; then _kbdb "$@"; else compdef _kbdb kbdb; fi',
  );
}

function toFish(nodes: readonly CompletionNode[]): string {
  const fish = (text: string) =>
    `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const inner = nodes.map(({ where }) => where).filter((where) => where !== "");
  const rules = nodes.flatMap(({ where, words, options }) => {
    const at = `complete -c kbdb -n ${fish(`__kbdb_at "${where}"`)}`;
    return [
      ...words.map(({ word, about }) =>
        `${at} -f -a ${fish(word)} -d ${fish(about)}`
      ),
      ...options.map(({ flags, takesValue, choices, about }) =>
        [
          at,
          ...flags.map((flag) =>
            flag.startsWith("--")
              ? `-l ${flag.slice(2)}`
              : `-s ${flag.slice(1)}`
          ),
          ...(choices.length > 0
            ? [`-x -a ${fish(choices.join(" "))}`]
            : takesValue
            ? ["-r"]
            : []),
          `-d ${fish(about)}`,
        ].join(" ")
      ),
    ];
  });
  return lines(
    "# Completion of kbdb for fish: kbdb completions fish > ~/.config/fish/completions/kbdb.fish",
    "function __kbdb_at",
    "  set -l where",
    "  for word in (commandline -opc)[2..-1]",
    '    switch (string join -- " " $where $word)',
    `      case ${inner.map(fish).join(" ")}`,
    "        set -a where $word",
    "    end",
    "  end",
    '  test "$where" = "$argv[1]"',
    "end",
    ...rules,
  );
}

function toPowerShell(nodes: readonly CompletionNode[]): string {
  const ps = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const entries = nodes.map(({ where, words, options }) =>
    `    ${ps(where)} = @(${
      [
        ...words.map(({ word }) => word),
        ...options.flatMap(({ flags }) => flags),
      ].map(ps).join(", ")
    })`
  );
  const values = nodes.flatMap(({ where, options }) =>
    options.filter(({ choices }) => choices.length > 0).flatMap((
      { flags, choices },
    ) =>
      flags.map((flag) =>
        `    ${ps(`${where}:${flag}`)} = @(${choices.map(ps).join(", ")})`
      )
    )
  );
  return lines(
    "# Completion of kbdb for PowerShell: kbdb completions powershell | Out-String | Invoke-Expression",
    "Register-ArgumentCompleter -Native -CommandName kbdb -ScriptBlock {",
    "  param($wordToComplete, $commandAst, $cursorPosition)",
    "  $words = @{",
    ...entries,
    "  }",
    "  $values = @{",
    ...values,
    "  }",
    "  $where = ''",
    "  $previous = ''",
    "  foreach ($element in ($commandAst.CommandElements | Select-Object -Skip 1)) {",
    "    $text = $element.ToString()",
    "    if ($element.Extent.EndOffset -ge $cursorPosition -and $wordToComplete -ne '') { break }",
    '    $next = "$where $text".Trim()',
    "    if ($words.ContainsKey($next)) { $where = $next }",
    "    $previous = $text",
    "  }",
    '  $known = $values["${where}:$previous"]',
    "  if ($null -eq $known) { $known = $words[$where] }",
    "  $known | Where-Object { $_.StartsWith($wordToComplete) } | ForEach-Object {",
    "    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)",
    "  }",
    "}",
  );
}

function lines(...all: readonly string[]): string {
  return all.join("\n") + "\n";
}
