import { componentsOf } from './paths.ts'
import { indexRules } from './rules.ts'

/** Files through which code runs later. */
export interface ExecutedRule {
  reason: string
  /** Whether it runs with nobody asking for it, or with the tool that it belongs to. */
  runs: 'by itself' | 'with its tool'
  names: string
  /** Names in capitals, since a folder is often called the same in small letters. */
  exact?: string
  match: string[]
  not: string[]
}

const bySystem: Record<string, ExecutedRule> = {
  startup: {
    reason: 'what is written there runs by itself later',
    runs: 'by itself',
    names:
      '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile ' +
      '.zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .inputrc .config/fish/ .xinitrc .xprofile ' +
      '.xsession .xsessionrc .config/autostart/ .config/systemd/ .config/environment.d/ .pam_environment ' +
      '.local/share/applications/ .config/plasma-workspace/ .config/hypr/ .config/sway/ .config/i3/ ' +
      '.config/kitty/ .config/alacritty/ .config/wezterm/ .wezterm.lua launchagents/ launchdaemons/ ' +
      'etc/profile etc/profile.d/ etc/bash.bashrc etc/environment etc/rc.local etc/init.d/ etc/systemd/ ' +
      'lib/systemd/ etc/cron*/ etc/crontab var/spool/cron/ etc/xdg/autostart/ etc/apt/apt.conf.d/ ' +
      'etc/udev/ etc/ld.so.preload etc/ld.so.conf* .nanorc .tmux.conf .screenrc .mailcap .forward ' +
      '.procmailrc .curlrc .wgetrc .popt .sqliterc .psqlrc .gdbinit .lldbinit .irbrc .pryrc .rprofile ' +
      '.octaverc .erlang .ghci .pythonrc .pythonrc.py .pythonstartup sitecustomize.py usercustomize.py *.pth ' +
      '.ssh/config .ssh/rc .bash_completion .zcompdump* .direnvrc .config/direnv/ .config/tmux/ ' +
      '.config/starship.toml .sbclrc .ccl-init.lisp .lessfilter .lesskey .local/share/systemd/ ' +
      '.local/share/dbus-1/',
    match: [
      '~/.bashrc',
      '~/.config/autostart/x.desktop',
      '/etc/cron.d/job',
      'lib/x.pth',
      '~/.ssh/config',
      '.config/tmux/tmux.conf',
      '.local/share/systemd/user/x.service',
    ],
    not: ['notes/bashrc.org', 'profile.md'],
  },
  editor: {
    reason: 'an editor runs what is written there when a file is opened',
    runs: 'by itself',
    names:
      '.vimrc .gvimrc .vim/ .nvimrc .nvim.lua .exrc .lvimrc .config/nvim/ .emacs .emacs.el .emacs.d/ ' +
      '.config/emacs/ .dir-locals.el .dir-locals-2.el .vscode/ *.code-workspace .idea/ .fleet/ .zed/ ' +
      '.devcontainer/ .devcontainer.json *.sublime-project .kateproject .editorconfig.py .helix/ ' +
      'init.el early-init.el .clangd',
    match: ['.vscode/tasks.json', 'notes/.dir-locals.el', '.exrc', 'x.code-workspace'],
    not: ['vimrc.org', '.editorconfig'],
  },
  folder: {
    reason: 'a shell runs what is written there when the folder is entered',
    runs: 'by itself',
    names:
      '.envrc .direnv/ .autoenv .autoenv.zsh .mise.toml mise.toml .mise/ .mise.local.toml mise.local.toml ' +
      '.tool-versions .sdkmanrc .lando.yml devenv.nix devenv.yaml bin/activate bin/activate.fish bin/activate.csh',
    match: ['.envrc', 'a/b/mise.toml', '.venv/bin/activate'],
    not: ['.env.example', 'tool-versions.org', 'activate.org'],
  },
}

