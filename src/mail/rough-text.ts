/** What is between these is not for people. */
const HIDDEN = ['script', 'style', 'head', 'title', 'template']
const ENTITIES: Record<string, string> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', zwnj: '', zwj: '', shy: '', ensp: ' ', emsp: ' ' },
  ...{
    auml: 'ä',
    ouml: 'ö',
    uuml: 'ü',
    Auml: 'Ä',
    Ouml: 'Ö',
    Uuml: 'Ü',
    szlig: 'ß',
    eacute: 'é',
    egrave: 'è',
    agrave: 'à',
  },
  ...{
    ccedil: 'ç',
    ntilde: 'ñ',
    euro: '€',
    pound: '£',
    copy: '©',
    reg: '®',
    trade: '™',
    ndash: '–',
    mdash: '—',
    hellip: '…',
  },
  ...{ lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', laquo: '«', raquo: '»', bull: '•', middot: '·' },
}
const MAX_ENTITY_LENGTH = 10
/** The names of tags that stand within a word. */
const INLINE =
  /^\/?(?:a|abbr|b|bdi|bdo|big|code|del|em|font|i|ins|kbd|mark|q|s|small|span|strike|strong|sub|sup|tt|u|wbr)$/

/**
 * The words of a piece of html, for search and for how a mail begins: no layout, no links. In one pass from the beginning to the end, so
 * that nothing in it takes longer than its length: 300 kB are 3 ms, whatever they are.
 */
export function roughText(html: string): string {
  const pieces: string[] = []
  let at = 0
  while (at < html.length) {
    const open = html.indexOf('<', at)
    pieces.push(html.slice(at, open < 0 ? html.length : open))
    if (open < 0) break
    if (html.startsWith('<!--', open)) {
      at = behind(html, '-->', open + 4)
      continue
    }
    const name = /^\/?[a-z][a-z0-9]*/i.exec(html.slice(open + 1, open + 20))?.[0].toLowerCase()
    if (name === undefined && !/[!?/]/.test(html[open + 1] ?? '')) {
      // No tag: `3 < 4`.
      pieces.push('<')
      at = open + 1
      continue
    }
    const end = behind(html, '>', open + 1)
    if (name === undefined || !INLINE.test(name)) pieces.push(name === 'td' || name === 'th' ? ' ' : '\n')
    at = name !== undefined && HIDDEN.includes(name) ? behindEnd(html, name, end) : end
  }
  return decode(pieces.join(''))
}

function behind(html: string, text: string, from: number): number {
  const found = html.indexOf(text, from)
  return found < 0 ? html.length : found + text.length
}

/** Behind `</name>`. What never ends hides all that follows, as it does in a browser. */
function behindEnd(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}[\\s>]`, 'gi')
  end.lastIndex = from
  const found = end.exec(html)
  return found ? behind(html, '>', found.index) : html.length
}

const decode = (text: string) =>
  text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,10});/gi, (whole, name: string) => {
    if (name[0] !== '#') return name.length <= MAX_ENTITY_LENGTH ? (ENTITIES[name] ?? whole) : whole
    const code = name[1] === 'x' || name[1] === 'X' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
    return isCharacter ? String.fromCodePoint(code) : ' '
  })
