"""Makes the completions of shells from the same rows as the manual pages."""

from __future__ import annotations

import re

from help import HERE, Command, Part, Row, choices, places

FOLDERS = {"DIR", "FOLDER", "LAKE"}
FILES = {"FILE", "LOG", "NEW-LOG", "OUT", "PDF"}
Forms = dict[str, list[Part]]


def rows(parts: list[Part]) -> list[Row]:
    """Returns the rows that have options, each option once."""
    seen: dict[str, Row] = {}
    for row in (row for part in parts for given in part.rows for row in _apart(given)):
        seen.setdefault(row.term if "=" in row.term else " ".join(row.options), row)
    told = {option for row in seen.values() for option in row.options}
    for option, value in re.findall(OPTION, " ".join(usage for p in parts for usage in p.usage)):
        if option not in told:
            told.add(option)
            seen[option] = Row(f"{option} {value}".strip(), "")
    return list(seen.values())


# In a line of usage, with its value.
OPTION = r"(?<![\w-])(--?[A-Za-z][\w-]*)(?: ([A-Z][A-Z-]*))?"


def _apart(row: Row) -> list[Row]:
    """Splits a row with several options into one row per option. A short option and its long name
    count as one option.
    """
    if not row.options:
        return []
    if len(row.options) == 1 or (len(row.options) == 2 and not row.options[0].startswith("--")):
        return [row]
    return [Row(option, row.text) for option in row.options]


def kind(row: Row) -> str:
    """Returns the kind of the option's value. Returns an empty string if the option has no value,
    or completion cannot suggest one.
    """
    if not row.value or "=" in row.term:
        return ""
    return "folder" if row.value in FOLDERS else "file" if row.value in FILES else "other"


def subcommands(commands: list[Command], forms: Forms) -> dict[str, str]:
    """Returns the name of the manual page for each subcommand of darshan."""
    named = {other: c.name for c in commands for other in [c.name, *c.others]}
    words = dict.fromkeys(row.term.split()[0] for row in forms["darshan"][0].rows)
    return {word: named[f"darshan-{word}"] for word in words if f"darshan-{word}" in named}


def programs(forms: Forms) -> list[str]:
    """Returns the commands that start another program."""
    return [name for name, parts in forms.items() if "PROGRAM" in parts[0].usage[0]]


def installed(commands: list[Command]) -> list[str]:
    """Returns the commands that users can type, in the order of commands.txt."""
    alone = [c for c in commands if len(c.words) == 1]
    return [name for c in alone for name in [c.name, *c.others] if name not in PAGES_ONLY]


# Names of pages, by which `man darshan report` finds what `darshan report` is.
PAGES_ONLY = (
    "darshan-report",
    "darshan-parse",
    "darshan-dxt-parse",
    "darshan-dxt-analyze",
    "darshan-per-file",
    "darshan-analyze",
)


def words(row: Row) -> list[str]:
    return [row.term] if "=" in row.term else row.options


def bash(commands: list[Command], forms: Forms) -> str:
    front = subcommands(commands, forms)
    options, values, few = [], [], []
    for command in commands:
        mine = rows(forms[command.name])
        named = "|".join([command.name, *command.others])
        options.append(f"    {named}) echo '{' '.join(w for row in mine for w in words(row))}' ;;")
        for row in mine:
            if kind(row):
                values.append(f"    {_cases(named, row.options)}) echo {kind(row)} ;;")
            lists = choices(row)
            for place in range(1, len(lists) + 1):  # what comes before may be left out
                given = [word for later in lists[place - 1 :] for word in later]
                cases = _cases(named, [f"{option} {place}" for option in row.options])
                few.append(f"    {cases}) echo '{' '.join(given)}' ;;")
        for place, given in places(forms[command.name]).items():
            few.append(f"    {_cases(named, [str(place)])}) echo '{' '.join(given)}' ;;")
    fill = {
        "names": "\n".join(
            f"    {w}) echo {n} ;;" for w, n in front.items() if n != f"darshan-{w}"
        ),
        "options": "\n".join(options),
        "values": "\n".join(values),
        "few": "\n".join(few),
        "commands": " ".join([*front, "help"]),
        "front": " ".join(o for row in rows(forms["darshan"]) for o in row.options),
        "programs": " | ".join(programs(forms)),
        "all": " ".join(installed(commands)),
    }
    template = (HERE / "completion.bash").read_text()
    return re.sub(r"@(\w+)@", lambda match: fill[match.group(1)], template)


def _cases(named: str, words: list[str]) -> str:
    return " | ".join(f'"{name} {word}"' for name in named.split("|") for word in words)


def brief(row: Row) -> str:
    """Returns the first part of the row's description."""
    return re.sub(r" \[[^\]]*$", "", re.split(r"; |\.  ", row.text)[0])


def how(row: Row) -> str:
    """Returns the placeholder for the option's value, such as FILE."""
    return row.value.strip("[]") or "how"


