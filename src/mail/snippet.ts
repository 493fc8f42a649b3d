/** As many characters as a line of a list shows. */
const MAX_SNIPPET_LENGTH = 200
/** No real mail has so much in front of its first sentence. */
const MAX_SCAN_LENGTH = 8_000

/** `On Sun, 15 Nov 2026 at 10:00, Ada <ada@example.com> wrote:`, in some languages. */
const ATTRIBUTION =
  /^(?:on|am|le|el|il|op|den|em|w dniu)\b.{3,200}\b(?:wrote|schrieb|a écrit|escribió|ha scritto|schreef|skrev|escreveu|napisał|pisze)\b.{0,100}:$/i
const BANNER =
  /^-{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht|message d'origine)\s*-{2,}$/i

const MAX_ATTRIBUTION_LENGTH = 300

/** White space, and the invisible characters that some senders pad their preview with. */
const BLANK = /(?:[\p{Cc}\s\u00ad\u200b\u200c\u2060\ufeff]|\u034f)+/gu

/** How a text begins, on one line. What it quotes is left out, unless there is nothing else. */
export function snippetOf(text: string): string {
  const lines = text.slice(0, MAX_SCAN_LENGTH).split('\n')
  return folded(ownLines(lines)) || folded(lines.map((line) => line.replace(/^[>\s]+/, '')))
}

/** What somebody else wrote begins with `>`, or stands below a line that says so. That line may be broken in two. */
function ownLines(lines: readonly string[]): string[] {
  const own: string[] = []
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!.trim()
    if (BANNER.test(line)) break
    if (line.startsWith('>') || ATTRIBUTION.test(line)) continue
    const withNext = `${line} ${lines[index + 1]?.trim() ?? ''}`
    if (withNext.length <= MAX_ATTRIBUTION_LENGTH && ATTRIBUTION.test(withNext)) index += 1
    else own.push(line)
  }
  return own
}

function folded(lines: readonly string[]): string {
  const characters = Array.from(lines.join(' ').replace(BLANK, ' ').trim())
  return characters.length <= MAX_SNIPPET_LENGTH
    ? characters.join('')
    : `${characters.slice(0, MAX_SNIPPET_LENGTH - 1).join('')}…`
}
