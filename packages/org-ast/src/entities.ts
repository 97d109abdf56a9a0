const latin = String.raw`
Agrave À \`{A} @ A
agrave à \`{a} @ a
Aacute Á \'{A} @ A
aacute á \'{a} @ a
Acirc Â \^{A} @ A
acirc â \^{a} @ a
Amacr Ã \={A} @ A
amacr ã \={a} @ a
Atilde Ã \~{A} @ A
atilde ã \~{a} @ a
Auml Ä \"{A} @ Ae
auml ä \"{a} @ ae
Aring Å \AA{} @ A
AA Å \AA{} &Aring; A
aring å \aa{} @ a
AElig Æ \AE{} @ AE
aelig æ \ae{} @ ae
Ccedil Ç \c{C} @ C
ccedil ç \c{c} @ c
Egrave È \`{E} @ E
egrave è \`{e} @ e
Eacute É \'{E} @ E
eacute é \'{e} @ e
Ecirc Ê \^{E} @ E
ecirc ê \^{e} @ e
Euml Ë \"{E} @ E
euml ë \"{e} @ e
Igrave Ì \`{I} @ I
igrave ì \`{i} @ i
Iacute Í \'{I} @ I
iacute í \'{i} @ i
Idot İ \.{I} &idot; I İ
inodot ı \i @ i ı
Icirc Î \^{I} @ I
icirc î \^{i} @ i
Iuml Ï \"{I} @ I
iuml ï \"{i} @ i
Ntilde Ñ \~{N} @ N
ntilde ñ \~{n} @ n
Ograve Ò \`{O} @ O
ograve ò \`{o} @ o
Oacute Ó \'{O} @ O
oacute ó \'{o} @ o
Ocirc Ô \^{O} @ O
ocirc ô \^{o} @ o
Otilde Õ \~{O} @ O
otilde õ \~{o} @ o
Ouml Ö \"{O} @ Oe
ouml ö \"{o} @ oe
Oslash Ø \O @ O
oslash ø \o{} @ o
OElig Œ \OE{} @ OE
oelig œ \oe{} @ oe
Scaron Š \v{S} @ S
scaron š \v{s} @ s
szlig ß \ss{} @ ss
Ugrave Ù \`{U} @ U
ugrave ù \`{u} @ u
Uacute Ú \'{U} @ U
uacute ú \'{u} @ u
`

const latinContinued = String.raw`
Ucirc Û \^{U} @ U
ucirc û \^{u} @ u
Uuml Ü \"{U} @ Ue
uuml ü \"{u} @ ue
Yacute Ý \'{Y} @ Y
yacute ý \'{y} @ y
Yuml Ÿ \"{Y} @ Y
yuml ÿ \"{y} @ y
`

const latinSpecialFace = String.raw`
fnof ƒ \textit{f} @ f
real ℜ $\Re @ R
image ℑ $\Im @ I
weierp ℘ $\wp @ P
ell ℓ $@
imath ı $@ @ [dotless%i] dotless%i
jmath ȷ $@ @ [dotless%j] dotless%j
`

const greek = String.raw`
Alpha Α A
alpha α $@
Beta Β B
beta β $@
Gamma Γ $@
gamma γ $@
Delta Δ $@
delta δ $@
Epsilon Ε E
epsilon ε $@
varepsilon ε $@ &epsilon;
Zeta Ζ Z
zeta ζ $@
Eta Η H
eta η $@
Theta Θ $@
theta θ $@
thetasym ϑ $\vartheta @ theta
vartheta ϑ $@ &thetasym; theta
Iota Ι I
iota ι $@
Kappa Κ K
kappa κ $@
Lambda Λ $@
lambda λ $@
Mu Μ M
mu μ $@
nu ν $@
Nu Ν N
Xi Ξ $@
xi ξ $@
Omicron Ο O
omicron ο \textit{o}
Pi Π $@
pi π $@
Rho Ρ P
rho ρ $@
Sigma Σ $@
sigma σ $@
sigmaf ς $\varsigma
varsigma ς $@ &sigmaf;
Tau Τ T
Upsilon Υ $@
upsih ϒ $\Upsilon @ upsilon
upsilon υ $@
Phi Φ $@
phi ɸ $@
varphi φ $@
Chi Χ X
chi χ $@
acutex 𝑥́ $\acute%x &acute;x 'x
Psi Ψ $@
psi ψ $@
tau τ $@
Omega Ω $@
omega ω $@
piv ϖ $\varpi @ omega-pi
varpi ϖ $@ &piv; omega-pi
partial ∂ $@ &part; [partial%differential]
`

const hebrew = String.raw`
alefsym ℵ $\aleph @ aleph
aleph ℵ $@
gimel ℷ $@
beth ב $@
dalet ד $\daleth &daleth;
`