const byTools: Record<string, ExecutedRule> = {
  repository: {
    reason: 'git runs what is written there',
    runs: 'by itself',
    names:
      '.git .git/hooks/ .git/config .git/config.worktree .git/commondir .git/info/attributes ' +
      '.gitconfig .config/git/ .hg/hgrc .hgrc .jj/repo/config.toml',
    match: ['.git/hooks/pre-commit', 'sub/.git/config', '.git'],
    not: ['git.org', 'notes/github.md', '.gitignore'],
  },
  assistant: {
    reason: 'an assistant takes orders from it',
    runs: 'by itself',
    names:
      '.mcp.json .claude/ .claude.json .codex/ .cursor/ .gemini/ .windsurf/ .continue/ .aider.conf.yml ' +
      '.opencode/ opencode.json .junie/ .roo/ .kiro/ .trae/ .amazonq/ .qwen/',
    match: ['.mcp.json', '.claude/settings.json', '.kiro/settings/mcp.json'],
    not: ['mcp.org', 'claude.org'],
  },
}

const byOwner: Record<string, ExecutedRule> = {
  hooks: {
    reason: 'git or its hooks run what it names, once they are set up for it',
    runs: 'with its tool',
    names:
      '.gitmodules .gitattributes .lfsconfig .husky/ .githooks/ .pre-commit-config.yaml ' +
      '.pre-commit-hooks.yaml .lefthook.yml lefthook.yml lefthook.yaml lefthook-local.yml .overcommit.yml ' +
      '.lintstagedrc* .czrc lint-staged.config.* lefthook.toml .lefthook.toml .simple-git-hooks.* ' +
      'simple-git-hooks.*',
    match: ['.husky/pre-push', '.gitattributes', 'web/.pre-commit-config.yaml'],
    not: ['.gitignore', 'hooks.org'],
  },
  instructions: {
    reason: 'an assistant reads it as orders',
    runs: 'with its tool',
    names:
      'agents.md claude.md gemini.md .cursorrules .windsurfrules .github/copilot-instructions.md .clinerules ' +
      'agent.md warp.md .github/prompts/ .github/instructions/ .github/chatmodes/',
    match: ['CLAUDE.md', 'web/AGENTS.md'],
    not: ['agents.org', 'notes/claude.org'],
  },
  build: {
    reason: 'a build runs what is written there',
    runs: 'with its tool',
    names:
      'makefile gnumakefile *.mk justfile .justfile taskfile.yml taskfile.yaml taskfile.dist.yml rakefile ' +
      'snakefile sconstruct sconscript wscript cmakelists.txt cmakepresets.json *.cmake meson.build ' +
      'configure configure.ac autogen.sh build.rs build.zig ' +
      'gradle.properties gradlew gradle/wrapper/ pom.xml .mvn/ mvnw build.xml ' +
      'build.sbt .sbtopts mix.exs rebar.config stack.yaml *.cabal dune-project flake.nix shell.nix ' +
      'default.nix workspace.bazel build.bazel module.bazel .bazelrc gulpfile.* gruntfile.* ' +
      'turbo.json nx.json lerna.json tiltfile earthfile mod.just magefile.go build.ninja *.gradle ' +
      '*.gradle.kts tools/bazel makefile.am makefile.in project.clj tasks.py fabfile.py .storybook/',
    exact: 'BUILD WORKSPACE',
    match: ['Makefile', 'sub/build.rs', 'justfile', 'lib/rules.mk'],
    not: ['makefile.org', 'build.org'],
  },
  package: {
    reason: 'an installer or a runner of scripts runs what is written there',
    runs: 'with its tool',
    names:
      'package.json .npmrc .yarnrc .yarnrc.yml .yarn/ .pnpmfile.cjs .pnpmfile.mjs pnpm-workspace.yaml bunfig.toml ' +
      'deno.json deno.jsonc composer.json gemfile *.gemspec .gemrc .bundle/config setup.py setup.cfg ' +
      'pyproject.toml pipfile cargo.toml .cargo/config .cargo/config.toml rust-toolchain rust-toolchain.toml ' +
      'go.mod go.work global.json nuget.config directory.build.props directory.build.targets *.csproj ' +
      'package.swift podfile fastlane/ brewfile procfile manage.py ansible.cfg .terraformrc ' +
      'requirements.txt requirements-*.txt package-lock.json npm-shrinkwrap.json yarn.lock ' +
      'pnpm-lock.yaml pipfile.lock poetry.lock uv.lock gemfile.lock composer.lock',
    match: ['package.json', 'web/.npmrc', 'setup.py', 'rust-toolchain.toml'],
    not: ['package.org', 'packages/index.org', 'setup.org'],
  },
}

