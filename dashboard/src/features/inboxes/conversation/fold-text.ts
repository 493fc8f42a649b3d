/** How programs say whose words follow: “On Monday, Ada wrote:”, and the same in other languages and in Outlook. */
const INTRODUCTION =
  /^(?:on\b.{4,200}\bwrote|am\b.{4,200}\bschrieb\b.{0,100}|le\b.{4,200}\ba écrit\s?|el\b.{4,200}\bescribió|il\b.{4,200}\bha scritto|op\b.{4,200}\bschreef\b.{0,100}|em\b.{4,200}\bescreveu|den\b.{4,200}\bskrev\b.{0,100})\s?[:：]\s*$/i
const DIVIDER = /^-{2,}\s?(?:original message|ursprüngliche nachricht|message d'origine|mensaje original)\s?-{2,}$/i

/** Of a mail, what was written now, and what it quotes of those before. Nothing is folded when there would be nothing left. */
export function foldText(text: string): { readonly shown: string; readonly folded: string } {
  const lines = text.split('\n')
  const start = quoteStart(lines)
  const shown = lines.slice(0, start).join('\n').trimEnd()
  return shown.trim() === '' ? { shown: text, folded: '' } : { shown, folded: lines.slice(start).join('\n').trim() }
}

/** The line where the quotation at the end begins. Whoever answers between the lines quotes before their last words: that stays. */
function quoteStart(lines: readonly string[]): number {
  const divider = lines.findIndex((line) => DIVIDER.test(line.trim()))
  if (divider >= 0) return divider
  let start = lines.length
  while (start > 0 && /^\s*(?:>|$)/.test(lines[start - 1]!)) start -= 1
  if (!lines.slice(start).some((line) => /^\s*>/.test(line))) return lines.length
  // The introduction may be broken into two lines.
  for (const count of [1, 2, 3])
    if (
      start >= count &&
      INTRODUCTION.test(
        lines
          .slice(start - count, start)
          .join(' ')
          .trim(),
      )
    )
      return start - count
  return start
}