const icelandic = String.raw`
ETH Ð \DH{} @ D
eth ð \dh{} @ dh
THORN Þ \TH{} @ TH
thorn þ \th{} @ th
`

const dotsAndMarks = String.raw`
dots … \dots{} &hellip; ...
cdots ⋯ $\cdots{} &ctdot; ...
hellip … \dots{} @ ...
middot · \textperiodcentered{} @ .
iexcl ¡ !␛ @ !
iquest ¿ ?␛ @ ?
`

const dashLike = String.raw`
shy # \- @ #
ndash – -- @ -
mdash — --- @ --
`

const quotations = String.raw`
quot " \textquotedbl{} @ "
acute ´ \textasciiacute{} @ '
ldquo “ \textquotedblleft{} @ "
rdquo ” \textquotedblright{} @ "
bdquo „ \quotedblbase{} @ "
lsquo ‘ \textquoteleft{} @ ␛
rsquo ’ \textquoteright{} @ '
sbquo ‚ \quotesinglbase{} @ ,
laquo « \guillemotleft{} @ <<
raquo » \guillemotright{} @ >>
lsaquo ‹ \guilsinglleft{} @ <
rsaquo › \guilsinglright{} @ >
`

const miscOftenUsed = String.raw`
circ ∘ \^{} @ ^
vert | $\vert{} @ |
vbar | | | |
brvbar ¦ \textbrokenbar{} @ |
S § @ &sect; section
sect § \S @ section
P ¶ \P{} &para; paragraph
amp & \& @ &
lt < \textless{} @ <
gt > \textgreater{} @ >
tilde ~ \textasciitilde{} ~ ~
slash / / / /
plus + + + +
under _ \_ _ _
equal = = = =
asciicirc ^ \textasciicircum{} ^ ^
dagger † \textdagger{} @ [dagger]
dag † \dag{} &dagger; [dagger]
Dagger ‡ \textdaggerdbl{} @ [doubledagger]
ddag ‡ \ddag{} &Dagger; [doubledagger]
`

const whitespace = String.raw`
nbsp   ~ @ %
ensp   \hspace*{.5em} @ %
emsp   \hspace*{1em} @ %
thinsp   \hspace*{.2em} @ %
`

const currency = String.raw`
curren ¤ \textcurrency{} @ curr.
cent ¢ \textcent{}
pound £ \pounds{}
yen ¥ \textyen{}
euro € \texteuro{} @ EUR
EUR € \texteuro{} &euro;
dollar $ \$ $ $
USD $ \$ $ $
`

const propertyMarks = String.raw`
copy © \textcopyright{} @ (c)
reg ® \textregistered{} @ (r)
trade ™ \texttrademark{} @ TM
`

const scienceEtAl = String.raw`
minus − $- @ -
pm ± \textpm{} &plusmn; +-
plusmn ± \textpm{} @ +-
times × \texttimes{} @ *
frasl ⁄ / @ /
colon : $@ : :
div ÷ \textdiv{} &divide; /
frac12 ½ \textonehalf{} @ 1/2
frac14 ¼ \textonequarter{} @ 1/4
frac34 ¾ \textthreequarters{} @ 3/4
permil ‰ \textperthousand{} @ per%thousand
sup1 ¹ \textonesuperior{} @ ^1
sup2 ² \texttwosuperior{} @ ^2
sup3 ³ \textthreesuperior{} @ ^3
radic √ $\sqrt{\,} @ [square%root]
sum ∑ $@ @ [sum]
prod ∏ $@ @ [product] [n-ary%product]
micro µ \textmu{}
macr ¯ \textasciimacron{} @ [macron]
deg ° \textdegree{} @ degree
prime ′ $@ @ '
Prime ″ $\prime{}\prime @ ''
infin ∞ $\infty @ [infinity]
infty ∞ $@ &infin; [infinity]
prop ∝ $\propto @ [proportional%to]
propto ∝ $@ &prop; [proportional%to]
not ¬ \textlnot{} @ [angled%dash]
neg ¬ $\neg{} &not; [angled%dash]
land ∧ $@ &and; [logical%and]
wedge ∧ $@ &and; [logical%and]
lor ∨ $@ &or; [logical%or]
vee ∨ $@ &or; [logical%or]
cap ∩ $@ @ [intersection]
cup ∪ $@ @ [union]
smile ⌣ $@ @ [cup%product]
frown ⌢ $@ @ [Cap%product] [cap%product]
int ∫ $@ @ [integral]
therefore ∴ $@ &there4; [therefore]
there4 ∴ $\therefore @ [therefore]
because ∵ $@ @ [because]
sim ∼ $@ @ ~
cong ≅ $@ @ [approx.%equal%to]
simeq ≅ $@ &cong; [approx.%equal%to]
asymp ≈ $@ @ [almost%equal%to]
approx ≈ $@ &asymp; [almost%equal%to]
ne ≠ $@ @ [not%equal%to]
neq ≠ $@ &ne; [not%equal%to]
equiv ≡ $@ @ [identical%to]
triangleq ≜ $@ @ [defined%to]
le ≤ $@ @ <=
leq ≤ $\le &le; <=
ge ≥ $@ @ >=
geq ≥ $\ge &ge; >=
lessgtr ≶ $@ @ [less%than%or%greater%than]
lesseqgtr ⋚ $@ @ [less%than%or%equal%or%greater%than%or%equal]
ll ≪ $@ &Lt; <<
Ll ⋘ $\lll @ <<<
lll ⋘ $@ &Ll; <<<
gg ≫ $@ &Gt; >>
Gg ⋙ $\ggg @ >>>
`

