import { z } from 'zod'
import { componentsOf } from './paths.ts'
import { type RuleExamples, readRules } from './rule-table.ts'
import { indexRules } from './rules.ts'

/** Files through which code runs later. */
interface ExecutedRule extends RuleExamples {
  reason: string
  /** Whether it runs with nobody asking for it, or with the tool that it belongs to. */
  runs: 'by itself' | 'with its tool'
  names: string
}

const cells = z.strictObject({
  rule: z.string(),
  why: z.string(),
  runs: z.enum(['by itself', 'with its tool']),
  names: z.string(),
})

const table = `
| rule    | why                    | runs      | names                                            | examples                            |
|---------+------------------------+-----------+--------------------------------------------------+-------------------------------------|
| startup | what is written there  | by itself | .bashrc .bash_profile .bash_login .bash_logout   | ~/.bashrc                           |
|         | runs by itself later   |           | .bash_aliases .profile .zshrc .zshenv .zprofile  | ~/.config/autostart/x.desktop       |
|         |                        |           | .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc   | /etc/cron.d/job                     |
|         |                        |           | .login .inputrc .config/fish/ .xinitrc .xprofile | lib/x.pth                           |
|         |                        |           | .xsession .xsessionrc .config/autostart/         | ~/.ssh/config                       |
|         |                        |           | .config/systemd/ .config/environment.d/          | .config/tmux/tmux.conf              |
|         |                        |           | .pam_environment .local/share/applications/      | .local/share/systemd/user/x.service |
|         |                        |           | .config/plasma-workspace/ .config/hypr/          | ! notes/bashrc.org                  |
|         |                        |           | .config/sway/ .config/i3/ .config/kitty/         | ! profile.md                        |
|         |                        |           | .config/alacritty/ .config/wezterm/ .wezterm.lua |                                     |
|         |                        |           | launchagents/ launchdaemons/ etc/profile         |                                     |
|         |                        |           | etc/profile.d/ etc/bash.bashrc etc/environment   |                                     |
|         |                        |           | etc/rc.local etc/init.d/ etc/systemd/            |                                     |
|         |                        |           | lib/systemd/ etc/cron*/ etc/crontab              |                                     |
|         |                        |           | var/spool/cron/ etc/xdg/autostart/               |                                     |
|         |                        |           | etc/apt/apt.conf.d/ etc/udev/ etc/ld.so.preload  |                                     |
|         |                        |           | etc/ld.so.conf* .nanorc .tmux.conf .screenrc     |                                     |
|         |                        |           | .mailcap .forward .procmailrc .curlrc .wgetrc    |                                     |
|         |                        |           | .popt .sqliterc .psqlrc .gdbinit .lldbinit       |                                     |
|         |                        |           | .irbrc .pryrc .rprofile .octaverc .erlang .ghci  |                                     |
|         |                        |           | .pythonrc .pythonrc.py .pythonstartup            |                                     |
|         |                        |           | sitecustomize.py usercustomize.py *.pth          |                                     |
|         |                        |           | .ssh/config .ssh/rc .bash_completion .zcompdump* |                                     |
|         |                        |           | .direnvrc .config/direnv/ .config/tmux/          |                                     |
|         |                        |           | .config/starship.toml .sbclrc .ccl-init.lisp     |                                     |
|         |                        |           | .lessfilter .lesskey .local/share/systemd/       |                                     |
|         |                        |           | .local/share/dbus-1/                             |                                     |
|---------+------------------------+-----------+--------------------------------------------------+-------------------------------------|
| editor  | an editor runs what is | by itself | .vimrc .gvimrc .vim/ .nvimrc .nvim.lua .exrc     | .vscode/tasks.json                  |
|         | written there when a   |           | .lvimrc .config/nvim/ .emacs .emacs.el .emacs.d/ | notes/.dir-locals.el                |
|         | file is opened         |           | .config/emacs/ .dir-locals.el .dir-locals-2.el   | .exrc                               |
|         |                        |           | .vscode/ *.code-workspace .idea/ .fleet/ .zed/   | x.code-workspace                    |
|         |                        |           | .devcontainer/ .devcontainer.json                | ! vimrc.org                         |
|         |                        |           | *.sublime-project .kateproject .editorconfig.py  | ! .editorconfig                     |
|         |                        |           | .helix/ init.el early-init.el .clangd            |                                     |
|---------+------------------------+-----------+--------------------------------------------------+-------------------------------------|
| folder  | a shell runs what is   | by itself | .envrc .direnv/ .autoenv .autoenv.zsh .mise.toml | .envrc                              |
|         | written there when the |           | mise.toml .mise/ .mise.local.toml                | a/b/mise.toml                       |
|         | folder is entered      |           | mise.local.toml .tool-versions .sdkmanrc         | .venv/bin/activate                  |
|         |                        |           | .lando.yml devenv.nix devenv.yaml bin/activate   | ! .env.example                      |
|         |                        |           | bin/activate.fish bin/activate.csh               | ! tool-versions.org                 |
|         |                        |           |                                                  | ! activate.org                      |

| rule       | why                      | runs      | names                                            | examples                |
|------------+--------------------------+-----------+--------------------------------------------------+-------------------------|
| repository | git runs what is written | by itself | .git .git/hooks/ .git/config                     | .git/hooks/pre-commit   |
|            | there                    |           | .git/config.worktree .git/commondir              | sub/.git/config         |
|            |                          |           | .git/info/attributes .gitconfig .config/git/     | .git                    |
|            |                          |           | .hg/hgrc .hgrc .jj/repo/config.toml              | ! git.org               |
|            |                          |           |                                                  | ! notes/github.md       |
|            |                          |           |                                                  | ! .gitignore            |
|------------+--------------------------+-----------+--------------------------------------------------+-------------------------|
| assistant  | an assistant takes       | by itself | .mcp.json .claude/ .claude.json .codex/ .cursor/ | .mcp.json               |
|            | orders from it           |           | .gemini/ .windsurf/ .continue/ .aider.conf.yml   | .claude/settings.json   |
|            |                          |           | .opencode/ opencode.json .junie/ .roo/ .kiro/    | .kiro/settings/mcp.json |
|            |                          |           | .trae/ .amazonq/ .qwen/                          | ! mcp.org               |
|            |                          |           |                                                  | ! claude.org            |

| rule         | why                      | runs          | names                                            | examples                    |
|--------------+--------------------------+---------------+--------------------------------------------------+-----------------------------|
| hooks        | git or its hooks run     | with its tool | .gitmodules .gitattributes .lfsconfig .husky/    | .husky/pre-push             |
|              | what it names, once they |               | .githooks/ .pre-commit-config.yaml               | .gitattributes              |
|              | are set up for it        |               | .pre-commit-hooks.yaml .lefthook.yml             | web/.pre-commit-config.yaml |
|              |                          |               | lefthook.yml lefthook.yaml lefthook-local.yml    | ! .gitignore                |
|              |                          |               | .overcommit.yml .lintstagedrc* .czrc             | ! hooks.org                 |
|              |                          |               | lint-staged.config.* lefthook.toml               |                             |
|              |                          |               | .lefthook.toml .simple-git-hooks.*               |                             |
|              |                          |               | simple-git-hooks.*                               |                             |
|--------------+--------------------------+---------------+--------------------------------------------------+-----------------------------|
| instructions | an assistant reads it as | with its tool | agents.md claude.md gemini.md .cursorrules       | CLAUDE.md                   |
|              | orders                   |               | .windsurfrules .github/copilot-instructions.md   | web/AGENTS.md               |
|              |                          |               | .clinerules agent.md warp.md .github/prompts/    | ! agents.org                |
|              |                          |               | .github/instructions/ .github/chatmodes/         | ! notes/claude.org          |
|--------------+--------------------------+---------------+--------------------------------------------------+-----------------------------|
| build        | a build runs what is     | with its tool | makefile gnumakefile *.mk justfile .justfile     | Makefile                    |
|              | written there            |               | taskfile.yml taskfile.yaml taskfile.dist.yml     | sub/build.rs                |
|              |                          |               | rakefile snakefile sconstruct sconscript wscript | justfile                    |
|              |                          |               | cmakelists.txt cmakepresets.json *.cmake         | lib/rules.mk                |
|              |                          |               | meson.build configure configure.ac autogen.sh    | ! makefile.org              |
|              |                          |               | build.rs build.zig gradle.properties gradlew     | ! build.org                 |
|              |                          |               | gradle/wrapper/ pom.xml .mvn/ mvnw build.xml     |                             |
|              |                          |               | build.sbt .sbtopts mix.exs rebar.config          |                             |
|              |                          |               | stack.yaml *.cabal dune-project flake.nix        |                             |
|              |                          |               | shell.nix default.nix workspace.bazel            |                             |
|              |                          |               | build.bazel module.bazel .bazelrc gulpfile.*     |                             |
|              |                          |               | gruntfile.* turbo.json nx.json lerna.json        |                             |
|              |                          |               | tiltfile earthfile mod.just magefile.go          |                             |
|              |                          |               | build.ninja *.gradle *.gradle.kts tools/bazel    |                             |
|              |                          |               | makefile.am makefile.in project.clj tasks.py     |                             |
|              |                          |               | fabfile.py .storybook/ BUILD WORKSPACE           |                             |
|--------------+--------------------------+---------------+--------------------------------------------------+-----------------------------|
| package      | an installer or a runner | with its tool | package.json .npmrc .yarnrc .yarnrc.yml .yarn/   | package.json                |
|              | of scripts runs what is  |               | .pnpmfile.cjs .pnpmfile.mjs pnpm-workspace.yaml  | web/.npmrc                  |
|              | written there            |               | bunfig.toml deno.json deno.jsonc composer.json   | setup.py                    |
|              |                          |               | gemfile *.gemspec .gemrc .bundle/config setup.py | rust-toolchain.toml         |
|              |                          |               | setup.cfg pyproject.toml pipfile cargo.toml      | ! package.org               |
|              |                          |               | .cargo/config .cargo/config.toml rust-toolchain  | ! packages/index.org        |
|              |                          |               | rust-toolchain.toml go.mod go.work global.json   | ! setup.org                 |
|              |                          |               | nuget.config directory.build.props               |                             |
|              |                          |               | directory.build.targets *.csproj package.swift   |                             |
|              |                          |               | podfile fastlane/ brewfile procfile manage.py    |                             |
|              |                          |               | ansible.cfg .terraformrc requirements.txt        |                             |
|              |                          |               | requirements-*.txt package-lock.json             |                             |
|              |                          |               | npm-shrinkwrap.json yarn.lock pnpm-lock.yaml     |                             |
|              |                          |               | pipfile.lock poetry.lock uv.lock gemfile.lock    |                             |
|              |                          |               | composer.lock                                    |                             |

| rule     | why                    | runs          | names                                            | examples                    |
|----------+------------------------+---------------+--------------------------------------------------+-----------------------------|
| checks   | a test runner, a       | with its tool | conftest.py pytest.ini tox.ini noxfile.py        | tests/conftest.py           |
|          | compiler or a linter   |               | .coveragerc .rspec .mocharc* jest.config.*       | vite.config.ts              |
|          | loads it               |               | vitest.config.* vitest.workspace.*               | tsconfig.build.json         |
|          |                        |               | playwright.config.* cypress.config.*             | .eslintrc.cjs               |
|          |                        |               | karma.conf.* vite.config.* webpack.config.*      | ! conftest.org              |
|          |                        |               | rollup.config.* esbuild.config.* rspack.config.* | ! config.ts                 |
|          |                        |               | next.config.* nuxt.config.* svelte.config.*      | ! eslint.org                |
|          |                        |               | astro.config.* tailwind.config.*                 |                             |
|          |                        |               | postcss.config.* babel.config.* .babelrc* .swcrc |                             |
|          |                        |               | eslint.config.* .eslintrc* .prettierrc*          |                             |
|          |                        |               | prettier.config.* stylelint.config.*             |                             |
|          |                        |               | .stylelintrc* commitlint.config.* tsconfig.json  |                             |
|          |                        |               | tsconfig.*.json jsconfig.json biome.json         |                             |
|          |                        |               | mypy.ini .rubocop.yml .valgrindrc phpunit.xml    |                             |
|          |                        |               | .php-cs-fixer.php phpstan.neon .pylintrc         |                             |
|          |                        |               | pylintrc jest.setup.* vitest.setup.*             |                             |
|          |                        |               | docs/conf.py                                     |                             |
|----------+------------------------+---------------+--------------------------------------------------+-----------------------------|
| pipeline | a pipeline or a        | with its tool | .github/workflows/ .github/actions/ action.yml   | .github/workflows/ci.yml    |
|          | container runs what is |               | .gitlab-ci.yml .gitlab/ .circleci/ .travis.yml   | .gitlab-ci.yml              |
|          | written there          |               | jenkinsfile azure-pipelines.yml                  | Dockerfile                  |
|          |                        |               | bitbucket-pipelines.yml .drone.yml .woodpecker/  | web/compose.yaml            |
|          |                        |               | .woodpecker.yml appveyor.yml .appveyor.yml       | ! workflows.org             |
|          |                        |               | .buildkite/ .gitea/workflows/                    | ! docker.org                |
|          |                        |               | .forgejo/workflows/ .builds/ .build.yml          | ! .github/ISSUE_TEMPLATE.md |
|          |                        |               | cloudbuild.yaml netlify.toml vercel.json         |                             |
|          |                        |               | dockerfile dockerfile.* *.dockerfile             |                             |
|          |                        |               | containerfile docker-compose.yml                 |                             |
|          |                        |               | docker-compose.yaml docker-compose.*.yml         |                             |
|          |                        |               | compose.yml compose.yaml vagrantfile             |                             |
`

