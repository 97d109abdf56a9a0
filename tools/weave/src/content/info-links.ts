const emacs = new Set(
  (
    'ada-mode auth autotype bovine calc ccmode cl dbus dired-x ebrowse ede ediff edt efaq-w32 ' +
    'efaq eglot eieio eintr elisp emacs-gnutls emacs-mime emacs epa erc ert eshell eudc eww ' +
    'flymake forms gnus htmlfontify idlwave ido info mairix-el message mh-e modus-themes ' +
    'newsticker nxml-mode octave-mode org pcl-cvs pgg rcirc reftex remember sasl sc semantic ses ' +
    'sieve smtpmail speedbar srecode todo-mode tramp transient url use-package vhdl-mode vip ' +
    'viper vtable widget wisent woman'
  ).split(' '),
)
const others: ReadonlyMap<string, string> = new Map([
  ['dir', 'https://www.gnu.org/manual/manual.html'],
  ['libc', 'https://www.gnu.org/software/libc/manual/html_mono/libc.html'],
  ['make', 'https://www.gnu.org/software/make/manual/make.html'],
  ['texinfo', 'https://www.gnu.org/software/texinfo/manual/texinfo/texinfo.html'],
  ['gnupg', 'https://www.gnupg.org/documentation/manuals/gnupg.html'],
])

/** The address of a place in a manual, or null for one that is on no known page. */
export function infoAddress(path: string): string | null {
  const [, manual = '', node = 'Top'] = /^([^#:]+)(?:::?|#)?(.*)$/s.exec(path) ?? []
  const page = emacs.has(manual)
    ? `https://www.gnu.org/software/emacs/manual/html_mono/${manual}.html`
    : others.get(manual)
  return page === undefined ? null : `${page}#${nodeName(node || 'Top')}`
}

function nodeName(node: string): string {
  const name = node
    .trim()
    .replace(/(\s+)|[^a-zA-Z0-9]/g, (sign, blanks) =>
      blanks === undefined ? `_${sign.charCodeAt(0).toString(16).padStart(4, '0')}` : '-',
    )
  return /^\d/.test(name) ? `g_t${name}` : name
}
