const { raw } = String

const accented = 'ÀàÁáÂâÃãÄäÈèÉéÊêËëÌìÍíÎîÏïÑñÒòÓóÔôÕõÖöÙùÚúÛûÜüÝýŸÿ'

const accents: Record<string, string> = {
  '\u0300': '`grave',
  '\u0301': "'acute",
  '\u0302': '^circ',
  '\u0303': '~tilde',
  '\u0308': '"uml',
}

function accentedRow(letter: string): string {
  const [base = '', accent = ''] = letter.normalize('NFD')
  const [mark, ...name] = accents[accent]!
  const umlaut = mark === '"' && /[aou]/i.test(base) ? 'e' : ''
  return `${base}${name.join('')} ${letter} ${base}${umlaut} \\${mark}{${base}}`
}

const latin = raw`
Amacr Ã A \={A}
amacr ã a \={a}
Aring,AA Å A AA
aring å a aa
AElig Æ AE AE
aelig æ ae ae
Ccedil Ç C \c{C}
ccedil ç c \c{c}
&idot,Idot İ I \.{I} @ İ
inodot ı i \i @ ı
Oslash Ø O \O
oslash ø o \o{}
OElig Œ OE OE
oelig œ oe oe
Scaron Š S \v{S}
scaron š s \v{s}
szlig ß ss ss
fnof ƒ f \textit{f}
real ℜ R $\Re
image ℑ I $\Im
weierp ℘ P $\wp
ell ℓ
imath ı [dotless%i @ @ dotless%i
jmath ȷ [dotless%j @ @ dotless%j
ETH Ð D DH
eth ð dh dh
THORN Þ TH TH
thorn þ th th
`

const greek = raw`
Alpha Α @ A
alpha α
Beta Β @ B
beta β
Gamma Γ
gamma γ
Delta Δ
delta δ
Epsilon Ε @ E
epsilon ε
&epsilon,varepsilon ε
Zeta Ζ @ Z
zeta ζ
Eta Η @ H
eta η
Theta Θ
theta θ
thetasym,vartheta ϑ theta
Iota Ι @ I
iota ι
Kappa Κ @ K
kappa κ
Lambda Λ
lambda λ
Mu Μ @ M
mu μ
nu ν
Nu Ν @ N
Xi Ξ
xi ξ
Omicron Ο @ O
omicron ο @ \textit{o}
Pi Π
pi π
Rho Ρ @ P
rho ρ
Sigma Σ
sigma σ
sigmaf ς @ $\varsigma
&sigmaf,varsigma ς
Tau Τ @ T
Upsilon Υ
upsih ϒ upsilon $\Upsilon
upsilon υ
Phi Φ
phi ɸ
varphi φ
Chi Χ @ X
chi χ
acutex 𝑥́ 'x $\acute%x &acute;x
Psi Ψ
psi ψ
tau τ
Omega Ω
omega ω
piv,varpi ϖ omega-pi
&part,partial ∂ [partial%differential
alefsym ℵ aleph $\aleph
aleph ℵ
gimel ℷ
beth ב
&daleth,dalet ד @ $\daleth
`

const marks = raw`
hellip,dots … ... dots
&ctdot,cdots ⋯ ... $\cdots{}
middot · . textperiodcentered
iexcl ¡ ! !␛
iquest ¿ ? ?␛
shy # # \-
ndash – - --
mdash — -- ---
quot " " textquotedbl
acute ´ ' textasciiacute
ldquo “ " textquotedblleft
rdquo ” " textquotedblright
bdquo „ " quotedblbase
lsquo ‘ ␛ textquoteleft
rsquo ’ ' textquoteright
sbquo ‚ , quotesinglbase
laquo « << guillemotleft
raquo » >> guillemotright
lsaquo ‹ < guilsinglleft
rsaquo › > guilsinglright
`