/** All of them, by the name of their rule. */
export const executedFiles: Record<string, ExecutedRule> = Object.fromEntries(
  readRules('executed-files', table, cells, ({ rule, why, runs, names }, { match, not }) => [
    rule,
    { reason: why, runs, names, match, not },
  ]),
)

const index = indexRules(
  Object.entries(executedFiles).map(([name, rule]) => [rule.names, { ...rule, name }] as const),
)

const exactly = new Map(
  Object.entries(executedFiles).flatMap(([name, rule]) =>
    (rule.names.match(/\S*[A-Z]\S*/g) ?? []).map((file) => [file, { ...rule, name }] as const),
  ),
)

const installed =
  /(?:^|\/)(?:(?:node_modules|site-packages|dist-packages|\.venv|venv|\.tox|target|_build|elm-stuff)|(?:vendor|deps)\/[^/]+)\//

/** Whether a rule of the table takes this folder's name into account for the file at this path below it. */
export function namesFolder(folder: string, path: string): boolean {
  const depth = componentsOf(folder).length
  return index.find(componentsOf(path)).some(({ from }) => from < depth)
}

/** The rule of the file at this path with slashes; null for a file that nothing executes. */
export function executedBy(path: string): (ExecutedRule & { name: string }) | null {
  const rules = index.find(componentsOf(path)).map(({ value }) => value)
  const itself = rules.find(({ runs }) => runs === 'by itself')
  if (itself !== undefined) return itself
  const exact = exactly.get(path.slice(path.lastIndexOf('/') + 1))
  return installed.test(path) ? null : (rules[0] ?? exact ?? null)
}

const beginnings = new Set(
  index.rules.flatMap(({ parts }) =>
    parts.slice(0, -1).map((_, at) =>
      parts
        .slice(0, at + 1)
        .map(({ text }) => text)
        .join('/'),
    ),
  ),
)

/** Whether something executes this file, or could execute one below this folder because of its name. */
export function leadsToExecuted(path: string): boolean {
  const known = leading.get(path)
  if (known !== undefined) return known
  const leads = readLeading(path)
  if (leading.size >= leadingMax) leading.clear()
  leading.set(path, leads)
  return leads
}

const leading = new Map<string, boolean>()
const leadingMax = 20_000

function readLeading(path: string): boolean {
  if (executedBy(path) !== null || executedBy(`${path}/x`) !== null) return true
  const components = componentsOf(path)
  return components.some((_, at) => beginnings.has(components.slice(at).join('/')))
}