const byChecks: Record<string, ExecutedRule> = {
  checks: {
    reason: 'a test runner, a compiler or a linter loads it',
    runs: 'with its tool',
    names:
      'conftest.py pytest.ini tox.ini noxfile.py .coveragerc .rspec .mocharc* jest.config.* vitest.config.* ' +
      'vitest.workspace.* playwright.config.* cypress.config.* karma.conf.* vite.config.* webpack.config.* ' +
      'rollup.config.* esbuild.config.* rspack.config.* next.config.* nuxt.config.* svelte.config.* ' +
      'astro.config.* tailwind.config.* postcss.config.* babel.config.* .babelrc* .swcrc eslint.config.* ' +
      '.eslintrc* .prettierrc* prettier.config.* stylelint.config.* .stylelintrc* commitlint.config.* ' +
      'tsconfig.json tsconfig.*.json jsconfig.json biome.json mypy.ini .rubocop.yml .valgrindrc phpunit.xml ' +
      '.php-cs-fixer.php phpstan.neon .pylintrc pylintrc jest.setup.* vitest.setup.* docs/conf.py',
    match: ['tests/conftest.py', 'vite.config.ts', 'tsconfig.build.json', '.eslintrc.cjs'],
    not: ['conftest.org', 'config.ts', 'eslint.org'],
  },
  pipeline: {
    reason: 'a pipeline or a container runs what is written there',
    runs: 'with its tool',
    names:
      '.github/workflows/ .github/actions/ action.yml .gitlab-ci.yml .gitlab/ .circleci/ .travis.yml jenkinsfile ' +
      'azure-pipelines.yml bitbucket-pipelines.yml .drone.yml .woodpecker/ .woodpecker.yml appveyor.yml ' +
      '.appveyor.yml .buildkite/ .gitea/workflows/ .forgejo/workflows/ .builds/ .build.yml cloudbuild.yaml ' +
      'netlify.toml vercel.json dockerfile dockerfile.* *.dockerfile containerfile docker-compose.yml ' +
      'docker-compose.yaml docker-compose.*.yml compose.yml compose.yaml vagrantfile',
    match: ['.github/workflows/ci.yml', '.gitlab-ci.yml', 'Dockerfile', 'web/compose.yaml'],
    not: ['workflows.org', 'docker.org', '.github/ISSUE_TEMPLATE.md'],
  },
}

/** All of them, by the name of their rule. To know another file, add its name to one of them. */
export const executedFiles: Record<string, ExecutedRule> = {
  ...bySystem,
  ...byTools,
  ...byOwner,
  ...byChecks,
}

const index = indexRules(
  Object.entries(executedFiles).map(([name, rule]) => [rule.names, { ...rule, name }] as const),
)

const exactly = new Map(
  Object.entries(executedFiles).flatMap(([name, rule]) =>
    (rule.exact?.split(' ') ?? []).map((file) => [file, { ...rule, name }] as const),
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
  if (executedBy(path) !== null || executedBy(`${path}/x`) !== null) return true
  const components = componentsOf(path)
  return components.some((_, at) => beginnings.has(components.slice(at).join('/')))
}
