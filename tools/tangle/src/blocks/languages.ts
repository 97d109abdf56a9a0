const endings = new Map(
  Object.entries({
    awk: 'awk',
    bibtex: 'bib',
    'C++': 'cpp',
    clojure: 'clj',
    clojurescript: 'cljs',
    csharp: 'cs',
    D: 'd',
    elisp: 'el',
    'emacs-lisp': 'el',
    fortran: 'F90',
    haskell: 'hs',
    java: 'java',
    julia: 'jl',
    kotlin: 'kt',
    latex: 'tex',
    LilyPond: 'ly',
    maxima: 'max',
    ocaml: 'ml',
    perl: 'pl',
    processing: 'pde',
    python: 'py',
    racket: 'rkt',
    ruby: 'rb',
    rust: 'rs',
    typescript: 'ts',
  }),
)

/** The ending, without its dot, of a file in this language. */
export function fileEnding(language: string): string {
  return endings.get(language) ?? language
}

/** How a comment is written. */
interface CommentSyntax {
  begin: string
  /** Empty where the end of the line ends the comment. */
  end: string
  /** Even lines without text become comments, as a fixed-form program wants it. */
  everyLine?: boolean
}

const byLine: Record<string, string> = {
  '# ': `ash awk bash bash2 cfengine3 conf conf-colon conf-desktop conf-javaprop conf-space
    conf-toml conf-unix cperl csh dash desktop dtksh es gdb-script icon itcsh jsh ksh ksh88 m4
    makefile makefile-automake makefile-bsdmake makefile-gmake makefile-imake makefile-makepp mksh
    oash org pdksh perl posh python python3 rc ruby screen sh shell shell-script sieve tcl tcsh toml
    wksh wsh zsh
    cmake crystal dockerfile elixir elvish fish gnuplot graphql hcl just make nginx nim nix
    nushell powershell r sed snakemake ssh-config systemd terraform tmux yaml julia`,
  '// ': `antlr c++ C++ cpp delphi idl java javascript js less-css objc opascal pike scss vera
    verilog
    D adoc cs csharp d dart dot fsharp go go-mod graphviz-dot groovy js2 js3 json5 jsonc jsx kotlin
    php php-ts protobuf qml rjsx rust rustic sass scad scala solidity swift ts tsx typescript v zig
    processing`,
  ';; ': `asm bovine-grammar common-lisp dsssl elisp emacs-lisp lisp lisp-data lisp-interaction
    scheme
    clojure clojurec clojurescript fennel guile hy kbd racket`,
  '; ': 'conf-windows dns zone ini nasm',
  '-- ': 'snmp sql sqlite vhdl ada elm haskell lua purescript idris agda lean',
  '%% ': 'beamer doctex latex prolog slitex tex plain-tex LaTeX',
  '% ': 'metafont metapost ps erlang lilypond LilyPond matlab mercury',
  '## ': 'octave R ess-r janet',
  '! ': 'conf-xdefaults dcl f90',
  '*% ': 'conf-ppd',
  '* ': 'mixal',
  '> ': 'mail message',
  '@c ': 'texinfo',
  '@Comment ': 'bibtex',
  '\\" ': 'nroff',
  'dnl ': 'autoconf',
  'rem ': 'bat',
  "' ": 'plantuml',
  '\\ ': 'forth',
  '" ': 'vimrc vim',
}
const byEnd: [begin: string, end: string, languages: string][] = [
  ['/* ', ' */', 'C c css ld-script arduino maxima'],
  ['<!-- ', ' -->', 'html mhtml nxml sgml xml web markdown gfm vue svelte'],
  ['(* ', ' *)', 'modula-2 ocaml tuareg coq caml'],
  ['{ ', ' }', 'pascal'],
  ['! ', ' ;', 'simula'],
]

const comments = new Map<string, CommentSyntax>([
  ...Object.entries(byLine).flatMap(([begin, names]) => of(names, { begin, end: '' })),
  ...byEnd.flatMap(([begin, end, names]) => of(names, { begin, end })),
  ['fortran', { begin: 'c$$$', end: '', everyLine: true }],
])

function of(names: string, syntax: CommentSyntax): [string, CommentSyntax][] {
  return names.split(/\s+/).map((name) => [name, syntax])
}

/** How comments are written in a language; null for one that has none, or that nobody knows. */
export function commentSyntax(language: string): CommentSyntax | null {
  return comments.get(language) ?? null
}
