"""Files that programs execute or follow without being asked: which, and why a person must confirm.

A change to one makes a shell, an editor, git or a build machine run code later, without a request.
The module is data, and the comparison of a path with it; it opens folders only to list them. Called
by writing.py. Files that run only when a person types a command (a Makefile, a script, a source
file, executable or not) are not included: changing those is an agent's work.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from corpus_agent.text.sanitize import visible


@dataclass(frozen=True, slots=True)
class Guard:
    """Patterns of paths, and the reason for the confirmation.

    A pattern is one or more names in lower case, with `*` inside a name; it matches the end of a
    path, and with a slash at its end everything below a folder of that name.
    """

    why: str
    patterns: tuple[str, ...]


def _guard(why: str, patterns: str) -> Guard:
    return Guard(why, tuple(patterns.split()))


GUARDS = (
    _guard(
        "it is an index of corpus-agent, from which answers are made",
        """
        .corpus-agent/
        """,
    ),
    _guard(
        "version control runs what its settings and hooks name",
        """
        .hg/ .jj/ .sl/ .svn/ .bzr/ .hgrc .gitattributes .gitmodules .gitconfig .config/git/
        .lfsconfig .hgsub .cvsrc cvs/ _darcs/ .pijul/ .repo/ .arcconfig
        """,
    ),
    _guard(
        "git runs it as a hook",
        """
        .githooks/ .husky/ .pre-commit-config.yaml .pre-commit-hooks.yaml lefthook.y*ml
        .lefthook.y*ml .overcommit.yml hooks/pre-* hooks/post-* hooks/prepare-* hooks/commit-msg
        hooks/applypatch-msg hooks/update hooks/proc-receive hooks/fsmonitor-*
        hooks/push-to-checkout hooks/reference-transaction hooks/sendemail-validate hooks/p4-*
        .git-hooks/ git-hooks/ githooks/ .hooks/ .lefthook/ .lefthookrc lefthook-local.y*ml
        .huskyrc* .simple-git-hooks.* simple-git-hooks.* .lintstagedrc* lint-staged.config.*
        .commitlintrc* commitlint.config.* captainhook.json grumphp.y*ml
        """,
    ),
    _guard(
        "a shell runs it, or takes variables from it, when a folder is entered",
        """
        .envrc .env .env.* .direnv/ .mise.toml mise.toml .mise/ mise/ .mise.*.toml mise.*.toml
        .config/mise* .rtx.toml .tool-versions .autoenv .autoenv.zsh .devbox/ devenv.nix shell.nix
        flake.nix .asdfrc .envrc.* .direnvrc direnvrc .config/direnv/ .local/share/direnv/ .venv/
        venv/ devbox.json devenv.y*ml default.nix flake.lock .env-* .python-version .node-version
        .nvmrc .ruby-version .java-version .sdkmanrc
        """,
    ),
    _guard(
        "a shell, a session or a terminal runs it when it starts",
        """
        .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_env .profile .zshrc
        .zshenv .zprofile .zlogin .zlogout .zsh/ .oh-my-zsh/ .kshrc .mkshrc .shrc .cshrc .tcshrc
        .login .logout .config/fish/ config.fish .config/nushell/ .config/powershell/ .inputrc
        .xinitrc .xserverrc .xsession .xsessionrc .xprofile .xresources .pam_environment
        .config/environment.d/ environment.d/ profile.d/ .tmux.conf .config/tmux/ .screenrc
        .wezterm.lua .config/wezterm/ .config/kitty/ .config/alacritty/ .config/hypr/ .config/i3/
        .config/sway/ .bashrc.* .bashrc.d/ .bash.d/ .config/bash/ .bash_aliases.* .zsh_* .zshrc.*
        .zshrc.d/ .zsh.d/ .zlogin.* .config/zsh/ .antigenrc .aliases .functions .exports .kshrc.*
        .config/starship.toml .config/ghostty/ .config/foot/ .config/elvish/ .config/xonsh/
        .xonshrc .hushlogin .xmodmap .xbindkeysrc .fehbg .config/sxhkd/ .config/bspwm/
        .config/awesome/ .config/polybar/ .config/waybar/ .config/openbox/ .config/lxsession/
        .config/plasma-workspace/ .fluxbox/ .icewm/ .kde/ .tmux/ tmux.conf .tmuxinator* .tmuxp.*
        .byobu/ .zellij/ .config/zellij/ profile.ps1 *_profile.ps1 .minttyrc
        """,
    ),
    _guard(
        "the system starts what it names",
        """
        .config/systemd/ systemd/ *.service *.timer *.socket *.path *.mount .config/autostart/
        autostart/ *.desktop crontab .crontab cron.d/ cron.daily/ cron.hourly/ cron.weekly/
        cron.monthly/ init.d/ rc.local .local/bin/ .local/share/dbus-1/ .local/share/applications/
        launchagents/ launchdaemons/ ld.so.preload ld.so.conf.d/ udev/rules.d/ sudoers.d/ *.slice
        *.target *.plist crontabs/ anacrontab .anacron/ ld.so.conf autorun.inf .config/containers/
        .forward .procmailrc .fetchmailrc .msmtprc .mbsyncrc .vacation.msg .qmail*
        """,
    ),
    _guard(
        "it says who may log in, and what is run then",
        """
        .ssh/ authorized_keys authorized_keys2 ssh_config sshd_config .rhosts .shosts .netrc
        .gnupg/ .k5login
        """,
    ),
    _guard(
        "an editor runs what is in it when the folder is opened",
        """
        .vscode/ *.code-workspace .idea/ *.iml .vs/ .zed/ .fleet/ .nova/ .devcontainer/
        .devcontainer.json .exrc .vimrc _vimrc .gvimrc .nvimrc .nvim.lua .lvimrc .local.vimrc .vim/
        .config/nvim/ .emacs .emacs.d/ .config/emacs/ .dir-locals.el .dir-locals-2.el
        *.sublime-project .helix/ .kakrc .nanorc .ycm_extra_conf.py .clangd .project .eslintrc*
        eslint.config.* .prettierrc* prettier.config.* .stylelintrc* stylelint.config.* .theia/
        .gitpod.yml .rubocop.yml *.sublime-build .emacs.el .emacs.elc early-init.el .spacemacs
        .spacemacs.d/ .doom.d/ .config/doom/ .nvim/ .config/vim/ .config/helix/ .config/zed/
        .vimrc.* .config/micro/ .micro/ .lapce/ .atom/ .idx/ .replit replit.nix .gitpod.*
        .devfile.y*ml devfile.y*ml .codesandbox/ .projectile .settings/ .classpath .factorypath
        nbproject/ .metals/ .bloop/ .bsp/ omnisharp.json .luarc.json .solargraph.y*ml .ccls
        pyrightconfig.json
        """,
    ),
    _guard(
        "other agents obey it, or start what it names",
        """
        .mcp.json mcp.json mcp_servers.json claude_desktop_config.json .claude/ .claude.json
        claude.md claude.local.md agents.md gemini.md .cursor/ .cursorrules .windsurf/
        .windsurfrules .gemini/ .codex/ .continue/ .roo/ .roorules .roomodes .clinerules
        .clinerules/ .cline/ .kiro/ .aider.conf.yml .aider* .goosehints .junie/ .amazonq/ .augment/
        .opencode/ opencode.json .github/copilot-instructions.md .github/prompts/
        .github/instructions/ .github/agents/ .github/chatmodes/ agents.*.md agent.md claude.*.md
        .agents/ .agent/ qwen.md qwen.*.md .qwen/ gemini.*.md .rules .trae/ .goose/ .crush.json
        crush.json crush.md .factory/ .droid/ .warp/ warp.md .void/ .llmrules .mcp/ mcp.y*ml
        mcp-config.json .lsp.json .tabnine/ .pearai/ .zencoder/ .github/copilot/ .github/hooks/
        .github/skills/ settings.local.json .coderabbit.y*ml .sourcery.y*ml
        """,
    ),
    _guard(
        "a machine runs it at the next push",
        """
        .github/workflows/ .github/actions/ .gitea/workflows/ .forgejo/workflows/
        .github/dependabot.yml .gitlab-ci.yml .gitlab-ci/ .gitlab/ .circleci/ .travis.yml
        jenkinsfile jenkinsfile.* azure-pipelines*.y*ml .azure-pipelines/ bitbucket-pipelines.yml
        .drone.yml .woodpecker* .woodpecker/ .buildkite/ appveyor.yml .appveyor.yml .cirrus.yml
        .semaphore/ .teamcity/ .build.yml .builds/ cloudbuild.y*ml .builder/ .readthedocs.y*ml
        netlify.toml vercel.json action.y*ml .gitlab-ci.yaml .travis.yaml .woodpecker.y*ml
        appveyor.yaml .appveyor.yaml .cirrus.yaml wercker.y*ml buildspec.y*ml .platform.app.y*ml
        .vercel/ .firebaserc firebase.json wrangler.toml fly.toml render.yaml renovate.json*
        .renovaterc* .mergify.yml .github/dependabot.yaml
        """,
    ),
    _guard(
        "Python runs it unasked: when it starts, when tests are looked for, or when it "
        "is installed",
        """
        sitecustomize.py usercustomize.py *.pth conftest.py setup.py setup.cfg pyproject.toml
        pytest.ini tox.ini noxfile.py pip.conf .pip/ pip.ini .pypirc .condarc pyvenv.cfg .pythonrc
        .pythonrc.py .pythonstartup .pdbrc .pdbrc.py .ipython/ .jupyter/ jupyter_*_config.py *._pth
        sitecustomize/ usercustomize/ conftest/ sitecustomize.* usercustomize.* conftest.*
        .pytest.ini pytest.toml .pytest.toml jupyter*config.* ipython_config.* .mypy.ini mypy.ini
        .pylintrc pylintrc .coveragerc tox.toml pdm.toml .pdm-python pixi.toml uv.toml poetry.toml
        hatch.toml pipfile __pycache__/ *.pyc
        """,
    ),
    _guard(
        "a tool for packages or builds runs what it names",
        """
        package.json .npmrc .yarnrc .yarnrc.yml .yarn/ .pnp.cjs .pnp.* .pnpmfile.cjs
        pnpm-workspace.yaml bunfig.toml deno.json deno.jsonc .cargo/ build.rs rust-toolchain
        rust-toolchain.toml binding.gyp build.gradle* settings.gradle* init.gradle*
        gradle.properties .gradle/ gradle-wrapper.* gradlew mvnw .mvn/ .m2/ .bazelrc .bazeliskrc
        tools/bazel .composer/ composer.json .gemrc .bundle/ .terraformrc .docker/ .kube/
        .aws/config .sbtopts .jvmopts .guix-authorizations *.csproj *.fsproj *.vbproj *.vcxproj
        *.proj *.props *.targets *.sln *.slnx nuget.config global.json .config/dotnet-tools.json
        cmakelists.txt cmakepresets.json cmakeuserpresets.json *.cmake meson.build pom.xml
        build.sbt project/plugins.sbt project/build.properties cargo.toml mix.exs .formatter.exs
        .credo.exs rebar.config gemfile gemfile.* *.gemspec go.work .babelrc* babel.config.*
        *.config.js *.config.cjs *.config.mjs *.config.ts *.config.cts *.config.mts .mocharc*
        .postcssrc* .swcrc .czrc .releaserc* .release-it.* .nycrc* .ncurc* tsconfig*.json
        node_modules/ .pnpmfile.* .yarn*.cjs .bun/ brewfile .brewfile .terraform/ .terraformrc.*
        project.clj deps.edn stack.yaml *.cabal cabal.project* dune dune-project package.swift
        pubspec.yaml renv/ .bazelversion .buckconfig workspace workspace.bazel module.bazel
        """,
    ),
    _guard(
        "a program of every day reads its settings from it, and runs what they name",
        """
        .gdbinit .lldbinit .psqlrc .sqliterc .my.cnf .irbrc .pryrc .rprofile .renviron .ghci
        .octaverc .mailcap .curlrc .wgetrc .lessfilter .lesskey .ackrc .ripgreprc .fdignore
        .ctags.d/ .ctags .mutt/ .muttrc .config/mimeapps.list .config/khotkeysrc .irssi/
        .gdbearlyinit .gdbinit.* gdbinit .lldbinit-* .iex.exs .erlang .ocamlinit .mongorc.js
        .mongoshrc.js .duckdbrc .dbshell .redisclirc .julia/ .gnuplot .sage/ startup.m .config/lf/
        .config/ranger/ .config/vifm/ .config/htop/ .config/git* .w3m/ .lynxrc .ansible.cfg
        ansible.cfg .rspec .railsrc .config/gh/ .aws/ .config/gcloud/ .pgpass .pg_service.conf
        """,
    ),
)

# Files of other version control may be confirmed; those of git are changed by git only.
GIT = ".git"
_GITS = (GIT, "git~1")  # its short name on Windows disks


def why_asked(root: Path, parts: Sequence[str]) -> str:
    """Why a person must confirm a write to the path below `root`; "" if none must."""
    names = [folded(name) for name in (*root.parts, *parts)]  # the root may lie in such a folder
    for guard in GUARDS:
        if any(_fits(pattern, names) for pattern in guard.patterns):
            return guard.why
    if _makes_repository(root, parts):
        return "with it the folder is a git repository, whose settings and hooks git runs"
    return ""


def belongs_to_git(path: Path) -> bool:
    """Whether a path is `.git` or lies below one."""
    return any(folded(part) in _GITS for part in path.parts)


def folded(name: str) -> str:
    """A name as the most lenient file system compares it.

    Ignores letter case, compatible and invisible characters (HFS+), trailing dots and blanks, and
    what follows a colon (NTFS).
    """
    plain = unicodedata.normalize("NFKC", visible(unicodedata.normalize("NFKC", name)))
    return unicodedata.normalize("NFKC", plain.casefold()).partition(":")[0].rstrip(". ") or name


def _fits(pattern: str, names: Sequence[str]) -> bool:
    wanted = pattern.rstrip("/").split("/")
    ends = range(len(wanted), len(names)) if pattern.endswith("/") else (len(names),)
    # Also the folder's name itself: a file or link in its place.
    return any(
        len(wanted) <= end and all(map(fnmatchcase, names[end - len(wanted) : end], wanted))
        for end in (*ends, len(names))
    )


def _makes_repository(root: Path, parts: Sequence[str]) -> bool:
    """Whether the new path would make one of its folders a git repository.

    The rule is git's own (setup.c, is_git_directory): HEAD, and objects and refs or their
    replacements. Such a folder needs no `.git`, and git uses its settings wherever it finds it.
    """
    here = root
    for part in parts:
        there = {name for name in _OF_REPOSITORY if os.path.lexists(here / name)}
        there |= {name for name in _OF_REPOSITORY if folded(name) == folded(part)}
        if "HEAD" in there and ("commondir" in there or {"objects", "refs"} <= there):
            return True
        here = here / part
    return False


_OF_REPOSITORY = ("HEAD", "objects", "refs", "commondir")