def _zsh_row(row: Row) -> str:
    """Returns the row as an argument of zsh's _arguments."""
    text = re.sub(r"([\[\]:])", r"\\\1", brief(row)).replace("'", "'\\''")
    said = f"[{text}]" if text else ""
    action = {"folder": "_files -/", "file": "_files", "other": " "}.get(kind(row), "")
    value = f":{how(row)}:{action}" if action else ""
    lists = choices(row)
    if lists:  # what stands in brackets may be left out
        colons = "::" if "[" in row.term else ":"
        value = "".join(f"{colons}{how(row)}:({' '.join(given)})" for given in lists)
    if "=" in row.term:
        option, _, given = row.term.partition("=")
        return f"'{option}=-{said}::how:({given})'"
    if len(row.options) == 1:
        return f"'*{row.options[0]}{said}{value}'"
    group = " ".join(row.options)
    return f"'({group})'{{{','.join(row.options)}}}'{said}{value}'"


def zsh(commands: list[Command], forms: Forms) -> str:
    front = subcommands(commands, forms)
    lines = [
        f"#compdef {' '.join(installed(commands))}",
        "# Generated by ./dev describe; do not edit.",
        "",
    ]
    lines += ["_darshan_of() {", "  case $1 in"]
    for command in commands:
        mine = rows(forms[command.name])
        given = {row.term.partition("=")[0] for row in mine if "=" in row.term}
        specs = [_zsh_row(row) for row in mine if not given & set(row.options) or "=" in row.term]
        runs = command.name in programs(forms)
        few = places(forms[command.name])
        before = ["'1:file:_files'"] if few and 1 not in few else []
        before += [f"'{place}:which:({' '.join(given)})'" for place, given in few.items()]
        specs += ["'(-):program:_command_names -e'", "'*::arguments:_normal'"] if runs else [
            *before, "'*:file:_files'"]  # fmt: skip
        lines.append(f"    {'|'.join([command.name, *command.others])})")
        lines.append("      _arguments -S : \\\n        " + " \\\n        ".join(specs) + " ;;")
    lines += ["  esac", "}", "", "_darshan() {", "  local name=$service"]
    lines += ["  [[ $name = darshan ]] || { _darshan_of $name; return }"]
    lines += ["  if (( CURRENT == 2 )); then"]
    options = " ".join(o for row in rows(forms["darshan"]) for o in row.options)
    lines += [f"    compadd -- {' '.join(front)} help {options}", "    return", "  fi"]
    lines += ["  name=darshan-$words[2]", "  if [[ $words[2] = help ]]; then"]
    lines += [f"    compadd -- {' '.join(front)}", "    return", "  fi"]
    lines += ["  shift words", "  (( CURRENT-- ))", "  _darshan_of $name", "}", "", '_darshan "$@"']
    return "\n".join(lines) + "\n"


def _fish_rows(command: str, parts: list[Part], when: str) -> list[str]:
    lines = []
    for row in rows(parts):
        if "=" in row.term:
            continue
        line = f"complete -c {command}{when}"
        for option in row.options:
            line += f" -l {option[2:]}" if option.startswith("--") else f" -s {option[1:]}"
        line += {"folder": " -x -a '(__fish_complete_directories)'", "file": " -r -F",
                 "other": " -x"}.get(kind(row), "")  # fmt: skip
        lists = choices(row)
        if len(lists) == 1:
            line = line.replace(" -x", "") + f" -x -a '{' '.join(lists[0])}'"
        text = brief(row).replace("'", "\\'")
        lines.append(line + (f" -d '{text}'" if text else ""))
        if len(lists) > 1:  # behind it, each once
            seen = f"__fish_contains_opt {row.options[-1][2:]}"
            for given in lists:
                told = " ".join(given)
                test = f"{seen}; and not __fish_seen_subcommand_from {told}"
                lines.append(f"complete -c {command} -n '{test}' -a '{told}'")
    behind = when.removeprefix(" -n ").strip("'")
    for given in places(parts).values():
        test = f"not __fish_seen_subcommand_from {' '.join(given)}"
        test = f"{behind}; and {test}" if behind else test
        lines.append(f"complete -c {command} -n '{test}' -a '{' '.join(given)}'")
    return lines


def fish(commands: list[Command], forms: Forms) -> dict[str, str]:
    """Returns the text of each completion file, by the command name that fish searches for."""
    head = "# Generated by ./dev describe; do not edit.\n"
    made = {}
    for command in (c for c in commands if len(c.words) == 1):
        lines = _fish_rows(command.name, forms[command.name], "")
        if command.name == "darshan":
            lines = _fish_front(commands, forms)
        made[f"{command.name}.fish"] = head + "\n".join(lines) + "\n"
        made.update({
            f"{other}.fish": f"{head}complete -c {other} -w {command.name}\n"
            for other in command.others if other not in PAGES_ONLY
        })  # fmt: skip
    return made


def _fish_front(commands: list[Command], forms: Forms) -> list[str]:
    front = subcommands(commands, forms)
    line_of = {c.name: c.line for c in commands}
    lines = _fish_rows("darshan", forms["darshan"], " -n __fish_use_subcommand")
    first = "complete -c darshan -f -n __fish_use_subcommand -a"
    lines += [f"{first} {word} -d '{line_of[name]}'" for word, name in front.items()]
    lines.append(f"{first} help -d 'the page of the manual'")
    known = " ".join(front)
    lines.append(f"complete -c darshan -f -n '__fish_seen_subcommand_from help' -a '{known}'")
    for word, name in front.items():
        when = f" -n '__fish_seen_subcommand_from {word}'"
        lines += _fish_rows("darshan", forms[name], when)
        if name in programs(forms):
            lines.append(f"complete -c darshan{when} -a '(__fish_complete_subcommand)'")
    return lines