const often = raw`
circ ∘ ^ \^{}
vert | | $\vert{}
vbar | | | |
brvbar ¦ | textbrokenbar
sect,S § section \S
para,P ¶ paragraph \P{}
amp & & \&
lt < < textless
gt > > textgreater
tilde ~ ~ textasciitilde ~
slash / / / /
plus + + + +
under _ _ \_ _
equal = = = =
asciicirc ^ ^ textasciicircum ^
dagger † [dagger textdagger
&dagger,dag † [dagger dag
Dagger ‡ [doubledagger textdaggerdbl
&Dagger,ddag ‡ [doubledagger ddag
nbsp   % ~
ensp   % \hspace*{.5em}
emsp   % \hspace*{1em}
thinsp   % \hspace*{.2em}
curren ¤ curr. textcurrency
cent ¢ @ textcent
pound £ @ pounds
yen ¥ @ textyen
euro,EUR € EUR texteuro
dollar,USD $ $ \$ $
copy © (c) textcopyright
reg ® (r) textregistered
trade ™ TM texttrademark
`

const science = raw`
minus − - $-
plusmn,pm ± +- textpm
times × * texttimes
frasl ⁄ / /
colon : : @ :
&divide,div ÷ / textdiv
frac12 ½ 1/2 textonehalf
frac14 ¼ 1/4 textonequarter
frac34 ¾ 3/4 textthreequarters
permil ‰ per%thousand textperthousand
sup1 ¹ ^1 textonesuperior
sup2 ² ^2 texttwosuperior
sup3 ³ ^3 textthreesuperior
radic √ [square%root $\sqrt{\,}
sum ∑ [sum
prod ∏ [product @ @ [n-ary%product]
micro µ @ textmu
macr ¯ [macron textasciimacron
prime ′ '
Prime ″ '' $\prime{}\prime
infin,infty ∞ [infinity
prop,propto ∝ [proportional%to
not ¬ [angled%dash textlnot
&not,neg ¬ [angled%dash $\neg{}
&and,land,wedge ∧ [logical%and
&or,lor,vee ∨ [logical%or
cap ∩ [intersection
cup ∪ [union
smile ⌣ [cup%product
frown ⌢ [Cap%product @ @ [cap%product]
int ∫ [integral
there4,therefore ∴ [therefore
because ∵ [because
sim ∼ ~
cong,cong,simeq ≅ [approx.%equal%to
asymp,asymp,approx ≈ [almost%equal%to
ne,ne,neq ≠ [not%equal%to
equiv ≡ [identical%to
triangleq ≜ [defined%to
le,leq ≤ <= $\le
ge,geq ≥ >= $\ge
lessgtr ≶ [less%than%or%greater%than
lesseqgtr ⋚ [less%than%or%equal%or%greater%than%or%equal
&Lt,ll ≪ <<
Ll,lll ⋘ <<<
&Gt,gg ≫ >>
Gg,ggg ⋙ >>>
&pr,prec ≺ [precedes
&prcue,preceq,preccurlyeq ≼ [precedes%or%equal
&sc,succ ≻ [succeeds
&sccue,succeq,succcurlyeq ≽ [succeeds%or%equal
deg ° degree textdegree
`

const sets = raw`
sub,subset ⊂ [subset%of
sup,supset ⊃ [superset%of
nsub ⊄ [not%a%subset%of $\not\subset @ [not%a%subset%of
sube ⊆ [subset%of%or%equal%to $\subseteq
nsup ⊅ [not%a%superset%of $\not\supset
supe ⊇ [superset%of%or%equal%to $\supseteq
setminus ⧵ "% @ @ "
forall ∀ [for%all
exist,exists ∃ [there%exists
&exist,nexist,nexists ∄ [there%does%not%exists $\nexists @ [there%does%not%%exists]
empty,emptyset ∅ [empty%set
isin,in ∈ [element%of
notin ∉ [not%an%element%of
ni ∋ [contains%as%member
nabla ∇ [nabla
ang,angle ∠ [angle
perp ⊥ [up%tack
parallel ∥ ||
sdot,cdot ⋅ [dot
lceil ⌈ [left%ceiling
rceil ⌉ [right%ceiling
lfloor ⌊ [left%floor
rfloor ⌋ [right%floor
lang,langle ⟨ <
rang,rangle ⟩ >
hbar ℏ
mho ℧
`