const scienceEtAlContinued = String.raw`
ggg ⋙ $@ &Gg; >>>
prec ≺ $@ &pr; [precedes]
preceq ≼ $@ &prcue; [precedes%or%equal]
preccurlyeq ≼ $@ &prcue; [precedes%or%equal]
succ ≻ $@ &sc; [succeeds]
succeq ≽ $@ &sccue; [succeeds%or%equal]
succcurlyeq ≽ $@ &sccue; [succeeds%or%equal]
sub ⊂ $\subset @ [subset%of]
subset ⊂ $@ &sub; [subset%of]
sup ⊃ $\supset @ [superset%of]
supset ⊃ $@ &sup; [superset%of]
nsub ⊄ $\not\subset @ [not%a%subset%of] [not%a%subset%of
sube ⊆ $\subseteq @ [subset%of%or%equal%to]
nsup ⊅ $\not\supset @ [not%a%superset%of]
supe ⊇ $\supseteq @ [superset%of%or%equal%to]
setminus ⧵ $@ @ "% "
forall ∀ $@ @ [for%all]
exist ∃ $\exists @ [there%exists]
exists ∃ $@ &exist; [there%exists]
nexist ∄ $\nexists &exist; [there%does%not%exists] [there%does%not%%exists]
nexists ∄ $@ &exist; [there%does%not%exists] [there%does%not%%exists]
empty ∅ $\emptyset @ [empty%set]
emptyset ∅ $@ &empty; [empty%set]
isin ∈ $\in @ [element%of]
in ∈ $@ &isin; [element%of]
notin ∉ $@ @ [not%an%element%of]
ni ∋ $@ @ [contains%as%member]
nabla ∇ $@ @ [nabla]
ang ∠ $\angle @ [angle]
angle ∠ $@ &ang; [angle]
perp ⊥ $@ @ [up%tack]
parallel ∥ $@ @ ||
sdot ⋅ $\cdot @ [dot]
cdot ⋅ $@ &sdot; [dot]
lceil ⌈ $@ @ [left%ceiling]
rceil ⌉ $@ @ [right%ceiling]
lfloor ⌊ $@ @ [left%floor]
rfloor ⌋ $@ @ [right%floor]
lang ⟨ $\langle @ <
rang ⟩ $\rangle @ >
langle ⟨ $@ &lang; <
rangle ⟩ $@ &rang; >
hbar ℏ $@
mho ℧ $@
`

const arrows = String.raw`
larr ← $\leftarrow @ <-
leftarrow ← $@ &larr; <-
gets ← $@ &larr; <-
lArr ⇐ $\Leftarrow @ <=
Leftarrow ⇐ $@ &lArr; <=
uarr ↑ $\uparrow @ [uparrow]
uparrow ↑ $@ &uarr; [uparrow]
uArr ⇑ $\Uparrow @ [dbluparrow]
Uparrow ⇑ $@ &uArr; [dbluparrow]
rarr → $\rightarrow @ ->
to → $@ &rarr; ->
rightarrow → $@ &rarr; ->
rArr ⇒ $\Rightarrow @ =>
Rightarrow ⇒ $@ &rArr; =>
darr ↓ $\downarrow @ [downarrow]
downarrow ↓ $@ &darr; [downarrow]
dArr ⇓ $\Downarrow @ [dbldownarrow]
Downarrow ⇓ $@ &dArr; [dbldownarrow]
harr ↔ $\leftrightarrow @ <->
leftrightarrow ↔ $@ &harr; <->
hArr ⇔ $\Leftrightarrow @ <=>
Leftrightarrow ⇔ $@ &hArr; <=>
crarr ↵ $\hookleftarrow @ <-'
hookleftarrow ↵ $@ &crarr; <-'
`