const arrows = raw`
larr,leftarrow,gets ← <-
lArr,Leftarrow ⇐ <=
uarr,uparrow ↑ [uparrow
uArr,Uparrow ⇑ [dbluparrow
rarr,rightarrow,to → ->
rArr,Rightarrow ⇒ =>
darr,downarrow ↓ [downarrow
dArr,Downarrow ⇓ [dbldownarrow
harr,leftrightarrow ↔ <->
hArr,Leftrightarrow ⇔ <=>
crarr,hookleftarrow ↵ <-'
`

const functions =
  'arccos arcsin arctan arg cos cosh cot coth csc det dim exp gcd hom inf ker lg lim liminf ' +
  'limsup ln log max min Pr sec sin sinh tan tanh'

function functionRow(name: string): string {
  return `${name} ${name} @ @ ${name}`
}

const signs = raw`
bull,bullet • * textbullet
star ⋆ * @ *
lowast ∗ * $\ast
&lowast,ast * *
odot ʘ [circled%dot @ o
oplus ⊕ [circled%plus
otimes ⊗ [circled%times
&checkmark,check ✓ [checkmark $\checkmark
&check,checkmark ✓ [checkmark
ordf ª _a_ textordfeminine
ordm º _o_ textordmasculine
cedil ¸ [cedilla \c{}
oline ‾ [overline $\overline{~} @ ¯
uml ¨ [diaeresis textasciidieresis
zwnj ‌ # \/{}
zwj ‍ # #
lrm ‎ # #
rlm ‏ # #
smiley ☺ :-) $\ddot\smile &#9786;
blacksmile ☻ :-) $\ddot\smile &#9787;
sad,frowny ☹ :-( $\ddot\frown &#9785;
clubs,clubsuit ♣ [clubs
spades,spadesuit ♠ [spades
hearts ♥ [hearts $\heartsuit
heartsuit ♥ [hearts
diams,diamondsuit ◆ [diamonds
diamond,Diamond ◆ [diamond $\diamondsuit
loz ⧫ [lozenge $\lozenge
`

function spaceRow(count: number): string {
  const [blanks, spaces] = ['%'.repeat(count), '\u2002'.repeat(count)]
  const width = (count / 2).toFixed(1)
  return `_${blanks} ${spaces} ${blanks} \\hspace*{${width}em} ${'&ensp;'.repeat(count)}`
}

/** What an entity becomes. */
interface EntityForms {
  name: string
  utf8: string
  html: string
  latex: string
  /** The LaTeX form needs math mode. */
  latexMathP: boolean
  ascii: string
  latin1: string
}

/** Every entity by its name, without the backslash. */
export const entities: ReadonlyMap<string, EntityForms> = new Map(
  [latin, greek, marks, often, science, sets, arrows, signs]
    .flatMap((group) => group.trim().split('\n'))
    .concat(
      Array.from(accented, accentedRow),
      functions.split(' ').map(functionRow),
      Array.from({ length: 20 }, (_, index) => spaceRow(index + 1)),
    )
    .flatMap(forms)
    .map((entity) => [entity.name, entity]),
)

function plainColumn(column: string): string {
  return column === '#' ? '' : column.replaceAll('%', ' ').replaceAll('␛', '`')
}

function command(written: string): string {
  return written.replace(/^[A-Za-z]{2,}$/, '\\$&{}')
}

function forms(row: string): EntityForms[] {
  const columns = row.split(' ').map(plainColumn)
  const [names = '', utf8 = '', ascii = '@', written = '@', html = '@', latin1] = columns
  const [first = '', second, ...others] = names.split(',')
  const known = first.replace('&', '')
  return [first, second ?? first, ...others].flatMap((name) => {
    if (name.startsWith('&')) return []
    const latex =
      written === '@' ? `$\\${name === first ? (second ?? name) : name}` : command(written)
    const plain = ascii === '@' ? name : ascii.replace(/^\[.*/, '$&]')
    return {
      name,
      utf8,
      html: html === '@' ? `&${known};` : html,
      latex: latex.replace(/^\$(?=.)/, ''),
      latexMathP: /^\$./.test(latex),
      ascii: plain,
      latin1: latin1 ?? (/^[\0-\xff]*$/.test(utf8) ? utf8 : plain),
    }
  })
}