const functionNames = `
arccos arccos $@ arccos
arcsin arcsin $@ arcsin
arctan arctan $@ arctan
arg arg $@ arg
cos cos $@ cos
cosh cosh $@ cosh
cot cot $@ cot
coth coth $@ coth
csc csc $@ csc
deg deg $@
det det $@ det
dim dim $@ dim
exp exp $@ exp
gcd gcd $@ gcd
hom hom $@ hom
inf inf $@ inf
ker ker $@ ker
lg lg $@ lg
lim lim $@ lim
liminf liminf $@ liminf
limsup limsup $@ limsup
ln ln $@ ln
log log $@ log
max max $@ max
min min $@ min
Pr Pr $@ Pr
sec sec $@ sec
sin sin $@ sin
sinh sinh $@ sinh
sup sup $@
tan tan $@ tan
tanh tanh $@ tanh
`

const signsSymbols = String.raw`
bull • \textbullet{} @ *
bullet • \textbullet{} &bull; *
star ⋆ $@ * *
lowast ∗ $\ast @ *
ast * $@ &lowast; *
odot ʘ $@ o [circled%dot]
oplus ⊕ $@ @ [circled%plus]
otimes ⊗ $@ @ [circled%times]
check ✓ $\checkmark &checkmark; [checkmark]
checkmark ✓ $@ &check; [checkmark]
`

const miscellaneousSeldomUsed = String.raw`
para ¶ \P{} @ paragraph
ordf ª \textordfeminine{} @ _a_
ordm º \textordmasculine{} @ _o_
cedil ¸ \c{} @ [cedilla]
oline ‾ $\overline{~} @ [overline] ¯
uml ¨ \textasciidieresis{} @ [diaeresis]
zwnj ‌ \/{} @ #
zwj ‍ # @ #
lrm ‎ # @ #
rlm ‏ # @ #
`

const smilies = String.raw`
smiley ☺ $\ddot\smile &#9786; :-)
blacksmile ☻ $\ddot\smile &#9787; :-)
sad ☹ $\ddot\frown &#9785; :-(
frowny ☹ $\ddot\frown &#9785; :-(
`

const suits = String.raw`
clubs ♣ $\clubsuit @ [clubs]
clubsuit ♣ $@ &clubs; [clubs]
spades ♠ $\spadesuit @ [spades]
spadesuit ♠ $@ &spades; [spades]
hearts ♥ $\heartsuit @ [hearts]
heartsuit ♥ $@ @ [hearts]
diams ◆ $\diamondsuit @ [diamonds]
diamondsuit ◆ $@ &diams; [diamonds]
diamond ◆ $\diamondsuit @ [diamond]
Diamond ◆ $\diamondsuit &diamond; [diamond]
loz ⧫ $\lozenge @ [lozenge]
`

function spaces(): EntityForms[] {
  return Array.from({ length: 20 }, (_, index) => {
    const count = index + 1
    const latex = `\\hspace*{${(count / 2).toFixed(1)}em}`
    const blanks = ' '.repeat(count)
    return {
      name: `_${blanks}`,
      utf8: '\u2002'.repeat(count),
      html: '&ensp;'.repeat(count),
      latex,
      latexMathP: false,
      ascii: blanks,
      latin1: blanks,
    }
  })
}

/** What an entity becomes. */
export interface EntityForms {
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
  [
    latin,
    latinContinued,
    latinSpecialFace,
    greek,
    hebrew,
    icelandic,
    dotsAndMarks,
    dashLike,
    quotations,
    miscOftenUsed,
    whitespace,
    currency,
    propertyMarks,
    scienceEtAl,
    scienceEtAlContinued,
    arrows,
    functionNames,
    signsSymbols,
    miscellaneousSeldomUsed,
    smilies,
    suits,
  ]
    .flatMap((group) => group.trim().split('\n').map(forms))
    .concat(spaces())
    .reverse()
    .map((entity) => [entity.name, entity]),
)

function plainColumn(column: string): string {
  return column === '#' ? '' : column.replaceAll('%', ' ').replaceAll('␛', '`')
}

function forms(row: string): EntityForms {
  const columns = row.split(' ').map(plainColumn)
  const [name = '', utf8 = '', written = '@', html = '@', ascii = '@', latin1] = columns
  const latexMathP = written.startsWith('$')
  const latex = latexMathP ? written.slice(1) : written
  const plain = ascii === '@' ? name : ascii
  return {
    name,
    utf8,
    html: html === '@' ? `&${name};` : html,
    latex: latex === '@' ? `\\${name}` : latex,
    latexMathP,
    ascii: plain,
    latin1: latin1 ?? (/^[\0-\xff]*$/.test(utf8) ? utf8 : plain),
  }
}
